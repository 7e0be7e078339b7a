"""Whether a clock can be trusted."""

from datetime import UTC, date, datetime, timedelta

import pytest

from masthead.model.clock import Verdict, is_off, judge

NOW = datetime(2026, 11, 21, 18, tzinfo=UTC)
DAY = timedelta(days=1)


@pytest.mark.parametrize(
    "moment, elapsed, verdict",
    [
        (NOW, None, Verdict.TRUSTED),
        (NOW + DAY, None, Verdict.TRUSTED),  # cron runs it once a day
        (NOW - DAY, timedelta(0), Verdict.TRUSTED),
        (NOW + 2 * DAY, None, Verdict.UNPROVEN),
        (NOW + 2 * DAY, timedelta(minutes=1), Verdict.AHEAD),
        (NOW + 7 * DAY, 7 * DAY, Verdict.TRUSTED),  # masthead was off for a week, not the machine
        (NOW + 400 * DAY, 7 * DAY, Verdict.AHEAD),
        (NOW - 2 * DAY, None, Verdict.BEHIND),
        (NOW - 2 * DAY, timedelta(minutes=1), Verdict.BEHIND),
    ],
)
def test_a_trusted_clock_advances_at_most_a_day_or_by_the_uptime(
    moment: datetime, elapsed: timedelta | None, verdict: Verdict
) -> None:
    assert judge(moment, seen_at=NOW, elapsed=elapsed, server=None) is verdict


def test_a_clock_without_any_proof_of_time_is_trusted() -> None:
    assert judge(NOW, seen_at=None, elapsed=None, server=None) is Verdict.TRUSTED


@pytest.mark.parametrize("by", [2 * DAY, -2 * DAY])
def test_the_database_server_s_clock_is_asked_first(by: timedelta) -> None:
    assert judge(NOW + by, seen_at=NOW + by, elapsed=None, server=NOW) is Verdict.APART
    assert judge(NOW, seen_at=NOW, elapsed=None, server=NOW) is Verdict.TRUSTED


def test_statuses_may_be_of_today_or_of_yesterday() -> None:
    today = date(2026, 11, 21)
    assert [is_off(today + DAY * days, today) for days in (-2, -1, 0, 1)] == [
        True,
        False,
        False,
        True,
    ]
