"""The days for which a trend has values."""

from datetime import date

from masthead.model.reports.trends import MONTHS, month_ends


def test_the_days_are_the_last_days_of_the_months_before_this_one() -> None:
    days = month_ends(date(2026, 3, 31))
    assert len(days) == MONTHS
    assert days[0] == date(2024, 3, 31)
    assert days[-2:] == [date(2026, 1, 31), date(2026, 2, 28)]


def test_a_leap_day_is_the_last_day_of_its_month() -> None:
    assert date(2024, 2, 29) in month_ends(date(2024, 3, 1))
