"""Workbooks: all addresses as text, no formulas, and a sheet of totals."""

import io
from xml.etree import ElementTree as ET
from zipfile import ZipFile

import pytest
from msgspec.structs import replace

from masthead.model.dispatch.built_in_profiles import BUILT_IN, columns_of
from masthead.model.dispatch.fitting import AddressSpace, Shortening
from masthead.model.dispatch.profiles import FileField, FileFormat
from masthead.model.errors import Invalid
from masthead.services import xlsx_tables
from masthead.services.dispatch import profiles
from tests.conftest import BY, Cast
from tests.support.dispatch_files import build, freeze_run

XLSX = FileFormat.XLSX
MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


def sheets_of(content: bytes) -> dict[str, list[list[str]]]:
    """The rows of each sheet, by its name; a number begins with `n:`."""
    found: dict[str, list[list[str]]] = {}
    with ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
        book = ET.fromstring(archive.read("xl/workbook.xml"))  # noqa: S314 - our own file
        names = [sheet.attrib["name"] for sheet in book.iter(f"{MAIN}sheet")]
        for number, name in enumerate(names, 1):
            sheet = ET.fromstring(archive.read(f"xl/worksheets/sheet{number}.xml"))  # noqa: S314
            assert not list(sheet.iter(f"{MAIN}f"))  # no formulas
            found[name] = [
                [text_of(cell) for cell in row.iter(f"{MAIN}c")] for row in sheet.iter(f"{MAIN}row")
            ]
    return found


def text_of(cell: ET.Element) -> str:
    if cell.attrib.get("t") == "inlineStr":
        return "".join(cell.itertext())
    return f"n:{''.join(cell.itertext())}"


async def test_a_workbook_has_the_addresses_as_text_and_the_totals(acme: Cast) -> None:
    run = await freeze_run(
        acme,
        {"first_name": "=1+1", "postcode": "01067", "city": "'Ort", "company": "A & <B>"},
        {"first_name": "Cy", "medium": "Digital", "postcode": "01000"},
    )
    file, content = await build(acme, run, XLSX)
    sheets = sheets_of(content)
    header, row = sheets["Addresses"]
    assert header[:3] == ["sequence", "key", "subscriber_id"]
    assert row[0] == "n:1"  # the Digital copy comes after the printed ones
    assert row[1].startswith("#")
    assert {"=1+1", "01067", "'Ort", "A & <B>"} <= set(row)
    totals = dict(sheets["Totals"])
    assert totals["Run id"] == run.id
    assert totals["Fingerprint"] == run.fingerprint
    assert totals["Lines"] == "n:1"
    assert totals["Digital, not in this file"] == "n:1"
    assert totals["Countries: DE"] == "n:1"
    assert (file.lines, file.bytes) == (1, len(content))


async def test_more_lines_than_a_sheet_can_hold_are_in_further_sheets(
    acme: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(xlsx_tables, "MAX_ROWS", 2)
    run = await freeze_run(acme, *[{"first_name": "Ada"}] * 5)
    _, content = await build(acme, run, XLSX)
    sheets = sheets_of(content)
    assert [len(rows) - 1 for rows in list(sheets.values())[:3]] == [2, 2, 1]
    assert list(sheets)[:4] == ["Addresses", "Addresses 2", "Addresses 3", "Totals"]


async def test_an_address_with_too_many_lines_stops_the_workbook(acme: Cast) -> None:
    run = await freeze_run(acme, {"first_name": "Ada", "company": "C", "address1": "S 1"})
    settings = replace(
        BUILT_IN["spreadsheet"].settings,
        columns=columns_of(FileField.ADDRESS_LINES),
        block=AddressSpace(lines=2, width=35, shortening=Shortening.NEVER),
    )
    own = await profiles.create_profile(
        acme.db, acme.account_id, name="Own", settings=settings, by=BY
    )
    with pytest.raises(Invalid, match="Line 1"):
        await build(acme, run, XLSX, own.id)
