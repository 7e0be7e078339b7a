"""The process that reads a sheet of a workbook: it writes its rows as CSV, and what it found.

A small workbook can need any amount of memory. So a process of its own with a limit reads it.
"""

import csv
import sys
import zipfile
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, TextIO
from xml.parsers.expat import ExpatError

import msgspec
from msgspec import Struct

from masthead.lazy_modules import LazyModule
from masthead.services.imports.workbook_formats import codes_of, day_zero_of
from masthead.supervision import follow_supervisor, limit_resources

if TYPE_CHECKING:
    import python_calamine as calamine
else:
    calamine = LazyModule("python_calamine")


MAX_SECONDS = 300  # of the processor
MAX_CELL = csv.field_size_limit()  # characters
_CELL_LIMIT = "Cell limit exceeded"  # of an OpenDocument sheet, before it takes memory

Value = int | float | str | bool | time | date | datetime | timedelta


class SheetFound(Struct, frozen=True):
    """What the process writes to its standard output.

    error: "damaged", "no sheet", "long cell", "memory", or empty. sheets: the names of the sheets
    that have rows. sheet: the one that was read. Its first row is the first record of the file.
    line: of the cell that is too long. day_zero: what the number 0 is as a date; None if it is as
    in most workbooks.
    """

    error: str = ""
    sheets: tuple[str, ...] = ()
    sheet: str = ""
    line: int = 0
    day_zero: date | None = None


def read_sheet(path: Path, wanted: str | None, target: TextIO) -> SheetFound:
    """Write the rows of a sheet as CSV. wanted: its name; None for the first one with rows."""
    try:
        book = calamine.load_workbook(path)
        chosen: calamine.CalamineSheet | None = None
        filled = []
        for name in _visible_first(book):
            sheet = book.get_sheet_by_name(name)
            if sheet.height:
                filled.append(name)
                if chosen is None and wanted in (None, name):
                    chosen = sheet
        if chosen is None:
            return SheetFound("no sheet", tuple(filled))
        writer = csv.writer(target, lineterminator="\n")
        shift = chosen.start[1] if chosen.start else 0  # the rows begin with the first column
        day_zero = day_zero_of(path)
        codes = codes_of(path, chosen.name)
        number_with_codes, found = next(codes, (0, dict[int, str]()))
        for number, values in enumerate(chosen.iter_rows(), 1):
            cells = [text_of(value) for value in values]
            if number == number_with_codes:
                cells = [found.get(column, cell) for column, cell in enumerate(cells, shift)]
                number_with_codes, found = next(codes, (0, {}))
            if any(len(cell) > MAX_CELL for cell in cells):
                return SheetFound("long cell", tuple(filled), chosen.name, number)
            writer.writerow(cells)
    except calamine.CalamineError as reason:
        return SheetFound("memory" if _CELL_LIMIT in str(reason) else "damaged")
    except (ExpatError, zipfile.BadZipFile):
        return SheetFound("damaged")
    except MemoryError:
        return SheetFound("memory")
    return SheetFound("", tuple(filled), chosen.name, day_zero=day_zero)


def _visible_first(book: "calamine.CalamineWorkbook") -> list[str]:
    """The names of the sheets with cells, hidden ones last."""
    sheets = [
        sheet for sheet in book.sheets_metadata if sheet.typ is calamine.SheetTypeEnum.WorkSheet
    ]
    sheets.sort(key=lambda sheet: sheet.visible is not calamine.SheetVisibleEnum.Visible)
    return [sheet.name for sheet in sheets]


def text_of(value: Value) -> str:
    """The text of a cell as people see it."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else format(value, ".15g")
    if isinstance(value, datetime):
        if value.microsecond:  # Excel stores parts of days as fractions
            value += timedelta(microseconds=500_000)
        text = f"{value:%Y-%m-%d %H:%M:%S}"
        return text.removesuffix(" 00:00:00")
    return str(value)


def main() -> None:
    """Read the sheet of a workbook.

    Arguments: its path, the file to write, the bytes of memory that it may take, the sheet.
    """
    follow_supervisor()
    path, target, memory, *wanted = sys.argv[1:]
    limit_resources(int(memory), MAX_SECONDS)
    with Path(target).open("w", encoding="utf-8", newline="") as stream:
        found = read_sheet(Path(path), wanted[0] if wanted else None, stream)
    sys.stdout.buffer.write(msgspec.json.encode(found))


if __name__ == "__main__":  # pragma: no cover - in its own process
    main()
