"""The rule that decides whether a clock can be trusted."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from masthead.model.clock import ClockState, clock_state, end_of, is_off, start_of

NOW = datetime(2026, 11, 21, 18, tzinfo=UTC)
DAY = timedelta(days=1)


@pytest.mark.parametrize(
    "moment, elapsed, state",
    [
        (NOW, None, ClockState.TRUSTED),
        (NOW + DAY, None, ClockState.TRUSTED),  # cron runs it once a day
        (NOW - DAY, timedelta(0), ClockState.TRUSTED),
        (NOW + 2 * DAY, None, ClockState.UNPROVEN),
        (NOW + 2 * DAY, timedelta(minutes=1), ClockState.AHEAD),
        (NOW + 7 * DAY, 7 * DAY, ClockState.TRUSTED),  # masthead, not the machine, was off
        (NOW + 400 * DAY, 7 * DAY, ClockState.AHEAD),
        (NOW - 2 * DAY, None, ClockState.BEHIND),
        (NOW - 2 * DAY, timedelta(minutes=1), ClockState.BEHIND),
    ],
)
def test_a_trusted_clock_advances_by_at_most_a_day_or_by_the_uptime(
    moment: datetime, elapsed: timedelta | None, state: ClockState
) -> None:
    assert clock_state(moment, seen_at=NOW, elapsed=elapsed, server=None) is state


def test_a_clock_without_any_proof_of_time_is_trusted() -> None:
    assert clock_state(NOW, seen_at=None, elapsed=None, server=None) is ClockState.TRUSTED


@pytest.mark.parametrize("by", [2 * DAY, -2 * DAY])
def test_the_clock_of_the_database_server_has_priority(by: timedelta) -> None:
    assert clock_state(NOW + by, seen_at=NOW + by, elapsed=None, server=NOW) is ClockState.APART
    assert clock_state(NOW, seen_at=NOW, elapsed=None, server=NOW) is ClockState.TRUSTED


def test_statuses_are_current_if_their_date_is_today_or_yesterday() -> None:
    today = date(2026, 11, 21)
    assert [is_off(today + DAY * days, today) for days in (-2, -1, 0, 1)] == [
        True,
        False,
        False,
        True,
    ]


def test_a_day_ends_when_the_next_one_begins() -> None:
    day = date(2026, 2, 28)
    assert start_of(day).isoformat() == "2026-02-28T00:00:00+00:00"
    assert end_of(day).isoformat() == "2026-03-01T00:00:00+00:00"
    assert end_of(date.max).date() == date.max


def test_a_day_begins_and_ends_in_a_time_zone() -> None:
    zone, day = ZoneInfo("Europe/Berlin"), date(2026, 10, 25)  # of 25 hours
    assert start_of(day, zone) == datetime(2026, 10, 24, 22, tzinfo=UTC)
    assert end_of(day, zone) == datetime(2026, 10, 25, 23, tzinfo=UTC)
    for extreme in (date.min, date.max):
        assert start_of(extreme, zone) == start_of(extreme)
        assert end_of(extreme, zone) >= end_of(extreme) - DAY
