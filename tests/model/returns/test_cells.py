"""Keys, dates, countries and reasons in the cells of carriers' files."""

from datetime import date

import pytest

from masthead.model.dispatch.copy_keys import key_of
from masthead.model.errors import Invalid
from masthead.model.ids import first_copy_id
from masthead.model.returns.copy_references import (
    Reference,
    is_reference,
    read_copy_id,
    read_reference,
)
from masthead.model.returns.dates import DateColumn, DateOrder, is_date_text, read_date
from masthead.model.returns.delivery_reports import PostalAddress, ReportKind, is_same_address
from masthead.model.returns.reasons import classify, says_moved
from tests.support.cases import for_each

KEY = key_of(3, 77)
COPY = first_copy_id(3) + 5


@pytest.mark.parametrize(
    "text",
    [KEY, f"#{KEY}#", KEY.lower(), f" {KEY[:4]} {KEY[4:]} ", f"ACME 12 #{KEY}# P5", f"'#{KEY}#"],
)
def test_a_key_in_any_spelling_is_read(text: str) -> None:
    assert read_reference(3, text) == Reference(77, 0)


@pytest.mark.parametrize("text", [str(COPY), f"{COPY}.0", f'="{COPY}"'])
def test_a_copy_id_is_read(text: str) -> None:
    assert read_reference(3, text) == Reference(0, COPY)
    assert read_copy_id(3, text) == Reference(0, COPY)
    assert read_copy_id(3, KEY) == Reference(77, 0)


@pytest.mark.parametrize(
    "text, message",
    [
        ("", "no copy key"),
        ("4,29497E+09", "rounded by a spreadsheet"),
        (str(first_copy_id(4) + 5), "not the id of a copy of this account"),
        ("ABC", "has 3 characters"),
        ("K7M2Q4D9X", "wrong check digit"),
        ("x" * 500, "has 500 characters"),
    ],
)
def test_other_texts_are_refused(text: str, message: str) -> None:
    with pytest.raises(Invalid, match=message):
        read_reference(3, text)


def test_cells_that_look_like_keys_are_recognized() -> None:
    assert is_reference(f"#{KEY}#")
    assert is_reference(str(COPY))
    letters = next(key for key in (key_of(3, line) for line in range(999)) if key.isalpha())
    assert is_reference(letters)
    for text in ("", "Unbekannt", "K7M2Q4D9X", "2026-05-01", "12345"):
        assert not is_reference(text)


@for_each(
    "text",
    [
        "2026-05-31",
        "20260531",
        "2026/5/31",
        "2026-05-31T10:00:00Z",
        "31.05.2026",
        "31.5.26",
        "31. 5. 2026",
        "31.05.2026 08:15",
        "31-05-2026",
        "31/05/2026",
        "31 May 2026",
        "31-May-26",
        "May 31, 2026",
    ],
)
def test_dates_are_read_in_many_forms(text: str) -> None:
    column = DateColumn()
    column.add(text)
    assert read_date(text, column.decide()) == date(2026, 5, 31)
    assert is_date_text(text)


def test_a_month_stands_for_its_first_day() -> None:
    assert read_date("202605", None) == date(2026, 5, 1)
    assert read_date("2026-05", None) == date(2026, 5, 1)


@pytest.mark.parametrize("text", ["31.02.2026", "gestern", "2026-13-01", "9" * 60, "99/99/2026"])
def test_other_texts_are_no_dates(text: str) -> None:
    with pytest.raises(Invalid, match=r"expected a date|no such day"):
        read_date(text, None)
    assert not is_date_text(text)


def decided(*texts: str, chosen: DateOrder | None = None) -> DateOrder | None:
    column = DateColumn()
    for text in texts:
        column.add(text)
    return column.decide(chosen)


def test_the_whole_column_decides_which_number_is_the_day() -> None:
    assert decided("03/04/2026", "31/04/2026") is DateOrder.DAY_FIRST
    assert decided("03/04/2026", "04/31/2026") is DateOrder.MONTH_FIRST
    assert decided("03.04.2026", "2026-03-04", "05/05/2026", "?") is None
    assert decided("03/04/2026", chosen=DateOrder.MONTH_FIRST) is DateOrder.MONTH_FIRST
    assert read_date("03/04/2026", DateOrder.MONTH_FIRST) == date(2026, 3, 4)
    assert read_date("03/04/2026", DateOrder.DAY_FIRST) == date(2026, 4, 3)
    assert read_date("03.04.2026", DateOrder.MONTH_FIRST) == date(2026, 4, 3)


def test_dates_that_do_not_show_it_are_asked_about() -> None:
    with pytest.raises(Invalid, match="`03/04/2026`, do not show whether"):
        decided("05/05/2026", "03/04/2026", "04/05/2026")
    with pytest.raises(Invalid, match="others the month"):
        decided("31/04/2026", "04/31/2026")


@pytest.mark.parametrize(
    "kind, reason, kind_of, words",
    [
        ("", "unbekannt verzogen", ReportKind.UNDELIVERABLE, "unbekannt verzogen"),
        ("moved", "", ReportKind.MOVED, None),
        ("undeliverable", "refused", ReportKind.UNDELIVERABLE, "refused"),
        ("Umzug", "", ReportKind.MOVED, "Umzug"),
        ("", "K", ReportKind.UNDELIVERABLE, "Moved, left no address"),
        ("ANK", "", ReportKind.MOVED, "Attempted, not known"),
        ("?", "%", ReportKind.MOVED, "?: %"),
        ("konnte nicht zugestellt werden", "", ReportKind.MOVED, "konnte nicht zugestellt werden"),
        ("parti sans laisser d'adresse", "", ReportKind.UNDELIVERABLE, None),
    ],
)
def test_reasons_are_classified(
    kind: str, reason: str, kind_of: ReportKind, words: str | None
) -> None:
    found, text = classify(kind, reason, has_new_address=True)
    assert found is kind_of
    assert words is None or text == words
    assert classify(kind, reason, has_new_address=False)[0] is ReportKind.UNDELIVERABLE


def test_delivered_is_no_problem() -> None:
    for text in ("delivered", "zugestellt am 3.5.", "Shipped"):
        with pytest.raises(Invalid, match="is not a problem"):
            classify(text, "", has_new_address=False)
    assert len(classify("", "x" * 900, has_new_address=False)[1] or "") == 255


def test_words_that_say_moved() -> None:
    assert says_moved("Empfänger verzogen")
    assert says_moved("Change of address")
    assert not says_moved("refused")


def test_addresses_are_compared_without_case_and_punctuation() -> None:
    parts = {"address1": "Weg 1", "city": "Köln", "postcode": "50667", "country": "DE"}
    one = PostalAddress.from_row(parts)
    other = PostalAddress.from_row({**parts, "address1": "WEG  1.", "address2": "", "city": "koln"})
    assert is_same_address(one, other)
    assert not is_same_address(one, PostalAddress.from_row({"country": "DE"}))
    assert one.lines == ["Weg 1", "50667 Köln", "DE"]
