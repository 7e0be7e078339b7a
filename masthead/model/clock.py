"""The current time, and rules that decide whether a clock can be trusted."""

from contextvars import ContextVar
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from enum import StrEnum

# A day, plus the delay of a cron job and daylight saving
TOLERANCE = timedelta(hours=26)
_FIRST_ZONE = timezone(timedelta(hours=14))


# The day and the time zone of the sandbox that the current request, command or transaction is about
_sandbox: ContextVar[tuple[date, tzinfo] | None] = ContextVar("_sandbox", default=None)


class ClockState(StrEnum):
    """Whether a clock can be trusted, or what is wrong with it."""

    TRUSTED = "trusted"
    UNPROVEN = "unproven"  # masthead was off for more than a day, or the clock is ahead
    AHEAD = "ahead"
    BEHIND = "behind"
    APART = "apart"  # from the database server's clock


def now() -> datetime:
    """The current time, in UTC: of sessions, leases, the audit trail, and of writes."""
    return datetime.now(UTC)


def account_now() -> datetime:
    """The current time for the business of the account at hand, in UTC.

    In a sandbox, it is on the day of its clock, at the time of day of the real one, both in its
    time zone.
    """
    moment, sandbox = now(), _sandbox.get()
    if sandbox is None:
        return moment
    day, zone = sandbox
    return datetime.combine(day, moment.astimezone(zone).time(), zone).astimezone(UTC)


def account_today() -> date:
    """Today for the business of the account at hand: the day of a sandbox, or the one in UTC."""
    sandbox = _sandbox.get()
    return now().date() if sandbox is None else sandbox[0]


def use_sandbox_day(day: date | None, zone: tzinfo = UTC) -> None:
    """Let `account_now` be on the day of a sandbox; None for an account that has real time."""
    _sandbox.set(None if day is None else (day, zone))


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


def latest_today(moment: datetime) -> date:
    """The day where it begins first: that of an account whose time zone was changed since then."""
    return moment.astimezone(_FIRST_ZONE).date()


def is_off(daily_date: date, zone: tzinfo, moment: datetime) -> bool:
    """Whether an account's date is neither yesterday (today's pass may be due) nor a today."""
    yesterday = moment.astimezone(zone).date() - timedelta(days=1)
    return not yesterday <= daily_date <= latest_today(moment)


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
