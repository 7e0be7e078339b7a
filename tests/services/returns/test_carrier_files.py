"""The files of carriers are read as those of imports: any encoding, separator, and workbooks."""

from pathlib import Path

import pytest

from masthead.model.dispatch.copy_keys import key_of, printed
from masthead.model.errors import Invalid
from masthead.model.returns.columns import CarrierField
from masthead.model.returns.dates import read_date
from masthead.services.returns.carrier_files import CarrierFile, cell_of, inspect_file, read_rows
from tests.services.imports.tables.test_workbooks import ods, ods_row, xlsx
from tests.support.returns import carrier_file

KEY, OTHER = printed(key_of(1, 7)), printed(key_of(1, 8))
NAMES = ["Schlüssel", "Grund", "Datum", "Neue Straße", "Neuer Ort"]
SAID = [KEY, "Umzug", "2026-05-31", "ulica Źródlana 5", "Łódź"]
FIELDS = (CarrierField.KEY, CarrierField.REASON, CarrierField.DATE, CarrierField.CITY)


def cells_of(file: CarrierFile) -> list[list[str]]:
    """The cells of some fields in each row."""
    return [[cell_of(file, row, field) for field in FIELDS] for row in read_rows(file)]


def text_of(separator: str, *rows: list[str]) -> str:
    return "".join(separator.join(row) + "\r\n" for row in rows)


WORKBOOK = xlsx({"Retouren": [["Versand"], NAMES, SAID], "Info": [["x", "y"], ["1", "2"]]})


@pytest.mark.parametrize(
    "content, said",
    [
        (WORKBOOK, "an Excel workbook, sheet `Retouren`, column names in line 2"),
        (
            ods(("R", ods_row(*NAMES) + ods_row(*SAID))),
            "an OpenDocument spreadsheet, sheet `R`, column names in line 1",
        ),
        (text_of(";", NAMES, SAID).encode("cp1250"), "Windows-1250, Central Europe, columns"),
        (text_of("\t", NAMES, SAID).encode("utf-16"), "UTF-16, columns separated by tabs"),
        (text_of(",", NAMES, SAID).encode(), "UTF-8, columns separated by commas"),
        (text_of("|", NAMES, SAID).encode("utf-8-sig"), "columns separated by vertical bars"),
        (b"sep=;\n" + text_of(";", NAMES, SAID).encode(), "column names in line 2"),
    ],
)
def test_any_table_is_read(content: bytes, said: str) -> None:
    file = carrier_file(content)
    assert said in file.describe()
    assert cells_of(file) == [[KEY, "Umzug", "2026-05-31", "Łódź"]]


def test_a_sheet_and_an_encoding_can_be_chosen(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(xlsx({"Info": [["x", "y"], ["1", "2"]], "Retouren": [NAMES, SAID]}))
    with pytest.raises(Invalid, match="no column with copy keys"):
        inspect_file(path, chosen={})
    assert len(cells_of(inspect_file(path, chosen={}, sheet="Retouren"))) == 1
    path.write_bytes(f"key;Ort\n{KEY};".encode() + b"\xa3\n")
    with pytest.raises(Invalid, match="encoding of the file is not clear") as asked:
        inspect_file(path, chosen={})
    assert asked.value.field == "encoding"
    old = text_of(";", ["Schlüssel", "Straße"], [KEY, "Größenweg"]).encode("mac-roman")
    assert "Read as Mac Roman, Western Europe" in carrier_file(old).describe()
    file = inspect_file(path, chosen={}, encoding="cp1250")
    assert [row.cells for row in read_rows(file)] == [[KEY, "Ł"]]


@pytest.mark.parametrize(
    "content, cells",
    [
        (f"{KEY}\n{OTHER}\n", [[KEY], [OTHER]]),
        (f"x;{KEY}\ny;{OTHER}", [["x", KEY], ["y", OTHER]]),
        (xlsx({"S": [[KEY], [OTHER]]}), [[KEY], [OTHER]]),
        ("key;date\n", []),
        (f"key;copy id\n{KEY};\n;4294967301\n", [[KEY, ""], ["", "4294967301"]]),  # no totals
        (f"key;note\n{KEY};x\nTotal;1\n", [[KEY, "x"], ["Total", "1"]]),
        (f'key;note\n{KEY};"a\nb"\n', [[KEY, "a\nb"]]),
        (f'key;note\n{KEY};"a\n{OTHER};b"\n', [[KEY, "a"], [OTHER, "b"]]),
        (f'key;date\n{KEY};"2026-05-31\n{OTHER}"\n', [[KEY, "2026-05-31"], [OTHER]]),
    ],
)
def test_no_row_is_lost(content: str | bytes, cells: list[list[str]]) -> None:
    assert [row.cells for row in read_rows(carrier_file(content))] == cells


def test_a_file_without_any_key_is_refused() -> None:
    with pytest.raises(Invalid, match="file is empty"):
        carrier_file("\n")
    with pytest.raises(Invalid, match="`Name;Town`"):
        carrier_file("Name,Town\nAnn,Berlin\n")


@pytest.mark.parametrize("text", ["", "-", "0000-00-00", "n/a"])
def test_a_cell_can_say_that_there_is_no_date(text: str) -> None:
    assert read_date(text, None) is None
