"""Whether a clock can be believed. Facts in, answers out."""

from datetime import date, datetime, timedelta
from enum import StrEnum

# A day, and what a cron job's delay and daylight saving add to it
TOLERANCE = timedelta(hours=26)


class Verdict(StrEnum):
    """What is known of a clock."""

    TRUSTED = "trusted"
    UNPROVEN = "unproven"  # masthead did not run for longer than a day, or the clock is ahead
    AHEAD = "ahead"
    BEHIND = "behind"
    APART = "apart"  # from the database server's clock


def is_off(daily_date: date, today: date) -> bool:
    """Whether an account's date is neither today nor the day before, on which the pass may wait."""
    return not today - timedelta(days=1) <= daily_date <= today


def judge(
    moment: datetime,
    *,
    seen_at: datetime | None,
    elapsed: timedelta | None,
    server: datetime | None,
) -> Verdict:
    """Whether `moment` can be the time.

    seen_at: the newest proof of time; elapsed: what passed since then by the uptime of the machine,
    None if it was started again meanwhile; server: the time of the database server.
    """
    if server is not None and abs(moment - server) > TOLERANCE:
        return Verdict.APART
    if seen_at is None or abs(moment - seen_at) <= TOLERANCE:
        return Verdict.TRUSTED
    if moment < seen_at:
        return Verdict.BEHIND
    if elapsed is None:
        return Verdict.UNPROVEN
    return Verdict.TRUSTED if abs(moment - seen_at - elapsed) <= TOLERANCE else Verdict.AHEAD
