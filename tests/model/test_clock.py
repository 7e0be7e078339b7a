"""The rule that decides whether a clock can be trusted."""

from contextvars import copy_context
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
import time_machine

from masthead.model.clock import (
    ClockState,
    account_now,
    account_today,
    clock_state,
    end_of,
    is_off,
    now,
    start_of,
    use_sandbox_day,
)

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


@pytest.mark.parametrize(
    "zone, hour, current",
    [
        ("Europe/Berlin", 9, [20, 21]),
        ("Europe/Berlin", 12, [20, 21, 22]),  # in Kiritimati, the 22nd has begun
        ("Europe/Berlin", 23, [21, 22]),
        ("America/New_York", 3, [19, 20, 21]),
        ("Pacific/Kiritimati", 9, [20, 21]),
        ("Pacific/Kiritimati", 10, [21, 22]),
    ],
)
def test_statuses_are_current_if_their_day_is_yesterday_or_a_today(
    zone: str, hour: int, current: list[int]
) -> None:
    moment = datetime(2026, 11, 21, hour, tzinfo=UTC)
    days = [date(2026, 11, day) for day in range(15, 28)]
    assert [day.day for day in days if not is_off(day, ZoneInfo(zone), moment)] == current


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


@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin", "America/New_York", "Pacific/Kiritimati"])
@pytest.mark.parametrize("hour", [0, 6, 12, 18, 23])
def test_a_sandbox_is_on_its_day_in_its_time_zone_at_any_hour(zone: str, hour: int) -> None:
    day = date(2027, 3, 9)
    with time_machine.travel(datetime(2026, 12, 1, hour, 30, tzinfo=UTC), tick=False):
        copy_context().run(_check_sandbox, day, ZoneInfo(zone))


def _check_sandbox(day: date, zone: ZoneInfo) -> None:
    use_sandbox_day(day, zone)
    local = account_now().astimezone(zone)
    assert (local.date(), local.time()) == (day, now().astimezone(zone).time())
    assert account_today() == day
    use_sandbox_day(None)
    assert account_now() == now()
