"""The days of periods, as tables."""

import calendar
from datetime import date, timedelta

import pytest
from hypothesis import example, given, strategies as st

from masthead.model.orders.period_coverage import Spread, add_months, membership_period_end, spreads


@pytest.mark.parametrize(
    "day, months, later",
    [
        ("2026-01-15", 1, "2026-02-15"),
        ("2026-01-31", 1, "2026-02-28"),
        ("2024-01-31", 1, "2024-02-29"),
        ("2026-01-30", 1, "2026-02-28"),
        ("2026-03-31", 3, "2026-06-30"),
        ("2026-12-01", 1, "2027-01-01"),
        ("2026-11-30", 3, "2027-02-28"),
        ("2024-02-29", 12, "2025-02-28"),
        ("2026-06-15", 24, "2028-06-15"),
    ],
)
def test_a_date_some_months_later_is_the_same_day_or_the_last_day_of_the_month(
    day: str, months: int, later: str
) -> None:
    assert add_months(date.fromisoformat(day), months) == date.fromisoformat(later)


def test_there_is_no_month_after_the_last_month_of_the_calendar() -> None:
    assert add_months(date(9999, 11, 30), 1) == date(9999, 12, 30)
    assert add_months(date(9999, 12, 1), 1) is None


@pytest.mark.parametrize(
    "start, months, end",
    [
        ("2026-01-01", 12, "2026-12-31"),
        ("2026-01-01", 1, "2026-01-31"),
        ("2026-02-15", 3, "2026-05-14"),
        ("9999-12-01", 1, "9999-12-31"),
        ("9999-01-01", 1200, "9999-12-31"),
        ("2024-02-29", 12, "2025-02-27"),
    ],
)
def test_a_period_ends_the_day_before_the_next_one_starts(
    start: str, months: int, end: str
) -> None:
    assert membership_period_end(date.fromisoformat(start), months) == date.fromisoformat(end)


@given(st.dates(date(1990, 1, 1), date(2090, 1, 1)), st.integers(1, 24), st.integers(1, 40))
@example(date(2024, 2, 29), 12, 8)
@example(date(2026, 1, 31), 1, 40)
def test_all_periods_of_a_membership_begin_on_the_day_of_the_first_one(
    first_day: date, months: int, count: int
) -> None:
    starts = [first_day]
    for _ in range(count):
        end = membership_period_end(starts[-1], months, first_day=first_day)
        starts.append(end + timedelta(days=1))
    assert starts == [day_of_month(first_day, number * months) for number in range(count + 1)]


def day_of_month(first_day: date, months: int) -> date:
    """The day some months later, by the lengths of months: the code takes it from dateutil."""
    year, month = divmod(first_day.year * 12 + first_day.month - 1 + months, 12)
    last = calendar.monthrange(year, month + 1)[1]
    return date(year, month + 1, min(first_day.day, last))


def test_without_the_first_day_a_short_month_changes_the_day_for_ever() -> None:
    assert membership_period_end(date(2026, 2, 28), 1) == date(2026, 3, 27)
    first_day = date(2026, 1, 31)
    assert membership_period_end(date(2026, 2, 28), 1, first_day=first_day) == date(2026, 3, 30)


def test_a_period_that_begins_on_another_day_keeps_its_own() -> None:
    first_day = date(2026, 1, 31)
    assert membership_period_end(date(2026, 3, 10), 1, first_day=first_day) == date(2026, 4, 9)


@pytest.mark.parametrize(
    "numbers, ranges",
    [
        ([], []),
        ([7], [(7, 7)]),
        ([1, 2, 3], [(1, 3)]),
        ([1, 2, 3, 7], [(1, 3), (7, 7)]),
        ([1, 3, 4, 9, 10], [(1, 1), (3, 4), (9, 10)]),
    ],
)
def test_numbers_are_written_as_ranges(numbers: list[int], ranges: list[tuple[int, int]]) -> None:
    assert list(spreads(numbers)) == [Spread(first, last) for first, last in ranges]
