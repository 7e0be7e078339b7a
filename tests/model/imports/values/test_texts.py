"""Texts, numbers and words as people and programs write them."""

import pytest

from masthead.model.errors import Invalid
from masthead.model.imports.values.amounts import read_amount
from masthead.model.imports.values.texts import (
    clean,
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
from masthead.model.types.fields import MAX_NUMBER
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


def test_a_number_without_a_limit_of_its_own_is_explained_by_an_example() -> None:
    with pytest.raises(Invalid, match=r"expected a whole number, such as 12\.$"):
        read_whole("start_issue", "spring", most=MAX_NUMBER)


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
