"""The current time, and rules that decide whether a clock can be trusted."""

from datetime import UTC, date, datetime, time, timedelta, tzinfo
from enum import StrEnum

# A day, plus the delay of a cron job and daylight saving
TOLERANCE = timedelta(hours=26)


class ClockState(StrEnum):
    """Whether a clock can be trusted, or what is wrong with it."""

    TRUSTED = "trusted"
    UNPROVEN = "unproven"  # masthead was off for more than a day, or the clock is ahead
    AHEAD = "ahead"
    BEHIND = "behind"
    APART = "apart"  # from the database server's clock


def now() -> datetime:
    """The current time, in UTC."""
    return datetime.now(UTC)


def start_of(day: date, zone: tzinfo = UTC) -> datetime:
    """The moment at which a day begins in a zone, in UTC."""
    if zone is not UTC and day in (date.min, date.max):  # it may begin outside the calendar
        zone = UTC
    return datetime.combine(day, time(), zone).astimezone(UTC)


def end_of(day: date, zone: tzinfo = UTC) -> datetime:
    """The moment at which the next day begins, or the latest moment if there is no next day."""
    if day == date.max:
        return datetime.max.replace(tzinfo=UTC)
    return start_of(day + timedelta(days=1), zone)


def is_off(daily_date: date, today: date) -> bool:
    """Whether an account's date is neither today nor yesterday (today's pass may be due)."""
    return not today - timedelta(days=1) <= daily_date <= today


def clock_state(
    moment: datetime,
    *,
    seen_at: datetime | None,
    elapsed: timedelta | None,
    server: datetime | None,
) -> ClockState:
    """Whether a clock that shows `moment` can be trusted.

    seen_at: the newest proof of time; elapsed: the time since then by the uptime of the machine,
    None if it was restarted; server: the time of the database server.
    """
    if server is not None and abs(moment - server) > TOLERANCE:
        return ClockState.APART
    if seen_at is None or abs(moment - seen_at) <= TOLERANCE:
        return ClockState.TRUSTED
    if moment < seen_at:
        return ClockState.BEHIND
    if elapsed is None:
        return ClockState.UNPROVEN
    return ClockState.TRUSTED if abs(moment - seen_at - elapsed) <= TOLERANCE else ClockState.AHEAD
