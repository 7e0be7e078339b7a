"""Numbers that a workbook shows as codes keep their zeros and signs, and its first day is known."""

import io
import re
import zipfile
from collections.abc import Mapping
from datetime import date
from pathlib import Path

import pytest
import xlsxwriter

from masthead.services.imports.workbook_formats import codes_of
from masthead.services.imports.workbook_open_document import first_day
from masthead.services.imports.workbook_rows import read_sheet
from tests.services.imports.tables.test_workbooks import ods, ods_row, table_of, xlsx

LIBREOFFICE = Path(__file__).parents[3] / "files" / "imports" / "libreoffice.ods"


@pytest.mark.usefixtures("in_this_process")
def test_codes_keep_the_zeros_and_signs_that_people_see(path: Path) -> None:
    shown = [
        ("00000", 2134, "02134"),
        ("00000", 184, "00184"),
        ("00000", 28195, "28195"),
        ('"ORD-"00000', 17, "ORD-00017"),
        ("\\D\\-00000", 1067, "D-01067"),
        ("00000\\-0000", 21340123, "02134-0123"),
        ("[<=99999]00000;00000\\-0000", 2134, "02134"),
        ("[<=99999]00000;00000\\-0000", 21340123, "02134-0123"),
        ('0000" "000000', 421123456, "0421 123456"),
        ('0#" "##" "##" "##" "##', 612345678, "06 12 34 56 78"),
        ('"+"0', 4942112345, "+4942112345"),
        ("###-####", 5551212, "5551212"),
        ("[Red]00000_);(00000)", 1067, "01067"),
        ("00000", -5, "-5"),
        ("00000", 12.5, "12.5"),
        ('"yes"0', 42, "42"),
        ("#,##0.00", 1234, "1234"),
        ("0%", 0.42, "0.42"),
        ("dd/mm/yyyy", 46027, "2026-01-05"),
        ("00.00", 7, "7"),
    ]
    target = io.BytesIO()
    with xlsxwriter.Workbook(target) as book:
        sheet = book.add_worksheet("A")
        sheet.write_row(2, 1, ["format", "code"])
        for number, (code, value, _text) in enumerate(shown, 3):
            sheet.write_row(number, 1, [code])
            sheet.write_number(number, 2, value, book.add_format({"num_format": code}))
    table = table_of(path, target.getvalue())
    assert [(code, text) for code, _value, text in shown] == [
        (line.cells[0], line.cells[1]) for line in table.lines()
    ]
    with zipfile.ZipFile(target) as packed:  # another program leaves out the places of cells
        parts = {name: packed.read(name) for name in packed.namelist()}
    entry = "xl/worksheets/sheet1.xml"
    parts[entry] = re.sub(rb' r="[BC]\d+"', b"", parts[entry]).replace(b"B3:C23", b"A3:B23")
    parts["xl/styles.xml"] = parts["xl/styles.xml"].replace(b'"00000"', b'"D-00000"')
    assert [text for _row, texts in codes_of_parts(path, parts) for text in texts.values()][:2] == [
        *("D-02134", "D-00184")
    ]


@pytest.mark.usefixtures("in_this_process")
def test_libreoffice_shows_the_same_codes_and_counts_from_1904_as_the_workbook_says(
    path: Path,
) -> None:
    table = table_of(path, LIBREOFFICE.read_bytes())
    shown = [
        *("02134", "28195", "ORD-00017", "2026-00017", "D-01067", "02134-0123", "02134"),
        *("02134-0123", "0421 123456", "+4942112345", "01067", "-5", "12.5", "42", "1234", "1234"),
        *("0.42", "2026-01-05", "7", "000  012", "44565"),
    ]
    assert [line.cells[1:] for line in table.lines()] == [
        [each, "00184", "00184"] for each in shown
    ]
    assert table.day_zero == date(1904, 1, 1)
    excel = io.BytesIO()
    with xlsxwriter.Workbook(excel, {"date_1904": True}) as book:
        book.add_worksheet().write_column(0, 0, ["Date", 44565])
    assert table_of(path, excel.getvalue()).day_zero == date(1904, 1, 1)
    assert table_of(path, xlsx({"A": [["Date"], [44565]]})).day_zero is None


def test_codes_of_rows_columns_and_repeated_cells_are_read(path: Path) -> None:
    def cell(value: int, shown: str, more: str = "") -> str:
        start = f'<table:table-cell office:value-type="float" office:value="{value}" {more}>'
        return f"{start}<text:p>{shown}</text:p></table:table-cell>"

    def number(name: str, digits: str, more: str = "") -> str:
        start = f'<number:number-style style:name="{name}"><number:number {digits}/>'
        return f"{start}{more}</number:number-style>"

    other = '<style:map style:condition="value()&gt;999" style:apply-style-name="N1"/>'
    sign = '<number:embedded-text number:position="2"> </number:embedded-text>'
    signs = number("N4", 'number:min-integer-digits="1"').replace("/>", f">{sign}</number:number>")
    styles = f"""<office:automatic-styles>
        {number("N1", 'number:min-integer-digits="1" number:grouping="true"')}
        {number("N2", 'number:min-integer-digits="4"', other)}
        {number("N3", 'number:min-integer-digits="4"')}
        {signs}
        <style:style style:name="signs" style:data-style-name="N4"/>
        <style:style style:name="mixed" style:data-style-name="N2"/>
        <style:style style:name="code" style:data-style-name="N3"/>
        <style:style style:name="child" style:parent-style-name="code"/>
        <style:style style:name="loop" style:parent-style-name="loop"/>
        </office:automatic-styles>"""
    repeated = 'table:number-columns-repeated="2"'
    head, row = ods_row("A", "B", "C", "D", "E"), "<table:table-row"
    rows = f"""{head}
        {row} table:number-rows-repeated="2" table:default-cell-style-name="child">
        {cell(7, "0007", repeated)}{cell(1234, "1,234", 'table:style-name="mixed"')}
        {cell(8, "###")}{cell(9, "9", 'table:style-name="loop"')}
        {cell(612, "06 12", 'table:style-name="signs"')}
        {cell(1612, "16 12", 'table:style-name="signs"')}</table:table-row>"""
    with zipfile.ZipFile(io.BytesIO(ods(("Other", head), ("A", rows)))) as packed:
        parts = {name: packed.read(name) for name in packed.namelist()}
    parts["content.xml"] = (
        parts["content.xml"]
        .decode()
        .replace("<office:body>", f"{styles}<office:body>")
        .replace(" office:version", ' xmlns:number="x:number" xmlns:style="x:style" office:version')
        .encode()
    )
    found = {0: "0007", 1: "0007", 5: "06 12"}
    assert codes_of_parts(path, parts) == [(2, found), (3, found)]


def codes_of_parts(path: Path, parts: Mapping[str, bytes]) -> list[tuple[int, dict[int, str]]]:
    """The codes in a workbook of those entries."""
    with zipfile.ZipFile(path, "w") as packed:
        for name, content in parts.items():
            packed.writestr(name, content)
    return list(codes_of(path, "A"))


def parts_of(content: bytes) -> dict[str, bytes]:
    """The entries of a workbook."""
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        return {name: packed.read(name) for name in packed.namelist()}


def test_a_workbook_without_codes_is_read_no_further(path: Path) -> None:
    unread = ods_row("A") + "<a broken end"
    parts = parts_of(ods(("A", ods_row("A"))))
    parts["content.xml"] = parts["content.xml"].replace(b"<table:table ", b"<x/>" * 300_000, 1)
    assert (
        codes_of_parts(path, parts | {"content.xml": parts["content.xml"] + unread.encode()}) == []
    )


def test_a_workbook_without_styles_has_no_codes(path: Path) -> None:
    parts = parts_of(xlsx({"A": [["Id"], [7]]}))
    del parts["xl/styles.xml"]
    assert codes_of_parts(path, parts) == []


def test_a_sheet_whose_place_is_not_said_has_no_codes(path: Path) -> None:
    parts = one_code()
    assert codes_of_parts(path, parts) == [(2, {0: "00007"})]
    parts["xl/_rels/workbook.xml.rels"] = b"<Relationships/>"
    assert codes_of_parts(path, parts) == []


def test_a_sheet_that_is_broken_after_its_rows_is_damaged(tmp_path: Path) -> None:
    parts, path = one_code(), tmp_path / "orders.xlsx"
    for end, error in ((b"</sheetData>", ""), (b"</sheetData><<", "damaged")):
        entry = "xl/worksheets/sheet1.xml"
        changed = parts | {entry: parts[entry].replace(b"</sheetData>", end)}
        with zipfile.ZipFile(path, "w") as packed:
            for name, content in changed.items():
                packed.writestr(name, content)
        assert read_sheet(path, None, io.StringIO()).error == error


def one_code() -> dict[str, bytes]:
    """The entries of a workbook with a cell that shows a code."""
    target = io.BytesIO()
    with xlsxwriter.Workbook(target) as book:
        sheet = book.add_worksheet("A")
        sheet.write(0, 0, "Id")
        sheet.write_number(1, 0, 7, book.add_format({"num_format": "00000"}))
    return parts_of(target.getvalue())


@pytest.mark.parametrize(
    "content, day",
    [
        ("<b>" + "<s/>" * 300_000 + "<null-date date-value='1904-01-01'/><table/>", "1904-01-01"),
        ("<b><null-date date-value='1899-12-30'/></b>", "1899-12-30"),
        ("<b></b>", None),
    ],
)
def test_the_first_day_of_a_spreadsheet_is_before_its_tables(content: str, day: str | None) -> None:
    found = first_day(io.BytesIO(content.encode()))
    assert found == (date.fromisoformat(day) if day else None)
