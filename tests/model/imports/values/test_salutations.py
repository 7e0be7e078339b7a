"""Salutations and titles as files have them."""

import pytest

from masthead.model.errors import Invalid
from masthead.model.imports.values.salutations import read_salutation, read_title
from tests.support.cases import for_each


@for_each(
    "text, expected",
    [
        ("ms", ("ms", None)),
        ("Frau", ("ms", None)),
        ("Herrn", ("mr", None)),
        ("Mrs.", ("ms", None)),
        ("Herr Prof. Dr.", ("mr", "Prof. Dr.")),
        ("Sehr geehrte Frau", ("ms", None)),
        ("Familie", (None, None)),
        ("Herr und Frau", (None, None)),
        ("keine", (None, None)),
    ],
)
def test_a_salutation_is_read(text: str, expected: tuple[str | None, str | None]) -> None:
    assert read_salutation("salutation", text) == expected


def test_an_unknown_salutation_is_refused_with_what_is_expected() -> None:
    with pytest.raises(Invalid, match=r"Käptn.; expected `ms`, `mr` or a word"):
        read_salutation("salutation", "Käptn")


@for_each(
    "text, expected",
    [("Dr.", (None, "Dr.")), ("Mr", ("mr", None)), ("Ms Dr.", ("ms", "Dr.")), ("-", (None, None))],
)
def test_a_title_may_have_the_salutation(
    text: str, expected: tuple[str | None, str | None]
) -> None:
    assert read_title("title", text) == expected


def test_a_long_title_is_refused() -> None:
    with pytest.raises(Invalid, match="at most 60"):
        read_title("title", "x" * 61)
