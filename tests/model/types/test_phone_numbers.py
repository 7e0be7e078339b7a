"""Phone numbers are the same in any spelling."""

import pytest

from masthead.model.types.phone_numbers import phone_keys, significant_digits

BERLIN = "+49 30 123456"


@pytest.mark.parametrize(
    "phone, countries",
    [
        ("+49 30 123456", ()),
        ("+49 (0)30 / 12 34 56", ()),
        ("(+49) 30-123456", ("FR",)),
        ("0049 30 123456", ("AT",)),
        ("030/123456", ("DE",)),
        ("030/123456", (None, "DE")),
        ("(030) 12 34 56", ("DE", "DE")),
        ("49 30 123456", ("DE",)),
    ],
)
def test_a_number_has_one_key_in_any_spelling(
    phone: str, countries: tuple[str | None, ...]
) -> None:
    assert phone_keys(phone, *countries) == {"4930123456"}


@pytest.mark.parametrize(
    "phone, country, key",
    [
        ("(212) 555-1234", "US", "12125551234"),
        ("1 212 555 1234", "US", "12125551234"),
        ("+1 212 555 1234", None, "12125551234"),
        ("020 7946 0000", "GB", "442079460000"),
        ("06 1 234 5678", "HU", "3612345678"),
        ("8 495 123-45-67", "RU", "74951234567"),
        ("+358 9 123456", None, "3589123456"),
        ("09 123456", "FI", "3589123456"),
        ("0471 234567", "BE", "32471234567"),
        ("+39 06 123456", None, "396123456"),
        ("06 123456", "IT", "396123456"),
    ],
)
def test_a_national_number_is_of_its_country(phone: str, country: str | None, key: str) -> None:
    assert phone_keys(phone, country) == {key}


def test_a_national_number_may_be_of_the_address_or_of_the_publisher() -> None:
    known = phone_keys("030/123456", "FR", "DE")
    assert known == {"3330123456", "4930123456"}
    assert known & phone_keys(BERLIN)
    assert not phone_keys("030/123456", "AT", "AT") & phone_keys(BERLIN)
    assert phone_keys("030/123456", None) == {"30123456"}


def test_too_few_digits_are_no_number() -> None:
    assert phone_keys("123456", "DE") == phone_keys(None, "DE") == frozenset()
    assert significant_digits("030 123") == ""


def test_every_spelling_has_the_significant_digits() -> None:
    for search in (BERLIN, "0049 30 123456", "030/123456", "(030) 12 34 56"):
        assert significant_digits(search) == "30123456"
