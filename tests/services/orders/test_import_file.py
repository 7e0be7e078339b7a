"""CSV files of all kinds: encodings, separators, quotes, headers, and line numbers."""

from pathlib import Path

import pytest

from masthead.model.errors import Invalid
from masthead.model.orders.import_rows import COLUMNS, REPORT
from masthead.services.imports import CsvFile, Line

TEMPLATE = (
    *"order_id type email first_name last_name company address1 address2 city state".split(),
    *"postcode country phone start_issue length interval_months period_start period_end".split(),
    *"is_recurring status is_comp is_gift gifter_name gifter_email medium price currency".split(),
    *"discount_amount refunded promo_code order_date transaction_id notes".split(),
    *"sent_issues sent_dates renews cancelled_date".split(),
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The path for a file."""
    return tmp_path / "list.csv"


def read(path: Path, text: str | bytes) -> list[Line]:
    """The rows of a file with that content."""
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return list(CsvFile(path))


def refusal(path: Path, text: str | bytes) -> str:
    """The error for a file with that content."""
    with pytest.raises(Invalid) as refused:
        read(path, text)
    return str(refused.value)


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("bom", ["", "\ufeff"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
async def test_any_separators_line_ends_and_a_byte_order_mark_are_accepted(
    path: Path, separator: str, bom: str, end: str
) -> None:
    rows = [["order_id", "city", "notes"], ["A1", "Zürich", "x"], ["A2", "東京", ""]]
    text = bom + end.join(separator.join(row) for row in rows)
    for ending in ("", end):
        assert read(path, text + ending) == [
            Line(2, {"order_id": "A1", "city": "Zürich", "notes": "x"}),
            Line(3, {"order_id": "A2", "city": "東京", "notes": ""}),
        ]


async def test_a_file_of_one_column_needs_no_separator(path: Path) -> None:
    assert read(path, "order_id\nA1\n") == [Line(2, {"order_id": "A1"})]


async def test_quoted_cells_can_contain_separators_quotes_and_line_breaks(path: Path) -> None:
    text = 'order_id;notes;city\nA1;"a;b ""c""\nd\n\ne";X\nA2;f;Y\n'
    first, second = read(path, text)
    assert first == Line(2, {"order_id": "A1", "notes": 'a;b "c"\nd\n\ne', "city": "X"})
    assert second.number == 6


async def test_line_numbers_count_blank_lines_too(path: Path) -> None:
    rows = read(path, "order_id,city\n\nA1,X\n,\n  ,  \nA2,Y\n")
    assert [(row.number, row.cells["order_id"]) for row in rows] == [(3, "A1"), (6, "A2")]


async def test_spaces_around_column_names_are_ignored(path: Path) -> None:
    assert read(path, " order_id , city\nA1,X\n") == [Line(2, {"order_id": "A1", "city": "X"})]


async def test_column_names_may_be_quoted(path: Path) -> None:
    assert read(path, '"order_id";"city"\nA1;X\n') == [Line(2, {"order_id": "A1", "city": "X"})]


async def test_missing_cells_at_the_end_count_as_absent(path: Path) -> None:
    assert read(path, "order_id,city,notes\nA1\n") == [Line(2, {"order_id": "A1"})]


async def test_additional_cells_have_no_column_name(path: Path) -> None:
    (row,) = read(path, "order_id,city\nA1,X,Y,Z\n")
    assert row.cells == {"order_id": "A1", "city": "X", "": "Y"}


async def test_the_columns_of_a_report_of_rejected_rows_are_ignored(path: Path) -> None:
    header = ",".join([*REPORT, "order_id"])
    assert read(path, f"{header}\n2,country,UK,no,A1\n") == [Line(2, {"order_id": "A1"})]


async def test_a_file_can_be_read_again_from_its_start(path: Path) -> None:
    rows = read(path, "order_id\nA1\n")
    file = CsvFile(path)
    assert list(file) == list(file) == rows


async def test_every_column_of_the_template_is_accepted(path: Path) -> None:
    assert read(path, ",".join(TEMPLATE) + "\n") == []
    assert COLUMNS == TEMPLATE


@pytest.mark.parametrize(
    "text, told",
    [
        ("", "`order_id`"),
        ("\n", "`order_id`"),
        ("\ufeff", "`order_id`"),
        ("A1,Ada,DE\n", "`order_id`"),
        ("city\nX\n", "`order_id`"),
        ("order_id,contry\nA1,DE\n", "`contry` is unknown"),
        ("order_id,contry\nA1,DE\n", "`country`"),
        ("order_id,\nA1,\n", "`` is unknown"),
        ("order_id,city,city\nA1,X,Y\n", "`city` appears more than once"),
        ("order_id|city\nA1|X\n", "`order_id`"),
    ],
)
async def test_a_header_without_column_names_is_refused(path: Path, text: str, told: str) -> None:
    assert told in refusal(path, text)


@pytest.mark.parametrize(
    "content",
    [
        "order_id,city\nA1,Zürich\n".encode("latin-1"),
        "order_id,city\nA1,X\n".encode("utf-16"),
        b"order_id,city\nA1,\xed\xa0\x80\n",
        bytes(range(256)),
    ],
)
async def test_a_file_that_is_not_utf_8_is_refused(path: Path, content: bytes) -> None:
    assert "UTF-8" in refusal(path, content)


@pytest.mark.parametrize(
    "text",
    [
        'order_id,notes\nA1,x\nA2,"never closed\nA3,y\n',
        'order_id,notes\nA1,x\nA2,"closed" too early\n',
    ],
)
async def test_the_error_for_a_row_with_unbalanced_quotes_names_its_line(
    path: Path, text: str
) -> None:
    assert "Line 3" in refusal(path, text)
