"""CSV files and workbooks of banks: every bank has its own columns."""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import date
from pathlib import Path

from masthead.model.billing.bank_columns import BankColumn, columns_of_names
from masthead.model.billing.bank_lines import UNKNOWN_REASON, BankFormat, BankLine, BankStatement
from masthead.model.errors import Invalid, excerpt
from masthead.model.imports.rows.column_facts import AmountColumnFacts
from masthead.model.imports.tabular_data import Line
from masthead.model.imports.values.amounts import read_amount, split_amount
from masthead.model.returns.dates import DateColumn, DateOrder, read_date
from masthead.model.translations import gettext as _
from masthead.model.types.money import minor_units
from masthead.services.billing.bank_statements.csv_end import AMOUNTS, OUT, LastCell
from masthead.services.billing.bank_statements.values import check_count, currency_of, unreadable
from masthead.services.imports.table import open_table
from masthead.temporary_files import TemporaryFile

_DIGIT = re.compile(r"\d")
_SIDE = re.compile(r"(.*\d)\s*(S|H|D|C|CR|DR)", re.IGNORECASE | re.DOTALL)
_PENDING = re.compile(r"vorgemerkt|pending|offen|ausstehend|gereserveerd|reverted|declined", re.I)
_RETURN = re.compile(
    r"r(ü|ue)cklast|r(ü|ue)ckbuchung|retoure|r(ü|ue)ckgabe|returned?\b.*(debit|payment)|storno|"
    r"(debit|payment) return|chargeback|terugboeking|storn(o|ering)",
    re.IGNORECASE,
)
_SIDES = frozenset({"s", "h", "soll", "haben", "d", "c", "dr", "cr"})
_BALANCE = re.compile(r"(anfangs|end|schluss)saldo|kontostand", re.IGNORECASE)
_AMERICAN = frozenset({"USD", "CAD", "PHP"})  # where the month may come first
_REASON = re.compile(r"\b(A[CGM]\d\d|BE05|FF05|M[DS]\d\d|RC01|RR0[1-4]|SL01)\b")


def read_csv(path: Path, *, name: str, currency: str) -> list[BankStatement]:
    """The lines of a CSV file or of the first sheet of a workbook, one statement for each account.

    currency: of lines that do not say any. It reads the file twice. Raises: Invalid; OSError.
    """
    rows_file = TemporaryFile(".csv")
    table = open_table(path, name=name, rows=rows_file)
    columns = columns_of_names(table.columns)
    rows, last = _Rows(columns, currency), LastCell(path, table, columns)
    for row in table.lines():
        rows.look_at(row)
        last.look_at(row)
        check_count(rows.count)
    rows.decide()
    if last.row is None or not rows.is_pending(last.row):
        last.check(rows.mark, currency)
    found: dict[str, list[BankLine]] = {}
    pending = 0
    for row in table.lines():
        if row.problem:
            text = _("Line {line}: {problem}").format(line=row.number, problem=row.problem)
            raise Invalid(text, code="damaged_file")
        if rows.is_pending(row):
            pending += 1
        elif (line := rows.read(row)) is not None:
            found.setdefault(rows.cell(row, BankColumn.OWN), []).append(line)
    return [
        BankStatement(
            format=BankFormat.CSV,
            iban=own,
            currency=lines[0].currency,
            lines=lines,
            pending=0 if place else pending,
        )
        for place, (own, lines) in enumerate(found.items())
    ]


class _Rows:
    """Reads rows by their columns; first it looks at all of them."""

    def __init__(self, columns: Mapping[BankColumn, Sequence[int]], currency: str) -> None:
        self._columns, self._currency = columns, currency
        self._places = {column: places[0] for column, places in columns.items()}
        self._dates, self._amounts = DateColumn(), AmountColumnFacts()
        self._order: DateOrder | None = None
        self.mark = ""
        self.count = 0

    def cell(self, row: Line, column: BankColumn) -> str:
        """The text of a column; empty if there is none."""
        place = self._places.get(column)
        return row.cells[place].strip() if place is not None and place < len(row.cells) else ""

    def look_at(self, row: Line) -> None:
        """Take a row into account for the order in dates and the decimal mark."""
        self.count += 1
        if booked := self.cell(row, BankColumn.BOOKED):
            self._dates.add(booked)
        for column in AMOUNTS:
            if amount := self.cell(row, column):
                self._amounts.add(_without_side(amount)[0])

    def decide(self) -> None:
        """Decide by all rows. Raises: Invalid if the dates can be read in two ways."""
        try:
            self._order = self._dates.decide()
        except Invalid:
            if self._dates.is_mixed or self._currency in _AMERICAN:
                text = _(
                    "The dates of the file, such as `{example}`, can be read in two ways. Download "
                    "the statement as camt.053 or MT940 and use that file."
                )
                raise Invalid(text.format(example=excerpt(self._dates.examples[0]))) from None
            self._order = DateOrder.DAY_FIRST
        self.mark = self._amounts.verdict or ""

    def is_pending(self, row: Line) -> bool:
        """Whether the bank has not booked a row yet."""
        cells = self.cell(row, BankColumn.STATUS), self.cell(row, BankColumn.BOOKED)
        return any(_PENDING.search(each) for each in cells)

    def read(self, row: Line) -> BankLine | None:
        """The line of a row; None for notes and balances below the table. Raises: Invalid."""
        if not any(row.cells):
            return None
        booked = self._day(row, BankColumn.BOOKED)
        amount_text = next(filter(None, (self.cell(row, each) for each in AMOUNTS)), "")
        if self._is_balance(row):
            return None
        if booked is None or not amount_text:
            if sum(map(bool, row.cells)) * 2 > len(row.cells) and self.count > 1:
                what = _("date") if booked is None else _("amount")
                text = self.cell(row, BankColumn.BOOKED) if booked is None else amount_text
                raise unreadable(what, text, line=row.number)
            return None
        currency = self._currency
        if code := self.cell(row, BankColumn.CURRENCY).upper():
            currency = currency_of({"€": "EUR"}.get(code, code), line=row.number)
        amount = self._amount(row, currency)
        kind = self.cell(row, BankColumn.KIND)
        text = " ".join(
            filter(
                None, (row.cells[each].strip() for each in self._columns.get(BankColumn.TEXT, ()))
            )
        )
        reference = self.cell(row, BankColumn.REFERENCE)
        original = self.cell(row, BankColumn.ORIGINAL)
        is_return = amount < 0 and bool(original or _RETURN.search(f"{kind} {text[:200]}"))
        reason = _REASON.search(f"{kind} {text}") if is_return else None
        with suppress(Invalid):
            value = self._day(row, BankColumn.VALUE)
        return BankLine(
            booking_date=booked,
            value_date=value,
            amount=amount,
            currency=currency,
            name=self._name(row, is_payer=amount > 0 or is_return),
            iban=self.cell(row, BankColumn.IBAN),
            reference="" if reference.upper() == "NOTPROVIDED" else reference,
            text=text,
            return_reason=(reason[1] if reason else UNKNOWN_REASON) if is_return else "",
            original_amount=abs(self._signed(original, currency, row)) if original else None,
            line=row.number,
        )

    def _is_balance(self, row: Line) -> bool:
        """Whether a row has the balance of the account, and no other party."""
        party = (BankColumn.NAME, BankColumn.PAYER, BankColumn.PAYEE, BankColumn.IBAN)
        return not any(self.cell(row, each) for each in party) and any(
            _BALANCE.fullmatch(each.strip()) for each in row.cells
        )

    def _day(self, row: Line, column: BankColumn) -> date | None:
        text = self.cell(row, column)
        if not _DIGIT.search(text):
            return None
        try:
            return read_date(text, self._order)
        except Invalid:
            if column is BankColumn.BOOKED and text[:1].isdigit():
                raise unreadable(_("date"), text, line=row.number) from None
            return None

    def _amount(self, row: Line, currency: str) -> int:
        """The amount with its sign: of one column, or of the one of two that has it."""
        if cell := self.cell(row, BankColumn.AMOUNT):
            text, side = _without_side(cell)
            side = self.cell(row, BankColumn.DIRECTION).lower() or side or self._beside(row)
            amount = self._signed(text, currency, row)
            return -abs(amount) if side in OUT else amount
        received = self.cell(row, BankColumn.PAID_IN)
        paid = self.cell(row, BankColumn.PAID_OUT)
        amount = abs(self._signed(received, currency, row)) if received else 0
        return amount - (abs(self._signed(paid, currency, row)) if paid else 0)

    def _beside(self, row: Line) -> str:
        """The direction in a column without a name, right of the amount; empty if there is none."""
        place = self._columns[BankColumn.AMOUNT][0] + 1
        text = row.cells[place].strip().lower() if place < len(row.cells) else ""
        return text if text in _SIDES else ""

    def _signed(self, text: str, currency: str, row: Line) -> int:
        try:
            _digits, _symbols, is_negative = split_amount("amount", text)
            plain = read_amount(
                "amount", text, decimal_mark=self.mark, currency=currency, may_be_negative=True
            )
            amount = minor_units("amount", plain, currency)
        except Invalid:
            raise unreadable(_("amount"), text, line=row.number) from None
        return -amount if is_negative else amount

    def _name(self, row: Line, *, is_payer: bool) -> str:
        order = (BankColumn.PAYER, BankColumn.PAYEE)
        wanted = order if is_payer else order[::-1]
        names = (self.cell(row, each) for each in (BankColumn.NAME, *wanted))
        return next(filter(None, names), "")


def _without_side(text: str) -> tuple[str, str]:
    """An amount without the letter for debit or credit behind it, and that letter."""
    match = _SIDE.fullmatch(text[:100])
    return (match[1], match[2].lower()) if match else (text, "")
