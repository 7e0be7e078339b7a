"""Addresses in a limited space: nothing is lost silently."""

import re

import pytest
from hypothesis import given, strategies as st

from masthead.model.dispatch.fitting import ELLIPSIS, AddressSpace, Shortening, fit_lines
from tests.support.cases import for_each

LONG = [
    "Dr. Maximiliane von Hohenstein-Wartburg",
    "Verlagsgesellschaft für angewandte Wissenschaften mbH",
    "Abteilung Bibliothek",
    "Ludwig-Maximilian-Straße 123",
    "Hinterhaus, 3. Stock",
    "80331 MÜNCHEN",
    "GERMANY",
]
SHORT = ["Ann Lee", "1 High Street", "LONDON", "W1A 1AA"]
SPACES = st.builds(
    AddressSpace,
    lines=st.integers(1, 9),
    width=st.integers(1, 60),
    shortening=st.sampled_from(Shortening),
)
WORDS = st.lists(
    st.sampled_from(["High", "Street", "Hauptstraße", "Schloß", "12", "12a", "B-C", "X" * 40, "Ω"]),
    min_size=1,
    max_size=8,
)
ADDRESSES = st.lists(WORDS.map(" ".join), max_size=9)


def space(lines: int, width: int, shortening: Shortening) -> AddressSpace:
    return AddressSpace(lines=lines, width=width, shortening=shortening)


def letters(lines: list[str]) -> str:
    """What has to be kept: everything except blanks and commas."""
    return re.sub(r"[\s,]", "", "".join(lines))


@pytest.mark.parametrize("shortening", Shortening)
def test_an_address_that_fits_stays_as_it_is(shortening: Shortening) -> None:
    fitted = fit_lines(SHORT, space(4, 13, shortening))
    assert fitted.lines == SHORT
    assert fitted.fits
    assert fitted.shortened == ()


def test_never_keeps_the_lines_and_says_what_does_not_fit() -> None:
    fitted = fit_lines(LONG, space(6, 35, Shortening.NEVER))
    assert fitted.lines == LONG
    assert not fitted.fits
    assert fitted.too_wide == (LONG[0], LONG[1])
    assert fitted.extra_lines == 1


def test_arrange_wraps_long_lines_between_words() -> None:
    fitted = fit_lines(LONG, space(9, 40, Shortening.ARRANGE))
    assert fitted.lines == [
        LONG[0],
        "Verlagsgesellschaft für angewandte",
        "Wissenschaften mbH",
        *LONG[2:],
    ]
    assert fitted.fits
    assert fitted.shortened == ()


def test_arrange_joins_short_lines_from_the_top_without_name_and_country() -> None:
    lines = ["Ann Lee", "Flat 2", "1 High Street", "Soho", "LONDON", "W1A 1AA", "ENGLAND"]
    fitted = fit_lines(lines, space(5, 30, Shortening.ARRANGE))
    assert fitted.lines == ["Ann Lee", "Flat 2, 1 High Street, Soho", *lines[4:]]
    assert fitted.fits


def test_arrange_joins_the_name_only_if_nothing_else_can_be_joined() -> None:
    lines = ["Ann Lee", "Flat 2", "1 High Street in the Garden", "LONDON"]
    fitted = fit_lines(lines, space(3, 27, Shortening.ARRANGE))
    assert fitted.lines == ["Ann Lee, Flat 2", lines[2], "LONDON"]


def test_arrange_never_joins_the_last_line_unless_there_is_only_one() -> None:
    lines = ["A", "B"]
    assert fit_lines(lines, space(1, 4, Shortening.ARRANGE)).lines == ["A, B"]
    fitted = fit_lines(["A", "B" * 30, "C"], space(2, 30, Shortening.ARRANGE))
    assert fitted.lines == ["A", "B" * 30, "C"]
    assert fitted.extra_lines == 1


@pytest.mark.parametrize(
    "line, short",
    [
        ("Ludwig-Maximilian-Straße 123", "Ludwig-Maximilian-Str. 123"),
        ("HAUPTSTRASSE 123 HINTERHAUS", "HAUPTSTR. 123 HINTERHAUS"),
        ("123 Long Boulevard Apartment 7", "123 Long Blvd Apt 7"),
        ("Lange Nieuwe straat 12 boven B", "Lange Nieuwe str. 12 boven B"),
    ],
)
def test_abbreviate_shortens_usual_words_of_streets_and_reports_it(line: str, short: str) -> None:
    fitted = fit_lines(["Ann Lee", line, "X"], space(3, len(line) - 1, Shortening.ABBREVIATE))
    assert fitted.lines == ["Ann Lee", short, "X"]
    assert fitted.shortened == (line,)
    assert fitted.fits


def test_abbreviate_leaves_names_and_lines_that_fit_alone() -> None:
    name, street = "Theodore Lane of Long Road", "123 Long Boulevard in Town X"
    more = "2 Lane by the Seaside"
    fitted = fit_lines([name, street, more, "X"], space(5, 25, Shortening.ABBREVIATE))
    assert fitted.lines == ["Theodore Lane of Long", "Road", "123 Long Blvd in Town X", more, "X"]
    assert fitted.shortened == (street,)


def test_abbreviate_changes_shorter_lines_only_if_that_helps() -> None:
    lines = ["Ann Lee", "12 The Street", "Building 4", "X"]
    fitted = fit_lines(lines, space(3, 18, Shortening.ABBREVIATE))
    assert fitted.lines == ["Ann Lee", "12 The St, Bldg 4", "X"]
    assert fitted.shortened == (lines[1], lines[2])
    fitted = fit_lines(lines, space(2, 7, Shortening.ABBREVIATE))
    assert fitted.shortened == ()
    assert "Street" in "".join(fitted.lines)


def test_cut_keeps_what_the_post_needs_and_reports_the_rest() -> None:
    fitted = fit_lines(LONG, space(4, 30, Shortening.CUT), optional=(LONG[1], LONG[2], LONG[4]))
    assert fitted.lines == [
        "Dr. Maximiliane von Hohenstei…",
        "Ludwig-Maximilian-Str. 123, H…",
        "80331 MÜNCHEN",
        "GERMANY",
    ]
    assert fitted.fits
    assert fitted.shortened == (
        LONG[3],
        ", ".join(LONG[:3]),
        "Ludwig-Maximilian-Str. 123, Hinterhaus, 3. Stock",
    )


def test_cut_uses_free_lines_before_it_cuts() -> None:
    lines = ["Ann Lee", "Y" * 20 + " one two three", "Z" * 40, "X"]
    fitted = fit_lines(lines, space(5, 21, Shortening.CUT))
    assert fitted.lines == ["Ann Lee", "Y" * 20, "one two three", "Z" * 20 + ELLIPSIS, "X"]
    assert fitted.shortened == ("Z" * 40,)


@for_each(
    "lines, width, optional, expected",
    [
        (1, 40, (), ["Ann Lee, 1 High Street, LONDON, W1A 1AA"]),
        (1, 20, (), None),
        (2, 14, (), None),
        (2, 14, ("Ann Lee",), None),
        (3, 14, (), None),
        (3, 12, ("Ann Lee",), ["1 High St", "LONDON", "W1A 1AA"]),
        (3, 7, ("Ann Lee",), ["1 High…", "LONDON", "W1A 1AA"]),
    ],
)
def test_cut_leaves_out_only_what_is_optional(
    lines: int, width: int, optional: tuple[str, ...], expected: list[str] | None
) -> None:
    fitted = fit_lines(SHORT, space(lines, width, Shortening.CUT), optional)
    assert fitted.fits == (expected is not None)
    if expected:
        assert fitted.lines == expected
        assert not optional or optional[0] in fitted.shortened
    else:
        assert fitted.shortened == ()


@given(lines=ADDRESSES, space=SPACES)
def test_text_is_lost_only_where_it_is_reported(lines: list[str], space: AddressSpace) -> None:
    fitted = fit_lines(lines, space)
    if space.shortening is Shortening.CUT:
        assert fit_lines(lines, space, optional=lines).fits
    if fitted.fits:
        assert len(fitted.lines) <= space.lines
        assert all(len(line) <= space.width for line in fitted.lines)
    else:
        assert fitted.extra_lines or fitted.too_wide
    if not fitted.shortened:
        assert letters(fitted.lines) == letters(lines)
    if any(ELLIPSIS in line for line in fitted.lines):
        assert fitted.shortened


@given(lines=ADDRESSES, space=SPACES)
def test_each_line_is_complete_or_reported(lines: list[str], space: AddressSpace) -> None:
    fitted = fit_lines(lines, space)
    kept = letters([*fitted.lines, *fitted.shortened])
    assert all(letters([line]) in kept for line in lines)


def test_each_choice_has_a_label() -> None:
    assert len({choice.label for choice in Shortening}) == 4
