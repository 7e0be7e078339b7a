"""A table as an XLSX file. Large ones are written in a process of their own."""

import tempfile
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec

from masthead.services.child_process import run_on_file
from masthead.temporary_files import TemporaryFile

MAX_ROWS = 2**20 - 1  # of a sheet, without the row with the titles

_Row = list[int | str | None]


async def write_table(
    account_id: int,
    title: str,
    headings: Sequence[str],
    columns: Sequence[str],
    parts: AsyncIterator[Sequence[Mapping[str, Any]]],
) -> TemporaryFile:
    """A workbook with rows by column name. All cells are texts except whole numbers.

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


def _cell(value: object) -> int | str | None:
    return value if value is None or type(value) is int else str(value)


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
    text = workbook.add_format({"num_format": "@"})
    sheet, line = _add_sheet(workbook, title, headings), 0
    for row in rows:
        if line == MAX_ROWS:
            name = f"{title} {len(workbook.worksheets()) + 1}"
            sheet, line = _add_sheet(workbook, name, headings), 0
        line += 1
        for column, value in enumerate(row):
            if isinstance(value, int):
                sheet.write_number(line, column, value)
            elif value:
                sheet.write_string(line, column, value, text)


def _add_sheet(workbook: Any, name: str, headings: Sequence[str]) -> Any:
    sheet = workbook.add_worksheet(name)
    sheet.set_column(0, len(headings) - 1, 20)
    sheet.freeze_panes(1, 0)
    bold = workbook.add_format({"bold": True})
    for column, heading in enumerate(headings):
        sheet.write_string(0, column, heading, bold)
    return sheet
