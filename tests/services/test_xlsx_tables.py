"""Tables as workbooks: their cells, their sheets, and the process that writes large ones."""

import asyncio
import os
import zipfile
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from python_calamine import CalamineWorkbook

from masthead.services import xlsx_tables
from masthead.services.xlsx_tables import write_table
from masthead.temporary_files import TemporaryFile
from tests.support.waiting import until

Row = dict[str, object]


async def write(rows: Sequence[Row]) -> TemporaryFile:
    async def parts() -> AsyncIterator[Sequence[Row]]:
        yield rows[:3]
        yield rows[3:]

    return await write_table(1, "Names", ["Name", "Copies"], ["name", "copies"], parts())


def sheets_of(file: TemporaryFile) -> list[list[list[Any]]]:
    book = CalamineWorkbook.from_path(file.path)
    return [sheet.to_python() for sheet in map(book.get_sheet_by_name, book.sheet_names)]


def children() -> set[str]:
    """The processes that this one has started."""
    return set(Path(f"/proc/self/task/{os.getpid()}/children").read_text().split())


async def test_a_table_goes_on_in_another_sheet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xlsx_tables, "MAX_ROWS", 2)
    texts = ["=cmd()", "line\nline", None, "0042", "\u202eAda"]
    found = sheets_of(await write([{"name": text, "copies": 7} for text in texts]))
    head = ["Name", "Copies"]
    assert found == [
        [head, ["=cmd()", 7], ["line\nline", 7]],
        [head, ["", 7], ["0042", 7]],
        [head, ["\u202eAda", 7]],
    ]
    assert sheets_of(await write([])) == [[head]]


async def test_numbers_days_and_booleans_are_values_not_texts() -> None:
    moment = datetime(2026, 2, 1, 9, 30, tzinfo=UTC)
    values: list[Any] = [Decimal("-48.50"), date(2026, 2, 1), True, moment, 7]
    file = await write([{"name": value, "copies": None} for value in values])
    [[_head, *rows]] = sheets_of(file)
    assert [row[0] for row in rows] == [-48.5, values[1], True, moment.replace(tzinfo=None), 7]
    with zipfile.ZipFile(file.path) as book:
        assert 'formatCode="0.00"' in book.read("xl/styles.xml").decode()


@pytest.mark.parametrize("rows, starts", [(10, False), (10_000, True)])
async def test_a_large_table_is_written_in_a_process_that_ends_with_its_caller(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows: int, *, starts: bool
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    before = children()
    writing = asyncio.create_task(write([{"name": "Ada Byron", "copies": 1}] * rows))
    await until(lambda: writing.done() or children() != before)
    assert writing.done() is not starts
    writing.cancel()
    await asyncio.wait([writing])
    assert children() == before
    assert "rows" not in {name for _, _, names in os.walk(tmp_path) for name in names}
