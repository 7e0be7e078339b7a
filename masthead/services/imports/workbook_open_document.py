"""The numbers of an OpenDocument sheet that people see as codes, and its first day."""

from collections import deque
from collections.abc import Iterator
from datetime import date
from typing import IO

from msgspec import Struct

from masthead.model.imports.values.digit_formats import is_shown_code
from masthead.services.imports.workbook_xml import Attributes, local_names, parse

_MOST_PARENTS = 10  # of a style
_MOST_COLUMNS = 16_384


class CellStyles:
    """Which styles of cells show numbers as codes."""

    def __init__(self) -> None:
        self._codes = set[str]()  # number formats that show codes
        self._signs = set[str]()  # those with signs between digits, as in `06 12 34 56 78`
        self._others = set[str]()  # those that show thousands or decimals
        self._parts = dict[str, list[str]]()  # formats for some of the numbers, by format
        self._formats = dict[str, str]()  # formats by style
        self._parents = dict[str, str]()
        self._format, self._text, self._is_text = "", "", False

    def start(self, name: str, given: Attributes) -> None:
        """Take the beginning of an element into account."""
        if name == "number-style":
            self._format, self._text = local_names(given).get("name", ""), ""
        elif name == "style":
            style = local_names(given)
            self._parents[style.get("name", "")] = style.get("parent-style-name", "")
            if "data-style-name" in style:
                self._formats[style.get("name", "")] = style["data-style-name"]
        elif self._format and name == "map":
            part = local_names(given).get("apply-style-name", "")
            self._parts.setdefault(self._format, []).append(part)
        elif self._format and name == "embedded-text":
            self._signs.add(self._format)
        elif self._format and name == "number":
            self._add_number(local_names(given))
        self._is_text = name == "text" and bool(self._format)

    def _add_number(self, number: Attributes) -> None:
        if number.get("grouping") == "true" or number.get("decimal-places", "0") != "0":
            self._others.add(self._format)
        elif int(number.get("min-integer-digits", "1")) > 1 or self._text.endswith("+"):
            self._codes.add(self._format)

    def text(self, text: str) -> None:
        """Take a text of a number format into account."""
        if self._is_text:
            self._text += text

    def end(self, name: str) -> None:
        """Take the end of an element into account."""
        self._is_text = False
        if name == "number-style":
            self._format = ""

    def codes(self) -> dict[str, bool]:
        """The styles that show numbers as codes, and whether only numbers with leading zeros."""
        found = {style: self._formats_of(style) for style in self._parents}
        return {
            style: not formats & self._codes
            for style, formats in found.items()
            if formats & (self._codes | self._signs) and not formats & self._others
        }

    def _formats_of(self, style: str) -> set[str]:
        for _level in range(_MOST_PARENTS):
            if style in self._formats or style not in self._parents:
                break
            style = self._parents[style]
        format = self._formats.get(style, "")
        return {format, *self._parts.get(format, [])}


class _Cell(Struct):
    """A cell. value: its number; empty unless its style shows codes. shown: parts of its text."""

    repeated: int = 1
    value: str = ""
    has_zero: bool = False
    shown: list[str] | None = None
    is_text: bool = False


class CodeCells:
    """Collects the cells of a sheet that people see as codes.

    styles: those of the workbook; the ones at the beginning of its content are added.
    """

    def __init__(self, styles: CellStyles, sheet: str) -> None:
        self._styles, self._sheet = styles, sheet
        self._codes: dict[str, bool] | None = None
        self._is_sheet = False
        self._columns = list[str]()  # the style of each column
        self._rows = deque[tuple[int, int, dict[int, str]]]()
        self._row, self._row_count, self._row_style, self._column = 0, 1, "", 0
        self._found = dict[int, str]()
        self._cell, self._notes = _Cell(), 0

    def read(self, stream: IO[bytes]) -> Iterator[tuple[int, dict[int, str]]]:
        """The rows with codes. Cost: the beginning of the content if no style shows codes."""
        for _piece in parse(stream, self._start, self._end, self._add_text):
            while self._rows:
                first, count, found = self._rows.popleft()
                for number in range(first, first + count):
                    yield number, found
            if self._codes is not None and not self._codes:
                return

    def _start(self, name: str, given: Attributes) -> None:
        if self._codes is None:
            if name == "body":
                self._codes = self._styles.codes()
            else:
                self._styles.start(name, given)
        elif name == "table":
            self._is_sheet = local_names(given).get("name") == self._sheet
        elif self._is_sheet and self._codes:
            self._start_in_sheet(name, given)

    def _start_in_sheet(self, name: str, given: Attributes) -> None:
        if name in ("table-cell", "covered-table-cell"):
            self._start_cell(local_names(given))
        elif name == "p" and self._cell.value:
            self._cell.is_text = not self._notes
        elif name == "s":
            self._add_text(" ")
        elif name == "annotation":
            self._notes += 1
        elif name == "table-row":
            row = local_names(given)
            self._row += self._row_count
            self._row_count = int(row.get("number-rows-repeated", "1"))
            self._row_style = row.get("default-cell-style-name", "")
            self._column, self._found = 0, {}
        elif name == "table-column":
            column = local_names(given)
            count = min(int(column.get("number-columns-repeated", "1")), _MOST_COLUMNS)
            self._columns += [column.get("default-cell-style-name", "")] * count

    def _start_cell(self, cell: Attributes) -> None:
        self._cell = _Cell(int(cell.get("number-columns-repeated", "1")))
        if cell.get("value-type") == "float":
            of_column = self._columns[self._column] if self._column < len(self._columns) else ""
            style = cell.get("style-name") or self._row_style or of_column
            if self._codes and style in self._codes:
                self._cell.value, self._cell.shown = cell.get("value", ""), []
                self._cell.has_zero = self._codes[style]

    def _add_text(self, text: str) -> None:
        if self._codes is None:
            self._styles.text(text)
        elif self._cell.shown is not None and self._cell.is_text:
            self._cell.shown.append(text)

    def _end(self, name: str) -> None:
        if self._codes is None:
            self._styles.end(name)
        elif name in ("table-cell", "covered-table-cell"):
            cell, self._cell = self._cell, _Cell()
            if cell.shown is not None:
                text = "".join(cell.shown).strip()
                if is_shown_code(text, cell.value, has_zero=cell.has_zero):
                    for column in range(self._column, self._column + cell.repeated):
                        self._found[column] = text
            self._column += cell.repeated
        elif name == "p":
            self._cell.is_text = False
        elif name == "annotation":
            self._notes -= 1
        elif name == "table-row" and self._found:
            self._rows.append((self._row, self._row_count, self._found))


def first_day(stream: IO[bytes]) -> date | None:
    """The day that a spreadsheet counts from; None if it does not say one."""
    found: list[date] = []
    is_over: list[bool] = []

    def start(name: str, given: Attributes) -> None:
        if name == "null-date":
            found.append(date.fromisoformat(local_names(given).get("date-value", "")[:10]))
        elif name == "table":
            is_over.append(True)

    for _piece in parse(stream, start):
        if is_over:
            break
    return found[0] if found else None
