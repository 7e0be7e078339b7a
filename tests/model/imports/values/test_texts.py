"""Texts, amounts, numbers and words as people and programs write them."""

import pytest

from masthead.model.errors import Invalid
from masthead.model.imports.values.texts import (
    clean,
    decimal_mark_of,
    is_positive,
    read_amount,
    read_code,
    read_digits,
    read_flag,
    read_medium,
    read_period,
    read_status,
    read_type,
    read_whole,
)
from masthead.model.types.enums import Medium, SubscriptionStatus, SubscriptionType
from tests.support.cases import for_each


@pytest.mark.parametrize(
    "text, cleaned",
    [
        (" x ", "x"),
        ("'00123", "00123"),
        ("'2026-01-15", "2026-01-15"),
        ("'+49 30 1", "+49 30 1"),
        ("'=Mc2 GmbH", "=Mc2 GmbH"),
        ("'-Punkt-", "-Punkt-"),
        ("'@Home e.V.", "@Home e.V."),
        ("Ada;'=1+1", "Ada;=1+1"),
        ('="00123"', "00123"),
        ('="say ""hi"""', 'say "hi"'),
        ('="open', '="open'),
        ("'s-Hertogenbosch", "'s-Hertogenbosch"),
        ("'t Hof 3", "'t Hof 3"),
        ("'Aiea", "'Aiea"),
        ("'Abd al-Rahman", "'Abd al-Rahman"),
        ("'44 Club", "'44 Club"),
        ("'Dagblad' B.V.", "'Dagblad' B.V."),
        ("", ""),
    ],
)
def test_what_spreadsheets_put_around_texts_goes(text: str, cleaned: str) -> None:
    assert clean(text) == cleaned


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


def test_numbers_of_spreadsheets_are_refused_with_the_way_out() -> None:
    for read, text in (
        (read_digits, "4.47701E+11"),
        (read_digits, "4,47701E+11"),
        (read_digits, "1067.0"),
        (read_code, "1.00001E+11"),
    ):
        with pytest.raises(Invalid, match="Format the column as text and export again"):
            read("phone", text)
    with pytest.raises(Invalid, match="Format the column as text"):
        read_amount("price", "1E+5", decimal_mark="", currency="EUR")


def test_phones_postcodes_and_codes_stay_as_they_are() -> None:
    for text in ("+44 7701 000000", "01067", "SW1A 1AA", "5E12345", "12E456789"):
        assert read_digits("phone", text) == read_code("order_id", text) == text
    assert read_code("order_id", "1001.0") == "1001"


@for_each("text", ["yes", "Ja", "OUI", "y", "x", "X", "1", "1.0", "true", "Wahr", "✓"])
def test_yes_is_read_in_several_languages(text: str) -> None:
    assert read_flag("is_gift", text) is True


@pytest.mark.parametrize("text", ["no", "Nein", "non", "0", "0,0", "FALSCH", "-"])
def test_no_is_read_in_several_languages(text: str) -> None:
    assert read_flag("is_gift", text) is False


def test_other_words_are_neither_yes_nor_no() -> None:
    with pytest.raises(Invalid, match='`is_gift` is "maybe"'):
        read_flag("is_gift", "maybe")


@pytest.mark.parametrize("text", ["12", "12.0", "12,00", "12."])
def test_whole_numbers_may_have_decimals_that_are_zero(text: str) -> None:
    assert read_whole("length", text, most=1000) == 12


@pytest.mark.parametrize("text", ["0", "1001", "12.5", "-1", "four", "9" * 30])
def test_other_whole_numbers_are_refused(text: str) -> None:
    with pytest.raises(Invalid, match="expected a whole number from 1 to 1000"):
        read_whole("length", text, most=1000)


@pytest.mark.parametrize("text", ["Active", "active", "ACTIVE", "wc-active"])
def test_statuses_are_read_in_any_case(text: str) -> None:
    assert read_status("status", text) is SubscriptionStatus.ACTIVE


def test_other_spellings_of_our_words_are_known() -> None:
    assert read_status("status", "past_due") is SubscriptionStatus.PAST_DUE
    assert read_status("status", "canceled") is SubscriptionStatus.CANCELLED
    assert read_status("status", "active - renewals stopped") is SubscriptionStatus.RENEWALS_STOPPED
    assert read_medium("medium", "PRINT + DIGITAL") is Medium.PRINT_AND_DIGITAL
    assert read_medium("medium", "print & digital") is Medium.PRINT_AND_DIGITAL
    assert read_medium("medium", "Druck") is Medium.PRINT
    assert read_medium("medium", "E-Paper") is Medium.DIGITAL
    assert read_medium("medium", "Druck + Digital") is Medium.PRINT_AND_DIGITAL
    assert read_medium("medium", "Print und Digital") is Medium.PRINT_AND_DIGITAL
    assert read_type("type", "Membership") is SubscriptionType.MEMBERSHIP


def test_an_unknown_word_is_refused_with_the_known_ones() -> None:
    with pytest.raises(Invalid, match='`status` is "Lapsed"; expected one of `Active`'):
        read_status("status", "Lapsed")


@pytest.mark.parametrize(
    "text, period",
    [
        ("month", (1, "month")),
        ("Yearly", (1, "year")),
        ("2 weeks", (2, "week")),
        ("every 3 months", (3, "month")),
        ("quarterly", (3, "month")),
        ("täglich", (1, "day")),
    ],
)
def test_billing_periods_are_read(text: str, period: tuple[int, str]) -> None:
    assert read_period("billing_period", text) == period


@pytest.mark.parametrize("text", ["sometimes", "0 months", "!"])
def test_other_billing_periods_are_refused(text: str) -> None:
    with pytest.raises(Invalid, match="expected day, week, month or year"):
        read_period("billing_period", text)


def test_a_long_text_is_no_amount_and_takes_no_time() -> None:
    text = "1" + "." * 100_000 + "x1"  # a pattern needs a minute for it
    with pytest.raises(Invalid, match="expected an amount"):
        read_amount("price", text, decimal_mark="", currency="EUR")
