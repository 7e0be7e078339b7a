"""Duplicates and households: the same address in other words."""

import pytest

from masthead.model.dispatch.postal.seen_addresses import (
    Match,
    SeenAddresses,
    comparable,
    comparable_all,
)
from masthead.model.dispatch.runs import DispatchLine
from tests.model.dispatch.addresses import address
from tests.support.cases import for_each


def at_home(id: int, name: str = "Lee", **fields: str) -> DispatchLine:
    place = {"address1": "Hauptstraße 5", "city": "Köln", "postcode": "50667"} | fields
    return address(id=id, last_name=name, **place)  # type: ignore[arg-type]


def add(seen: SeenAddresses, line: DispatchLine, bundle_id: str = "") -> Match | None:
    """What the addresses have for one line."""
    (match,) = seen.add([line], {line.subscription_id: bundle_id} if bundle_id else {})
    return match


@for_each(
    "one, other",
    [
        ("Hauptstraße 5", "Hauptstr. 5"),
        ("Hauptstraße 5", "HAUPTSTRASSE 5"),
        ("Haupt-Straße 5", "Hauptstr.5"),
        ("Hauptstraße 5 a", "Hauptstraße 5a"),
        ("1 High Street", "1, High St."),
        ("Müller", "Mueller"),
        ("Müller", "Muller"),
        ("O’Brien", "O'Brien"),
        ("Łukasz", "Lukasz"),
        ("José María", "jose maria"),
        ("Kerkstraat 1", "Kerkstr. 1"),
    ],
)
def test_two_spellings_are_the_same(one: str, other: str) -> None:
    assert comparable(one) == comparable(other)


@pytest.mark.parametrize(
    "one, other",
    [
        ("Hauptstraße 1 2", "Hauptstraße 12"),
        ("Hauptstraße 1/2", "Hauptstraße 12"),
        ("Hauptstraße 5a", "Hauptstraße 5b"),
        ("Иванов", "Петров"),
        ("", "1"),
    ],
)
def test_two_texts_are_different(one: str, other: str) -> None:
    assert comparable(one) != comparable(other)


def test_many_texts_are_as_comparable_as_one_by_one() -> None:
    texts = ["Hauptstraße 5", "", "Mueller", "a\0b", "Ο Σος", "漢 1", "x²", " 7 8", "ŉ", "Weg 1\n2"]
    texts += [f"{letter} 1" for letter in map(chr, range(0x20, 0x600))]
    assert comparable_all(texts) == [comparable(text) for text in texts]
    plain = [text for text in texts if all(ord(letter) < 0x250 for letter in text)]
    assert comparable_all(plain) == [comparable(text) for text in plain]
    assert comparable_all([]) == []


def test_the_same_name_and_address_is_a_duplicate() -> None:
    seen = SeenAddresses()
    assert add(seen, at_home(1)) is None
    assert add(seen, at_home(2, name="LEE")) == Match(1, is_duplicate=True)
    assert add(seen, at_home(3, address1="Hauptstr. 5")) == Match(1, is_duplicate=True)


def test_copies_that_were_ordered_together_are_no_duplicates_of_each_other() -> None:
    seen = SeenAddresses()
    assert add(seen, at_home(1), bundle_id="X") is None
    assert add(seen, at_home(2), bundle_id="X") is None
    assert add(seen, at_home(3)) == Match(1, is_duplicate=True)
    assert add(seen, at_home(4), bundle_id="Y") == Match(1, is_duplicate=True)
    assert add(seen, at_home(5), bundle_id="Y") is None
    assert add(seen, at_home(6, address1="Weg 1"), bundle_id="X") is None  # the first one there
    assert add(seen, at_home(7, address1="Weg 1")) == Match(6, is_duplicate=True)


def test_another_name_at_an_address_is_a_household() -> None:
    seen = SeenAddresses()
    assert add(seen, at_home(1)) is None
    assert add(seen, at_home(2, name="Bo")) == Match(1, is_duplicate=False)
    assert add(seen, at_home(3, name="Bo")) == Match(2, is_duplicate=True)
    assert add(seen, at_home(4, name="Cy")) == Match(1, is_duplicate=False)
    assert add(seen, at_home(5, name="Cy")) == Match(4, is_duplicate=True)


@pytest.mark.parametrize(
    "other",
    [{"address1": "Hauptstraße 6"}, {"city": "Bonn"}, {"postcode": "50668"}, {"country": "AT"}],
)
def test_another_address_is_no_match(other: dict[str, str]) -> None:
    seen = SeenAddresses()
    add(seen, at_home(1))
    assert add(seen, at_home(2, **other)) is None


def test_without_a_street_no_address_is_the_same() -> None:
    seen = SeenAddresses()
    add(seen, at_home(1, address1=""))
    assert add(seen, at_home(2, address1="")) is None


def test_a_company_is_the_name_if_there_is_no_person() -> None:
    seen = SeenAddresses()
    place = {"address1": "Weg 1", "city": "Ulm", "first_name": None, "last_name": None}
    first = address(id=1, company="Acme", **place)  # type: ignore[arg-type]
    add(seen, first)
    again = address(id=2, company="ACME.", **place)  # type: ignore[arg-type]
    assert add(seen, again) == Match(1, is_duplicate=True)
    other = address(id=3, company="Beta", **place)  # type: ignore[arg-type]
    assert add(seen, other) == Match(1, is_duplicate=False)


def test_a_replacement_of_an_older_issue_is_no_duplicate() -> None:
    seen = SeenAddresses()
    add(seen, at_home(1))
    older = address(
        id=2, last_name="Lee", address1="Hauptstr. 5", city="Köln", postcode="50667", issue_number=2
    )
    match = add(seen, older)
    assert match is None or not match.is_duplicate


def test_large_copy_ids_are_kept() -> None:
    seen = SeenAddresses()
    add(seen, at_home(2**53 - 1))
    assert add(seen, at_home(2)) == Match(2**53 - 1, is_duplicate=True)
