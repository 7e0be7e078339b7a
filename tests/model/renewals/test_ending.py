"""The definition of "soon"."""

from datetime import date

import pytest

from masthead.model.renewals.ending import last_day_ahead


@pytest.mark.parametrize(
    "today, last",
    [("2026-01-01", "2026-03-02"), ("9999-12-01", "9999-12-31"), ("9999-11-01", "9999-12-31")],
)
def test_soon_means_within_60_days_and_within_the_calendar(today: str, last: str) -> None:
    assert last_day_ahead(date.fromisoformat(today)) == date.fromisoformat(last)
