"""A table as an XLSX file. Large ones are written in a process of their own."""

import tempfile
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec

from masthead.services.child_process import run_on_file
from masthead.temporary_files import TemporaryFile

MAX_ROWS = 2**20 - 1  # of a sheet, without the row with the titles


class _Number(msgspec.Struct, tag="number", array_like=True):
    """A decimal number, with as many decimals as its text has."""

    text: str


class _Day(msgspec.Struct, tag="day", array_like=True):
    day: date


class _Timestamp(msgspec.Struct, tag="moment", array_like=True):
    moment: datetime


_Cell = int | bool | str | None | _Number | _Day | _Timestamp
_Row = list[_Cell]


async def write_table(
    account_id: int,
    title: str,
    headings: Sequence[str],
    columns: Sequence[str],
    parts: AsyncIterator[Sequence[Mapping[str, Any]]],
) -> TemporaryFile:
    """A workbook with rows by column name: numbers, days, moments, yes or no, and texts.

    Moments have no time zone in a workbook, so they must be those of the reader.

    title: of its sheet. A sheet holds a million rows; the rest is in further sheets. The rows wait
    in a file, so no process waits for the database. Memory: constant.

    Raises: Invalid if it takes too much memory or time; Busy.
    """
    encoder, target = msgspec.json.Encoder(), TemporaryFile(".xlsx")
    with tempfile.TemporaryDirectory(prefix="masthead-") as folder:
        path = Path(folder) / "rows"
        with path.open("wb") as stream:
            async for rows in parts:
                cells = [[_cell(row[name]) for name in columns] for row in rows]
                stream.write(encoder.encode_lines(cells))
        size = path.stat().st_size
        task = write_workbook, path, target, title, list(headings)
        await run_on_file(*task, account_id=account_id, size=size)
    return target


def _cell(value: object) -> _Cell:
    match value:
        case None | bool() | int():
            return value
        case Decimal():
            return _Number(str(value))
        case datetime():
            return _Timestamp(value.replace(tzinfo=None, microsecond=0))
        case date():
            return _Day(value)
    return str(value)


def write_workbook(path: Path, target: TemporaryFile, title: str, headings: Sequence[str]) -> None:
    """Write a workbook with the rows in a file, each of which is a line of JSON.

    Its temporary files are beside the rows. It blocks.
    """
    decoder = msgspec.json.Decoder(_Row)
    options = {
        "constant_memory": True,
        "tmpdir": str(path.parent),
        "strings_to_formulas": False,
        "strings_to_numbers": False,
        "strings_to_urls": False,
    }
    with path.open("rb") as lines, _open(target.path, options) as workbook:
        _write_sheets(workbook, title, headings, map(decoder.decode, lines))


def _open(path: Path, options: Mapping[str, object]) -> Any:
    """A new workbook. Its library loads slowly, and few processes need it."""
    return import_module("xlsxwriter").Workbook(path, options)


def _write_sheets(workbook: Any, title: str, headings: Sequence[str], rows: Iterable[_Row]) -> None:
    write = _writers(workbook)
    sheet, line = _add_sheet(workbook, title, headings), 0
    for row in rows:
        if line == MAX_ROWS:
            name = f"{title} {len(workbook.worksheets()) + 1}"
            sheet, line = _add_sheet(workbook, name, headings), 0
        line += 1
        for column, value in enumerate(row):
            if value is not None and value != "":
                write[type(value)](sheet, line, column, value)


def _writers(workbook: Any) -> dict[type, Callable[[Any, int, int, Any], None]]:
    """How each type of value is written. Excel shows days and booleans in its own language."""
    text = workbook.add_format({"num_format": "@"})
    day = workbook.add_format({"num_format": 14})  # the short date of the computer
    moment = workbook.add_format({"num_format": 22})  # and with the time

    @cache
    def decimals(count: int) -> Any:
        return workbook.add_format({"num_format": f"0.{'0' * count}" if count else "0"})

    def write_number(sheet: Any, line: int, column: int, value: _Number) -> None:
        count = len(value.text.partition(".")[2])
        sheet.write_number(line, column, float(value.text), decimals(count))

    return {
        bool: lambda sheet, line, column, value: sheet.write_boolean(line, column, value),
        int: lambda sheet, line, column, value: sheet.write_number(line, column, value),
        str: lambda sheet, line, column, value: sheet.write_string(line, column, value, text),
        _Number: write_number,
        _Day: lambda sheet, line, column, value: sheet.write_datetime(line, column, value.day, day),
        _Timestamp: lambda sheet, line, column, value: sheet.write_datetime(
            line, column, value.moment, moment
        ),
    }


def _add_sheet(workbook: Any, name: str, headings: Sequence[str]) -> Any:
    sheet = workbook.add_worksheet(name)
    sheet.set_column(0, len(headings) - 1, 20)
    sheet.freeze_panes(1, 0)
    bold = workbook.add_format({"bold": True})
    for column, heading in enumerate(headings):
        sheet.write_string(0, column, heading, bold)
    return sheet
