"""Tables as workbooks: their cells, their sheets, and when their bytes come."""

import io
import zipfile
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from itertools import pairwise
from typing import Any

import pytest
from python_calamine import CalamineWorkbook

from masthead.services import xlsx_tables
from masthead.services.xlsx_tables import stream_table

Row = dict[str, object]


def stream(parts: AsyncIterator[Sequence[Row]]) -> AsyncIterator[bytes]:
    return stream_table("Names", ["Name", "Copies"], ["name", "copies"], parts)


async def write(rows: Sequence[Row]) -> io.BytesIO:
    async def parts() -> AsyncIterator[Sequence[Row]]:
        yield rows[:3]
        yield rows[3:]

    return io.BytesIO(b"".join([part async for part in stream(parts())]))


def sheets_of(file: io.BytesIO) -> list[list[list[Any]]]:
    file.seek(0)
    book = CalamineWorkbook.from_filelike(file)
    return [sheet.to_python() for sheet in map(book.get_sheet_by_name, book.sheet_names)]


async def test_a_table_goes_on_in_another_sheet(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["=cmd()", "line\nline", None, "0042", "\u202eAda"]
    head = ["Name", "Copies"]
    rows = [[text or "", 7] for text in texts]
    for limit, most, sheets in (
        ("MAX_ROWS", 2, [rows[:2], rows[2:4], rows[4:]]),
        ("MAX_BYTES", 1, [[row] for row in rows]),
    ):
        with monkeypatch.context() as changed:
            changed.setattr(xlsx_tables, limit, most)
            file = await write([{"name": text, "copies": 7} for text in texts])
        assert sheets_of(file) == [[head, *each] for each in sheets]
    assert sheets_of(await write([])) == [[head]]


async def test_excel_marks_no_text_of_digits_as_a_mistake() -> None:
    file = await write([{"name": "01067", "copies": 1}, {"name": "00184", "copies": 2}])
    with zipfile.ZipFile(file) as book:
        sheet = book.read("xl/worksheets/sheet1.xml").decode()
    assert '</sheetData><ignoredErrors><ignoredError sqref="A1:B3" numberStoredAsText="1"' in sheet


async def test_numbers_days_and_booleans_are_values_not_texts() -> None:
    moment = datetime(2026, 2, 1, 9, 30, tzinfo=UTC)
    values: list[Any] = [Decimal("-48.50"), date(2026, 2, 1), True, moment, 7, Decimal("3.1")]
    file = await write([{"name": value, "copies": None} for value in values])
    [[_head, *rows]] = sheets_of(file)
    assert [row[0] for row in rows] == [
        *(-48.5, values[1], True),
        *(moment.replace(tzinfo=None), 7, 3.1),
    ]
    with zipfile.ZipFile(file) as book:
        styles = book.read("xl/styles.xml").decode()
        assert styles.index('formatCode="0.00"') < styles.index('formatCode="0.0"')
        assert all(each.extra == b"" for each in book.infolist())  # no ZIP64


async def test_texts_that_xml_cannot_have_are_written_as_excel_reads_them() -> None:
    texts = ["a\x1bb", "_x001B_", "<&>\"'", " two  spaces ", "x" * 40_000]
    file = await write([{"name": text, "copies": None} for text in texts])
    with zipfile.ZipFile(file) as book:
        sheet = book.read("xl/worksheets/sheet1.xml").decode()
    assert ">a_x001B_b<" in sheet
    assert ">_x005F_x001B_<" in sheet
    [[_head, *rows]] = sheets_of(file)
    assert [row[0] for row in rows][2:] == ["<&>\"'", " two  spaces ", "x" * 32_767]


async def test_columns_have_the_names_of_spreadsheets() -> None:
    names = [xlsx_tables._letters(number) for number in (0, 25, 26, 51, 52, 701, 702)]
    assert names == ["A", "Z", "AA", "AZ", "BA", "ZZ", "AAA"]


async def test_bytes_come_while_rows_are_read() -> None:
    read = 0

    async def parts() -> AsyncIterator[Sequence[Row]]:
        nonlocal read
        while read < 1000:
            read += 1
            yield [{"name": f"Ada {read * 7919 % 1009} {n * read}", "copies": n} for n in range(50)]

    at_part = [read async for _part in stream(parts())]
    assert at_part[0] == 0, "the first bytes come before the first row"
    assert at_part[1] < 50
    assert max(later - earlier for earlier, later in pairwise(at_part)) < 100
