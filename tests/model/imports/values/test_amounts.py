"""Amounts as people and programs write them."""

import pytest

from masthead.model.errors import Invalid
from masthead.model.imports.values.amounts import decimal_mark_of, is_positive, read_amount
from tests.support.cases import for_each


@for_each(
    "text, currency, amount",
    [
        ("12", "EUR", "12.00"),
        ("12.0", "EUR", "12.00"),
        ("12.0000", "EUR", "12.00"),
        ("12,00 €", "EUR", "12.00"),
        ("€12", "EUR", "12.00"),
        ("$12.00", "USD", "12.00"),
        ("$12.00", "CAD", "12.00"),
        ("$12.00 USD", "USD", "12.00"),
        ("US$ 5", "USD", "5.00"),
        ("EUR12", "EUR", "12.00"),
        ("Fr.12", "CHF", "12.00"),
        ("12.50 kr.", "SEK", "12.50"),
        ("12,-", "EUR", "12.00"),
        ("12.–", "EUR", "12.00"),
        ("€ 12,=", "EUR", "12.00"),
        ("12.- Fr.", "CHF", "12.00"),
        ("99:- kr", "SEK", "99.00"),
        ("12,50 Euro", "EUR", "12.50"),
        ("Euro 12,50", "EUR", "12.50"),
        ("12,50 EUR.", "EUR", "12.50"),
        ("SFr. 12.50", "CHF", "12.50"),
        ("12,5 TL", "TRY", "12.50"),
        ("1 234,50 zl", "PLN", "1234.50"),
        ("5 US dollars", "USD", "5.00"),
        ("USD$12", "USD", "12.00"),
        ("Rs. 500", "INR", "500.00"),
        ("Kr 99", "NOK", "99.00"),
        ("1.234,50", "EUR", "1234.50"),
        ("1,234.50", "EUR", "1234.50"),
        ("1 234,50 €", "EUR", "1234.50"),
        ("1'234.50", "CHF", "1234.50"),
        ("1.234.567", "EUR", "1234567.00"),
        ("1,234,567", "EUR", "1234567.00"),
        ("1234.567", "KWD", "1234.567"),
        ("0.234", "KWD", "0.234"),
        (".50", "EUR", "0.50"),
        ("007", "EUR", "7.00"),
        ("1,234", "JPY", "1234"),
        ("1.234", "JPY", "1234"),
        ("1,234.00", "JPY", "1234"),
        ("+5", "EUR", "5.00"),
        ("-0.00", "EUR", "0.00"),
    ],
)
def test_amounts_are_read_as_people_write_them(text: str, currency: str, amount: str) -> None:
    assert read_amount("price", text, decimal_mark="", currency=currency) == amount


def test_an_amount_with_one_mark_before_three_digits_needs_the_mark_of_its_column() -> None:
    with pytest.raises(Invalid, match="Say which sign is the decimal mark"):
        read_amount("price", "1.234", decimal_mark="", currency="EUR")
    assert read_amount("price", "1.234", decimal_mark=",", currency="EUR") == "1234.00"
    assert read_amount("price", "1.234", decimal_mark=".", currency="KWD") == "1.234"
    assert read_amount("price", "1,234", decimal_mark=".", currency="EUR") == "1234.00"


@pytest.mark.parametrize("text", ["-5.00", "(5.00)", "5-", "$-5.00", "−5"])
def test_only_discounts_and_refunds_may_be_written_below_zero(text: str) -> None:
    with pytest.raises(Invalid, match="below zero"):
        read_amount("price", text, decimal_mark="", currency="USD")
    assert (
        read_amount("refunded", text, decimal_mark="", currency="USD", may_be_negative=True)
        == "5.00"
    )


@for_each(
    "text",
    [
        "x",
        "",
        "12%",
        "--5",
        "(5",
        "5)",
        "12.5.3,4",
        "1,23,456.00",
        "1.2345,6",
        "٤٢",
        "12 Bücher",
        "12.50 DM",
        "a$b5",
    ],
)
def test_other_texts_are_no_amounts(text: str) -> None:
    with pytest.raises(Invalid, match="expected an amount such as"):
        read_amount("price", text, decimal_mark="", currency="EUR")


@pytest.mark.parametrize("text", ["12,00 €", "12 EUR", "12 Euro", "kr 99", "$5", "12,- Fr."])
def test_an_amount_in_another_currency_is_refused(text: str) -> None:
    with pytest.raises(Invalid, match="but the currency is GBP"):
        read_amount("price", text, decimal_mark="", currency="GBP")


@for_each(
    "digits, mark",
    [
        ("12", ""),
        ("12.5", "."),
        ("12,5", ","),
        ("1.234", "?"),
        ("1,234", "?"),
        ("0.123", "."),
        ("1.234,5", ","),
        ("1,234.5", "."),
        ("1.234.567", ","),
        ("1,234,567", "."),
        ("1234.567", "."),
    ],
)
def test_the_digits_of_an_amount_tell_the_decimal_mark(digits: str, mark: str) -> None:
    assert decimal_mark_of(digits) == mark


@pytest.mark.parametrize(
    "text, positive", [("1", True), ("0.00", False), ("-3", False), ("x", True), ("0,01", True)]
)
def test_amounts_above_zero_are_told_from_others(text: str, positive: bool) -> None:
    assert is_positive(text) is positive


def test_a_long_text_is_no_amount_and_takes_no_time() -> None:
    text = "1" + "." * 100_000 + "x1"  # a pattern needs a minute for it
    with pytest.raises(Invalid, match="expected an amount"):
        read_amount("price", text, decimal_mark="", currency="EUR")
