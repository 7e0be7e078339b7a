"""Whether the last line of a CSV file is whole: a file that was cut may end inside of a cell."""

import io
import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from masthead.model.billing.bank_columns import BankColumn
from masthead.model.errors import excerpt
from masthead.model.imports.tabular_data import Line, Table
from masthead.model.translations import gettext as _
from masthead.model.types.money import CURRENCIES
from masthead.services.billing.bank_statements.values import damaged

AMOUNTS = (BankColumn.AMOUNT, BankColumn.PAID_IN, BankColumn.PAID_OUT)
OUT = frozenset({"s", "soll", "d", "dr", "debit", "dbit", "af", "belastung", "out", "lastschrift"})
_ALL_AMOUNTS = (*AMOUNTS, BankColumn.ORIGINAL)
_DAYS = (BankColumn.BOOKED, BankColumn.VALUE)
_DIRECTIONS = OUT | {"h", "haben", "c", "cr", "credit", "crdt", "bij", "gutschrift", "in"}
_MOST = 1_000  # different cells that are compared
_WORDS = (BankColumn.DIRECTION, BankColumn.STATUS)
_AMOUNT = re.compile(r"(?P<number>.*[0-9])(?P<behind>[^0-9]*)", re.DOTALL)
_WHOLE_DAY = re.compile(r".*([0-9]{4}|[0-9]{4}-[0-9]{2}-[0-9]{2}|:[0-9]{2}|Z)", re.DOTALL)


class LastCell:
    """The last column of a table, and whether the file may end inside of its last cell.

    It looks at all rows, one after the other. Texts are not judged: any text can be whole.
    row: the one with which the file ends without a line break, if it does.
    """

    def __init__(
        self, path: Path, table: Table, columns: Mapping[BankColumn, Sequence[int]]
    ) -> None:
        self._open_line = _open_line(path, table.encoding) if table.encoding else 0
        self._place = len(table.columns) - 1
        self._kinds = {kind for kind, places in columns.items() if self._place in places}
        self._amounts = [each for kind in _ALL_AMOUNTS for each in columns.get(kind, ())]
        self._others = set[str]()
        self.row: Line | None = None

    def look_at(self, row: Line) -> None:
        """Take a row into account."""
        if row.number == self._open_line:
            self.row = row
        elif self._open_line and len(self._others) < _MOST:
            self._others.add(row.cells[self._place].strip())

    def check(self, mark: str, currency: str) -> None:
        """Raises: Invalid if the file may end inside of the cell. mark: the decimal mark."""
        if self.row is None:
            return
        last = self.row.cells[self._place].strip()
        if not last:
            has_amount = any(self.row.cells[each] for each in self._amounts)
            is_cut = not has_amount or ("" not in self._others and self._kinds & {*_WORDS, *_DAYS})
        else:
            is_cut = any(self._is_cut(kind, last, mark, currency) for kind in self._kinds)
        if is_cut:
            text = _(
                "Its last cell is `{text}`, without a line break. If nothing is missing, add a "
                "line break at the end of the file, and import it."
            )
            raise damaged(self._open_line, text.format(text=excerpt(last)))

    def _is_cut(self, kind: BankColumn, last: str, mark: str, currency: str) -> bool:
        others = self._others - {""}
        if kind in _ALL_AMOUNTS:
            return _is_cut_amount(last, others, mark, CURRENCIES[currency])
        if kind is BankColumn.DIRECTION:
            return last not in others and last.lower() not in _DIRECTIONS
        if kind is BankColumn.STATUS:
            return bool(others) and last not in others
        if kind in _DAYS:
            known = {_digits_at_end(each) for each in others}
            return _digits_at_end(last) < max(known) if known else not _WHOLE_DAY.fullmatch(last)
        return False


def _is_cut_amount(last: str, others: Collection[str], mark: str, usual: int) -> bool:
    """Whether an amount has fewer decimals than others, or less behind them, such as a minus."""
    decimals, behind = _end_of_amount(last, mark)
    known = [_end_of_amount(each, mark) for each in others]
    return decimals < max((each for each, _text in known), default=usual) or any(
        text.startswith(behind) and text != behind for _decimals, text in known
    )


def _end_of_amount(text: str, mark: str) -> tuple[int, str]:
    """How many decimals an amount has, and what is behind them, in lower case."""
    match = _AMOUNT.fullmatch(text)
    if match is None:
        return 0, text
    _whole, point, decimals = match["number"].rpartition(mark or ".")
    return (len(decimals) if point else 0), match["behind"].strip().lower()


def _digits_at_end(text: str) -> int:
    return len(text) - len(text.rstrip("0123456789"))


def _open_line(path: Path, encoding: str) -> int:
    """The number of the last line if no line break or quotation mark ends it; otherwise 0."""
    with path.open(encoding=encoding, errors="replace", newline="") as stream:
        text = stream.read().rstrip("\0\x1a \t")
    return 0 if not text or text[-1] in '\r\n"' else len(io.StringIO(text, newline="").readlines())
