"""Workbooks of Excel and LibreOffice become tables; a harmful or broken one a sentence."""

import io
import resource
import sys
import zipfile
from collections.abc import Mapping, Sequence
from datetime import date, datetime, time, timedelta
from pathlib import Path

import pytest
import xlsxwriter

from masthead.model.errors import Invalid
from masthead.model.imports.archives import ODS_TYPE, check_size, memory_limit
from masthead.services.imports import workbook, workbook_rows
from masthead.services.imports.table import Line, Table, open_table

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)
ODS_HEAD = """<?xml version="1.0"?><office:document-content
 xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
 xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"
 xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"
 office:version="1.2"><office:body><office:spreadsheet>"""
ODS_END = "</office:spreadsheet></office:body></office:document-content>"


def xlsx(sheets: Mapping[str, Sequence[Sequence[object]]], hidden: str = "") -> bytes:
    """A workbook with those rows."""
    target = io.BytesIO()
    with xlsxwriter.Workbook(target, {"default_date_format": "dd/mm/yy hh:mm:ss"}) as book:
        for name, rows in sheets.items():
            sheet = book.add_worksheet(name)
            if name == hidden:
                sheet.hide()
            for number, values in enumerate(rows):
                sheet.write_row(number, 0, values)
    return target.getvalue()


def archive(**entries: bytes) -> bytes:
    """A ZIP archive. entries: `__` in a name is a slash, `_` a dot."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in entries.items():
            packed.writestr(name.replace("__", "/").replace("_", "."), content)
    return target.getvalue()


def ods(*sheets: tuple[str, str]) -> bytes:
    """An OpenDocument spreadsheet. sheets: the name of each, and the XML of its rows."""
    tables = "".join(
        f'<table:table table:name="{name}">{rows}</table:table>' for name, rows in sheets
    )
    manifest = b'<?xml version="1.0"?><manifest:manifest xmlns:manifest="urn:x"/>'
    content = f"{ODS_HEAD}{tables}{ODS_END}".encode()
    return archive(mimetype=ODS_TYPE, content_xml=content, **{"META-INF__manifest_xml": manifest})


def ods_row(*texts: str) -> str:
    """The XML of a row."""
    cells = "".join(
        f'<table:table-cell office:value-type="string"><text:p>{text}</text:p></table:table-cell>'
        for text in texts
    )
    return f"<table:table-row>{cells}</table:table-row>"


def table_of(path: Path, content: bytes, sheet: str | None = None) -> Table:
    """The table in a file with that content."""
    path.write_bytes(content)
    return open_table(path, name="orders.xlsx", sheet=sheet)


def refusal(path: Path, content: bytes, sheet: str | None = None) -> str:
    """The error for a file with that content."""
    with pytest.raises(Invalid) as refused:
        table_of(path, content, sheet)
    return str(refused.value)


def test_a_sheet_is_read_like_a_csv_file(path: Path) -> None:
    rows: list[list[object]] = [
        ["Orders of July"],
        [],
        ["Id", " Full\nname ", "Price", "", "Paid"],
        [1, "Ada", 12.5, "x", True],
        [],
        [2, "Bob"],
        ["Total", "", 12.5],
    ]
    table = table_of(path, xlsx({"Sheet 1": rows}))
    assert table.columns == ("Id", "Full name", "Price", "Column 4", "Paid")
    assert (
        table.description == "Read as an Excel workbook, sheet `Sheet 1`, column names in line 3."
    )
    assert table.notes == (
        "Line 1 is a title and is left out.",
        "Line 7 has totals and is left out.",
    )
    expected = [
        Line(4, ["1", "Ada", "12.5", "x", "TRUE"]),
        Line(6, ["2", "Bob", "", "", ""]),
    ]
    assert list(table.lines()) == list(table.lines()) == expected
    assert (table.separator, table.row_count, table.sheets) == (",", 2, ("Sheet 1",))


def test_an_opendocument_spreadsheet_is_read(path: Path) -> None:
    rows = ods_row("Id", "City") + ods_row("1", "Zürich")
    table = table_of(path, ods(("Orders", rows), ("More", rows)))
    assert table.columns == ("Id", "City")
    assert list(table.lines()) == [Line(2, ["1", "Zürich"])]
    assert "Read as an OpenDocument spreadsheet, sheet `Orders`" in table.description


def test_the_first_visible_sheet_with_rows_is_read_or_the_chosen_one(path: Path) -> None:
    sheets: dict[str, list[list[object]]] = {
        name: [["a", "b"], [name, 1]] for name in ("Hidden", "July", "August")
    }
    content = xlsx({"Empty": list[list[object]](), **sheets}, hidden="Hidden")
    table = table_of(path, content)
    assert next(table.lines()).cells == ["July", "1"]
    assert table.sheets == ("July", "August", "Hidden")
    assert table.notes == (
        "The workbook has other sheets with rows, which are not read: `August`, `Hidden`.",
    )
    assert next(table_of(path, content, "August").lines()).cells == ["August", "1"]
    told = refusal(path, content, "Empty")
    assert told == (
        "The workbook has no sheet `Empty` with rows. Use one of these: `July`, `August`, `Hidden`."
    )
    assert "has no sheet `xxx" in refusal(path, content, "x" * 200_000)


@pytest.mark.parametrize(
    "value, text",
    [
        (12.0, "12"),
        (0.1 + 0.2, "0.3"),
        (447700900123.0, "447700900123"),
        (True, "TRUE"),
        (False, "FALSE"),
        (7, "7"),
        ("00123", "00123"),
        (date(2016, 7, 14), "2016-07-14"),
        (datetime(2016, 7, 14), "2016-07-14"),  # noqa: DTZ001 - workbooks know no zones
        (datetime(2016, 7, 14, 14, 3, 11), "2016-07-14 14:03:11"),  # noqa: DTZ001
        (datetime(2016, 7, 14, 14, 3, 10, 999_999), "2016-07-14 14:03:11"),  # noqa: DTZ001
        (time(14, 3), "14:03:00"),
        (timedelta(hours=30), "1 day, 6:00:00"),
    ],
)
def test_values_become_texts_as_people_see_them(value: workbook_rows.Value, text: str) -> None:
    assert workbook_rows.text_of(value) == text


def test_the_process_writes_the_rows_and_what_it_found(
    path: Path,
    tmp_path: Path,
    capsysbinary: pytest.CaptureFixture[bytes],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path.write_bytes(xlsx({"Empty": [], "A": [["a"], [1]], "B": [["b"], ["x" * 40]]}))
    target = tmp_path / "rows.csv"
    supervised = list[bool]()
    monkeypatch.setattr(workbook_rows, "follow_supervisor", lambda: supervised.append(True))
    monkeypatch.setattr(resource, "setrlimit", lambda *limit: None)
    monkeypatch.setattr(sys, "argv", ["", str(path), str(target), "1000", "B"])
    workbook_rows.main()
    assert supervised == [True]
    assert capsysbinary.readouterr().out == (
        b'{"error":"","sheets":["A","B"],"sheet":"B","line":0,"day_zero":null}'
    )
    assert target.read_text() == f"b\n{'x' * 40}\n"
    monkeypatch.setattr(workbook_rows, "MAX_CELL", 39)
    found = workbook_rows.read_sheet(path, "B", io.StringIO())
    assert (found.error, found.line) == ("long cell", 2)
    assert workbook_rows.read_sheet(path, "C", io.StringIO()).error == "no sheet"
    path.write_bytes(xlsx({"A": []})[:-200])
    assert workbook_rows.read_sheet(path, None, io.StringIO()).error == "damaged"


def _bomb(rows: int, columns: int) -> bytes:
    """A small workbook whose table would fill the memory."""
    target = io.BytesIO()
    with xlsxwriter.Workbook(target) as book:
        sheet = book.add_worksheet()
        sheet.write(0, 0, "a")
        sheet.write(rows - 1, columns - 1, "b")
    return target.getvalue()


@pytest.mark.parametrize(
    "content, told",
    [
        (OLE + "Workbook".encode("utf-16-le"), "is a workbook of Excel 97"),
        (OLE + "EncryptedPackage".encode("utf-16-le"), "is protected by a password"),
        (OLE + "WordDocument".encode("utf-16-le"), "is an old Word document"),
        (xlsx({"A": [["a"], [1]]})[:-300], "part of it is missing"),
        (b"PK\x03\x04" + bytes(40), "part of it is missing"),
        (archive(xl__workbook_xml=b"<broken"), "is damaged"),
        (archive(xl__workbook_bin=b""), "is a binary Excel workbook (.xlsb)"),
        (archive(Index__Document_iwa=b""), "is a document of Apple Numbers"),
        (archive(word__document_xml=b""), "is a document without a table"),
        (archive(mimetype=b"application/vnd.oasis.opendocument.text"), "without a table"),
        (archive(**{"folder__": b"", "orders_csv": b""}), "is a ZIP archive. Unpack it"),
        (archive(README_txt=b"", csv__account_csv=b""), "inside, such as `csv/account.csv`"),
        (archive(a_csv=b"", csv__orders_csv=b""), "inside, such as `csv/orders.csv`"),
        (archive(xl__workbook_xml=b"", bomb=bytes(60_000_000)), "would take 60 MB"),
        (xlsx({"A": [], "B": []}), "The workbook is empty"),
        (xlsx({"A": [["Id", "Name"]]}), "names in row 1, but no rows below"),
        (ods(("A", ods_row("a", "b") + ods_row("x" * 140_000))), "A cell in row 2 has more than"),
    ],
)
def test_a_file_that_is_no_table_is_refused_with_a_way_out(
    path: Path, content: bytes, told: str
) -> None:
    assert told in refusal(path, content)


@pytest.mark.parametrize(
    "rows, columns, told",
    [
        (1_048_576, 16_384, "needs too much memory or time"),
        (1_048_576, 60, "more than 1,024 MB, or 5 minutes. Save the sheet as CSV UTF-8"),
        (3, 501, "has 501 columns"),
    ],
)
def test_a_small_workbook_with_a_large_table_is_refused(
    path: Path, rows: int, columns: int, told: str
) -> None:
    assert told in refusal(path, _bomb(rows, columns))


def test_the_empty_cells_of_formatted_columns_and_rows_do_not_count(path: Path) -> None:
    """LibreOffice writes them if a whole sheet is formatted: 16,384 cells in 1,048,576 rows."""
    empty = '<table:table-cell table:style-name="ce1" table:number-columns-repeated="{}"/>'
    filled = "".join(
        ods_row(*texts).replace("</table:table-row>", empty.format(16_382) + "</table:table-row>")
        for texts in (("Id", "Name"), ("1", "Ada"))
    )
    rows = '<table:table-row table:number-rows-repeated="{}">{}</table:table-row>'
    below = rows.format(1_048_573, empty.format(16_384)) + rows.format(1, empty.format(16_384))
    table = table_of(path, ods(("A", filled + below)))
    assert (table.columns, table.row_count) == (("Id", "Name"), 1)


@pytest.mark.usefixtures("in_this_process")
@pytest.mark.parametrize("entity", ['"secret"', 'SYSTEM "file:///etc/hostname"'])
def test_a_workbook_that_uses_its_own_entities_is_refused(path: Path, entity: str) -> None:
    rows = ods_row("Id", "Name") + ods_row("1", "&own;")
    content = ODS_HEAD.replace("?><", f"?><!DOCTYPE x [<!ENTITY own {entity}>]><", 1)
    sheet = f'{content}<table:table table:name="A">{rows}</table:table>{ODS_END}'
    manifest = b'<?xml version="1.0"?><manifest:manifest xmlns:manifest="urn:x"/>'
    entries = {"content_xml": sheet.encode(), "META-INF__manifest_xml": manifest}
    assert "is damaged" in refusal(path, archive(mimetype=ODS_TYPE, **entries))


def test_filled_cells_far_from_all_others_need_too_much_memory(path: Path) -> None:
    empty = '<table:table-row table:number-rows-repeated="1048574"><table:table-cell/>'
    far = empty + "</table:table-row>"
    wide = '<table:table-cell table:number-columns-repeated="16382"/><table:table-cell'
    first = ods_row("Id", "Name").replace("<table:table-cell", wide, 1)
    told = refusal(path, ods(("A", first + far + ods_row("1", "Ada"))))
    assert "needs too much memory or time" in told


def test_a_workbook_that_the_process_cannot_read_is_refused(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = xlsx({"A": [["a"], [1]]})
    monkeypatch.setattr(workbook, "MODULE", "masthead.no_such_module")
    assert "is damaged" in refusal(path, content)

    def load(path: Path) -> None:
        raise MemoryError

    monkeypatch.setattr("python_calamine.load_workbook", load)
    assert workbook_rows.read_sheet(path, None, io.StringIO()).error == "memory"


@pytest.mark.parametrize(
    "unpacked, most, limit", [(0, 4, 1), (1, 4, 3.5), (2, 4, 4), (2, 3, 3), (2, 1, 1)]
)
def test_a_workbook_may_take_memory_by_its_size(unpacked: int, most: int, limit: float) -> None:
    assert memory_limit(unpacked * 1024**3, most * 1024**3) == limit * 1024**3


def test_a_protected_spreadsheet_is_refused(path: Path) -> None:
    manifest = b"""<?xml version="1.0"?><manifest:manifest
        xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><manifest:file-entry
        manifest:full-path="content.xml"><manifest:encryption-data></manifest:encryption-data></manifest:file-entry>
        </manifest:manifest>"""
    content = archive(mimetype=ODS_TYPE, content_xml=b"x", **{"META-INF__manifest_xml": manifest})
    assert "protected by a password" in refusal(path, content)


@pytest.mark.parametrize(
    "packed, unpacked, is_refused",
    [
        (50_000_000, 1_500_000_000, False),
        (1_000, 10_000_000, False),
        (1_000_000, 900_000_000, True),
        (90_000_000, 3_000_000_000, True),
    ],
)
def test_a_zip_bomb_is_known_by_its_sizes(packed: int, unpacked: int, is_refused: bool) -> None:
    if is_refused:
        with pytest.raises(Invalid, match="which is too much"):
            check_size(packed, unpacked)
    else:
        check_size(packed, unpacked)


@pytest.mark.parametrize("sheets, is_refused", [(500, False), (2_000, True)])
def test_an_archive_of_very_many_entries_is_refused(
    path: Path, sheets: int, is_refused: bool
) -> None:
    names = {f"xl__worksheets__sheet{number}_xml": b"" for number in range(sheets)}
    message = "too many parts" if is_refused else "damaged"
    assert message in refusal(path, archive(xl__workbook_xml=b"x", **names))
