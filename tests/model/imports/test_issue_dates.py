"""Dates become start issues."""

from datetime import date

import pytest

from masthead.model.errors import Invalid
from masthead.model.imports.issue_dates import StartIssues
from masthead.model.imports.plan import IssueDates

ISSUES = [
    IssueDates(1, date(2026, 1, 1)),
    IssueDates(2, date(2026, 4, 1), date(2026, 2, 1)),
    IssueDates(3, None, date(2026, 6, 1)),
    IssueDates(4),
]


def test_the_current_issue_is_the_newest_that_was_released() -> None:
    issues = StartIssues(ISSUES, "")
    days = (date(2026, 1, 1), date(2026, 3, 31), date(2026, 4, 1), date(2030, 1, 1))
    assert [issues.find(day) for day in (*days, *days)] == [1, 1, 2, 2] * 2


def test_the_next_issue_is_the_first_that_subscriptions_start_with_from_that_day_on() -> None:
    issues = StartIssues(ISSUES, "next")
    days = (date(2025, 1, 1), date(2026, 1, 2), date(2026, 2, 1), date(2026, 2, 2))
    assert [issues.find(day) for day in days] == [1, 2, 2, 3]


def test_a_day_without_an_issue_says_which_one_to_create() -> None:
    with pytest.raises(Invalid, match="the first one is issue 1, of 2026-01-01"):
        StartIssues(ISSUES, "current").find(date(2025, 12, 31))
    with pytest.raises(Invalid, match="Create issue 5, with its release date"):
        StartIssues(ISSUES, "next").find(date(2026, 6, 2))
    with pytest.raises(Invalid, match="No issue has a release date"):
        StartIssues([], "current").find(date(2026, 1, 1))
