"""What the order form asks for beyond the API: complete addresses, and likely dates."""

from typing import Any

import pytest

from masthead.model.orders.entry_checks import (
    UNUSUAL_POSTCODE,
    list_address_doubts,
    list_entry_refusals,
    list_missing_address,
)
from masthead.model.orders.known_subscribers import NamedPerson, name_key, name_terms, postcode_key
from masthead.model.types.enums import Medium

STREET = {"address1": "1 Mill Lane"}


@pytest.mark.parametrize(
    "given, missing",
    [
        ({"country": "DE"}, ["address1", "city", "postcode"]),
        ({"country": "DE", **STREET, "city": "Ulm", "postcode": "89073"}, []),
        ({"country": "DE", "medium": Medium.DIGITAL}, []),
        ({"country": "DE", "medium": Medium.PRINT_AND_DIGITAL, **STREET}, ["city", "postcode"]),
        ({}, []),
        ({"country": "CR", **STREET, "city": "San José"}, ["state"]),
        ({"country": "CR", **STREET, "city": "San José", "postcode": "10101"}, []),
        ({"country": "HK", **STREET}, ["city"]),
        ({"country": "HK", **STREET, "state": "Kowloon"}, []),
    ],
    ids=str,
)
def test_a_printed_copy_needs_what_the_post_of_its_country_needs(
    given: dict[str, Any], missing: list[str]
) -> None:
    assert [each.field for each in list_missing_address(given)] == missing


@pytest.mark.parametrize(
    "country, postcode, is_usual",
    [
        ("DE", "10115", True),
        ("DE", "1011", False),
        ("GB", "sw1a 1aa", True),
        ("NL", "1234", False),
        ("LU", "L-4711", True),
        ("IE", "anything", False),
        ("HK", "anything", True),  # it has no postcodes
    ],
)
def test_a_postcode_has_the_form_of_its_country(
    country: str, postcode: str, is_usual: bool
) -> None:
    address = {"address1": "1 Mill Lane", "city": "X", "country": country, "postcode": postcode}
    doubts = [each for each in list_address_doubts(address) if each.field == "postcode"]
    assert not doubts if is_usual else [each.code for each in doubts] == [UNUSUAL_POSTCODE]
    assert list_address_doubts({**address, "medium": Medium.DIGITAL}) == []


def test_a_confirmed_address_is_taken() -> None:
    assert list_entry_refusals({"country": "DE", "is_address_right": True}) == []


def test_names_postcodes_and_phone_numbers_are_compared_without_their_spelling() -> None:
    assert name_key("Müller,", "Anna-Lena") == name_key("anna lena", "MULLER")
    assert postcode_key("SW1A 1AA") == postcode_key("sw1a-1aa")
    assert name_terms(NamedPerson(first_name="Ada")) == []
    assert name_terms(NamedPerson(first_name="Ada", postcode="SW1A 1AA")) == ["ada", "sw1", "1aa"]
