"""A table of any kind: a CSV file, or a sheet of a workbook."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from functools import partial
from pathlib import Path
from typing import Self

from msgspec import Struct, structs

# The cells of each line of an order, by the number of its first line
Corrections = Mapping[int, Sequence[list[str]]]
NO_CORRECTIONS: Corrections = {}


class Line(Struct, frozen=True):
    """A row of a table. number: of its first line in the file, from 1.

    cells: one for each column, and the cells that are too many, if any. problem: why the row cannot
    be used, in a sentence; or empty. remarks: sentences about cells that were repaired.
    """

    number: int
    cells: list[str]
    problem: str = ""
    remarks: tuple[str, ...] = ()


class Table(Struct, frozen=True):
    """A table that can be read. name: of its file.

    columns: the names of its columns, each one once. description: how the file is read, a sentence.
    notes: sentences about what was left out or renamed. separator: of the file; a comma for a
    workbook. row_count: approximately. sheets: the names of the sheets of a workbook with rows.
    read: gives the rows from the beginning. path: of the file, which another process can open.
    encoding: of a text file. is_cut: whether it ends in the middle of a character. day_zero: what
    the number 0 is as a date in a workbook; None if it is as in most. totals: how many rows have
    totals, and are left out.
    """

    name: str
    columns: tuple[str, ...]
    description: str
    notes: tuple[str, ...]
    separator: str
    row_count: int
    sheets: tuple[str, ...]
    read: Callable[[], Iterator[Line]]
    path: Path | None = None
    encoding: str | None = None
    day_zero: date | None = None
    is_cut: bool = False
    totals: int = 0

    def lines(self) -> Iterator[Line]:
        """The rows, from the beginning each time, without blank ones. Memory: constant.

        Each has at least as many cells as there are columns.
        """
        return self.read()


class FileLayout(Struct, frozen=True, kw_only=True):
    """How a file was read: the sentence that says so, its columns, separator, sheet and encoding.

    notes: sentences about lines that are left out, and so on. total: about how many rows it has.
    totals: how many more have totals: they are left out, and are in no count of an import.
    """

    description: str = ""
    notes: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    separator: str = ","
    sheet: str | None = None
    encoding: str | None = None
    total: int = 0
    totals: int = 0

    @classmethod
    def of(cls, table: Table, sheet: str | None, total: int) -> Self:
        """How a table is read. total: how many rows it has."""
        return cls(
            description=table.description,
            notes=table.notes,
            columns=table.columns,
            separator=table.separator,
            sheet=sheet,
            encoding=table.encoding,
            total=total,
            totals=table.totals,
        )

    def has_same_cells(self, other: "FileLayout") -> bool:
        """Whether the lines and the columns are the same if the file is read the other way."""
        names = ("columns", "separator", "sheet", "encoding")
        return all(getattr(self, name) == getattr(other, name) for name in names)


def correct_table(table: Table, corrections: Corrections) -> Table:
    """The table with corrected cells instead of those of the file."""
    if not corrections:
        return table
    return structs.replace(table, read=partial(_corrected_lines, table.read, corrections))


def _corrected_lines(
    read: Callable[[], Iterator[Line]], corrections: Corrections
) -> Iterator[Line]:
    corrected: Iterator[list[str]] = iter(())
    for line in read():
        if line.number in corrections:
            corrected = iter(corrections[line.number])
        cells = next(corrected, None)
        yield line if cells is None else Line(line.number, cells)
