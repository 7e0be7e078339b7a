"""Read the file of a carrier in constant memory: first look at all of it, then read its rows."""

import re
from array import array
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

from msgspec import Struct

from masthead.model.imports.layouts import Row, TableLayout
from masthead.model.imports.tabular_data import Line, Table
from masthead.model.returns.carrier_files import CarrierLayout, find_layout
from masthead.model.returns.columns import CarrierField
from masthead.model.returns.copy_references import is_reference
from masthead.model.returns.dates import DateColumn, DateOrder
from masthead.model.translations import gettext as _
from masthead.model.types.clean_text import one_line
from masthead.services.imports.table import open_table
from masthead.temporary_files import TemporaryFile

BATCH = 5_000  # rows that are written together
_PAGE = 4_096
_LINE_END = re.compile(r"\r\n|\r|\n")


class CarrierFile(Struct, frozen=True):
    """A file and how to read it. date_order: None if each date can be read in one way only."""

    table: Table
    layout: CarrierLayout
    date_order: DateOrder | None

    def describe(self) -> str:
        """The way the file is read, in sentences."""
        parts = [self.table.description]
        if self.date_order is DateOrder.DAY_FIRST:
            parts.append(_("It has dates with the day first."))
        elif self.date_order is DateOrder.MONTH_FIRST:
            parts.append(_("It has dates with the month first."))
        if self.table.is_cut:
            parts.append(
                _("It ends in the middle of a character, so its last row may be incomplete.")
            )
        return " ".join([*parts, *self.table.notes])


class UnmatchedRow(Struct, frozen=True):
    """A row that changed nothing, and why."""

    row: Line
    reason: str


def inspect_file(
    path: Path,
    *,
    chosen: Mapping[CarrierField, str],
    sheet: str | None = None,
    encoding: str | None = None,
    date_order: DateOrder | None = None,
    needs_dates: bool = True,
    rows: TemporaryFile | None = None,
) -> CarrierFile:
    """Look at all of a file: its encoding, its columns, and the order in its dates.

    chosen: columns that the user named. sheet, encoding, rows: as for `open_table`. date_order:
    that the user chose. needs_dates: whether the dates in the file are used. Reads the file up to
    three times; call it in a thread. Raises: Invalid, OSError.
    """
    layout = CarrierLayout(0, (), {})

    def find(first: Sequence[Row]) -> TableLayout:
        nonlocal layout
        layout = find_layout(first, chosen)
        return TableLayout(layout.header_line, layout.names, keeps_all=True)

    table = open_table(path, name="", sheet=sheet, encoding=encoding, rows=rows, find=find)
    file = CarrierFile(table, layout, None)
    if needs_dates and (places := layout.columns.get(CarrierField.DATE)):
        column = DateColumn()
        for row in read_rows(file):
            if places[0] < len(row.cells):
                column.add(row.cells[places[0]])
        file = CarrierFile(table, layout, column.decide(date_order))
    return file


def read_rows(file: CarrierFile) -> Iterator[Line]:
    """The rows after the header, without blank ones. Memory: constant.

    A row of a text file whose quotation marks take in another row with a key has a problem, and
    so have the others.
    """
    is_text = not file.table.sheets
    for line in file.table.lines():
        if is_text and not line.problem and "\n" in "".join(line.cells).replace("\r", "\n"):
            yield from _divide(line, file.table.separator)
        else:
            yield line


def _divide(line: Line, separator: str) -> Iterator[Line]:
    """The row, or the rows that are inside its quotation marks."""
    first, *others = _LINE_END.split(separator.join(line.cells))
    inside = [
        (number, cells)
        for number, text in enumerate(others, line.number + 1)
        if any(map(is_reference, cells := [cell.strip(' "') for cell in text.split(separator)]))
    ]
    if not inside:
        yield line
        return
    problem = _("A quotation mark is not closed.")
    for number, cells in [(line.number, first.split(separator)), *inside]:
        yield Line(number, cells, problem)


def cell_of(file: CarrierFile, row: Line, field: CarrierField) -> str:
    """The cells of a field in a row, joined on one line; empty if it has none."""
    glue = "-" if field is CarrierField.POSTCODE else " "
    places = file.layout.columns.get(field, ())
    return glue.join(
        text for place in places if place < len(row.cells) and (text := one_line(row.cells[place]))
    )


def read_batches(file: CarrierFile) -> Iterator[list[Line]]:
    """The rows in batches. Memory: constant."""
    rows = read_rows(file)
    while batch := list(islice(rows, BATCH)):
        yield batch


class FirstLines:
    """The line in which each number first occurred. Memory: 4 bytes for numbers that are close."""

    def __init__(self) -> None:
        self._pages: dict[int, array[int]] = {}

    def find(self, number: int) -> int:
        """The line of the first occurrence; 0 if there was none."""
        page = self._pages.get(number // _PAGE)
        return page[number % _PAGE] if page else 0

    def add(self, number: int, line: int) -> None:
        """Remember that a number occurred in a line."""
        page = self._pages.get(number // _PAGE)
        if page is None:
            page = self._pages[number // _PAGE] = array("L", bytes(_PAGE * array("L").itemsize))
        page[number % _PAGE] = line
