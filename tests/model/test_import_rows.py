"""Rows of an import, and the email addresses in them."""

import pytest
from email_validator import EmailNotValidError, validate_email
from hypothesis import given, strategies as st

from masthead.model.errors import Invalid
from masthead.model.orders.order import Order, OrderDefaults
from masthead.model.types import email_addresses
from tests.support.cases import for_each
from tests.support.order_lines import order_of_cells

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


def outcome(cells: dict[str, str]) -> Order | str:
    """The result of reading a row."""
    try:
        return order_of_cells(cells, TERMS)
    except Invalid as refusal:
        return f"{refusal.field}: {refusal.value}: {refusal}"


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
