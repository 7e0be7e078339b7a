"""Which issues come out in a span of days."""

from datetime import date

import pytest

from masthead.model.addresses.days import Release, find_span
from masthead.model.errors import Invalid
from tests.support.cases import for_each

# Issues 20 to 22 come out on the first of the month; 23 and later have no release date
RELEASES = [
    Release(20, date(2026, 12, 1)),
    Release(21, date(2027, 1, 1)),
    Release(22, date(2027, 2, 1)),
]


@for_each(
    "first_day, last_day, first, last, is_expected",
    [
        (date(2027, 1, 1), None, 21, None, False),
        (date(2027, 1, 2), None, 22, None, False),
        (date(2020, 1, 1), None, 20, None, False),
        (date(2027, 2, 2), None, 23, None, True),
        (date(2028, 2, 1), None, 34, None, True),
        (date(2027, 1, 1), date.max, 21, None, False),
        (date(2026, 12, 2), date(2027, 1, 31), 21, 21, False),
        (date(2026, 12, 2), date(2027, 2, 1), 21, 22, False),
        (date(2027, 1, 15), date(2027, 3, 15), 22, 23, False),
    ],
)
def test_issues_of_days(
    first_day: date, last_day: date | None, first: int, last: int | None, *, is_expected: bool
) -> None:
    found = find_span(RELEASES, first_day, last_day)
    assert found.first.number == first
    assert (found.last and found.last.number) == last
    assert found.first.is_expected == is_expected


def test_an_issue_without_a_release_date_between_others_is_expected() -> None:
    releases = [Release(1, date(2027, 1, 1)), Release(3, date(2027, 3, 2))]
    found = find_span(releases, date(2027, 1, 2), None)
    assert found.first == Release(2, date(2027, 1, 31), is_expected=True)


@for_each(
    "releases, first_day, last_day, field, words",
    [
        (RELEASES, date(2027, 2, 1), date(2027, 1, 1), "last_day", "before"),
        (
            RELEASES,
            date(2027, 1, 2),
            date(2027, 1, 31),
            "last_day",
            "the next one is issue 22, on 2027-02-01",
        ),
        ([], date(2027, 1, 1), None, "first_day", "too few issues"),
        (
            [Release(1, date(9000, 1, 1)), Release(2, date(9900, 1, 1))],
            date.max,
            None,
            "first_day",
            "",
        ),
        (RELEASES[:1], date(2027, 1, 1), None, "first_day", "too few issues"),
        (RELEASES, date(2099, 1, 1), None, "first_day", "2099-01-01"),
        (RELEASES, date(2027, 1, 1), date(2099, 1, 1), "last_day", "2099"),
    ],
)
def test_days_without_known_issues_are_refused(
    releases: list[Release], first_day: date, last_day: date | None, field: str, words: str
) -> None:
    with pytest.raises(Invalid) as refused:
        find_span(releases, first_day, last_day)
    assert refused.value.field == field
    assert words in str(refused.value)
