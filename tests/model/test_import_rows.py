"""Rows of an import: the fast and the slow way to read them have the same result."""

import pytest
from email_validator import EmailNotValidError, validate_email
from hypothesis import given
from hypothesis import strategies as st

from masthead.model.errors import Invalid
from masthead.model.orders import import_rows
from masthead.model.orders.order import Order, OrderDefaults
from masthead.model.types import email_addresses
from tests.support.cases import for_each

TERMS = OrderDefaults("EUR", "placeholder.example")
GOOD = {
    "order_id": "A1",
    "first_name": "Ada",
    "country": "DE",
    "order_date": "2026-01-15",
    "price": "42",
    "start_issue": "1",
    "length": "4",
}
TEXTS = ["", " ", "x", " x ", "A\0", "x" * 256, "x" * 10_001, "ß", "12", "-1", "1.5", "true", "No"]
TEXTS += ["2026-02-30", "1899-12-31", "9999-12-31", "2026-1-1", "de", "UK", "eur", "0", "42.001"]
TEXTS += ["membership", "subscription", "Print", "Cancelled", "Active", "ada@example.test", "a@b"]
TEXTS += ["ada@placeholder.example", "1|2", "1|x", "2026-01-01|", "99999999999999999999"]


def outcome(cells: dict[str, str]) -> Order | str:
    """The result of reading a row."""
    try:
        return import_rows.order_of_cells(cells, TERMS)
    except Invalid as refusal:
        return f"{refusal.field}: {refusal.value}: {refusal}"


def outcome_in_words(cells: dict[str, str]) -> Order | str:
    """The result of reading the row field by field."""
    try:
        return import_rows.order_of_row(import_rows._read_in_words(cells), TERMS)
    except Invalid as refusal:
        return f"{refusal.field}: {refusal.value}: {refusal}"


@for_each("column", import_rows.COLUMNS)
def test_fast_reading_and_reading_field_by_field_give_the_same_result(column: str) -> None:
    for text in TEXTS:
        cells = {**GOOD, column: text}
        assert outcome(cells) == outcome_in_words(cells) == outcome(cells)


@given(st.dictionaries(st.sampled_from(import_rows.COLUMNS), st.sampled_from(TEXTS)))
def test_fast_reading_and_reading_field_by_field_report_the_same_errors(
    cells: dict[str, str],
) -> None:
    assert outcome({**GOOD, **cells}) == outcome_in_words({**GOOD, **cells})


ADDRESS = r"[a-zA-Z0-9_+.-]{1,66}@([a-zA-Z0-9][a-zA-Z0-9-]{0,64}\.){1,4}[a-zA-Z]{1,65}"


@given(st.from_regex(ADDRESS, fullmatch=True))
def test_an_address_that_skips_the_full_check_would_pass_it(address: str) -> None:
    if email_addresses._PLAIN_EMAIL.fullmatch(address):
        validate_email(address, check_deliverability=False)


@for_each(
    "address",
    [
        *("a@b", "@b.test", "a@.test", "a@b..test", ".a@b.test", "a.@b.test", "a..b@b.test"),
        *("a@-b.test", "a@b-.test", "a@xn--b.test", "a@b.1", "a b@c.test", "a@b@c.test", "a@b.t"),
        *("a" * 65 + "@b.test", "a@" + "b" * 64 + ".test", "a@" + ".".join(["b" * 60] * 5)),
        *("a@b.test\n", "ä@b.test", '"a"@b.test', "a@[127.0.0.1]", "a@b_c.test", "a@b.test."),
    ],
)
def test_other_addresses_get_the_full_check(address: str) -> None:
    assert not email_addresses._PLAIN_EMAIL.fullmatch(address)


def test_the_full_check_is_that_of_the_library() -> None:
    assert email_addresses.email_address("email", "ä@b.test") == "ä@b.test"
    with pytest.raises(Invalid, match="expected an email address"):
        email_addresses.email_address("email", "a@b..test")
    with pytest.raises(EmailNotValidError):
        validate_email("a@b..test", check_deliverability=False)


def test_a_row_with_too_many_cells_or_a_wrong_date_of_a_copy_is_refused() -> None:
    assert "more cells than" in str(outcome({**GOOD, "": "x"}))
    assert "expected dates as" in str(outcome({**GOOD, "sent_issues": "1", "sent_dates": "soon"}))
