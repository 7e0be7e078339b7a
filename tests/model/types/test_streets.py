"""A correction of a house number is not another street."""

import pytest

from masthead.model.types.streets import is_same_street


@pytest.mark.parametrize(
    "before, after",
    [
        ("Kai 1", "Kai 11"),
        ("Hauptstr. 5", "hauptstr 5a"),
        ("Hauptstr. 5 a", "Hauptstr. 7-9 c"),
        ("12 High Street", "14B High Street"),
        ("5 Am Ring", "7a Am Ring"),
        ("Hafenstr. 3/4", "Hafenstr."),
        (None, ""),
    ],
)
def test_only_the_house_number_differs(before: str | None, after: str) -> None:
    assert is_same_street(before, after)
    assert is_same_street(after, before)


@pytest.mark.parametrize(
    "before, after",
    [
        ("Kai 1", "Kaiweg 1"),
        ("Am Bach 2", "Am Beach 2"),  # of letters that can follow a number
        ("Straße A 3", "Straße B 3"),
        ("Kai 1", None),
    ],
)
def test_the_street_is_another_one(before: str, after: str | None) -> None:
    assert not is_same_street(before, after)
