"""When a message that was not accepted is sent again."""

from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

# After each failed attempt. The last attempt is about three days after the first.
DELAYS = (
    timedelta(seconds=5),
    timedelta(minutes=5),
    timedelta(minutes=30),
    timedelta(hours=2),
    timedelta(hours=5),
    timedelta(hours=10),
    timedelta(hours=14),
    timedelta(hours=20),
    timedelta(hours=24),
)
MAX_ATTEMPTS = len(DELAYS) + 1
JITTER = 0.2  # of the delay, so that messages that failed together are not sent together
LONGEST_RETRY_AFTER = timedelta(hours=24)
# The longest wait for the next attempt; a later moment means that the clock was ahead
LONGEST_WAIT = timedelta(hours=30)


def retry_delay(
    attempts: int, *, chance: float, retry_after: timedelta | None = None
) -> timedelta | None:
    """The time until the next attempt; None after the last one.

    attempts: the number of failed ones. chance: at least 0, below 1. retry_after: what the receiver
    asks for; a shorter time than the usual one has no effect.
    """
    if attempts > len(DELAYS):
        return None
    delay = DELAYS[attempts - 1] * (1 + JITTER * (2 * chance - 1))
    return max(delay, min(retry_after or delay, LONGEST_RETRY_AFTER))


def parse_retry_after(text: str | None, moment: datetime) -> timedelta | None:
    """The time in a header `Retry-After`: seconds, or a date; None without a valid one."""
    if not text:
        return None
    if text.isascii() and text.isdigit():
        return timedelta(seconds=min(int(text[:9]), LONGEST_RETRY_AFTER.total_seconds()))
    try:
        until = parsedate_to_datetime(text)
    except (ValueError, OverflowError):  # the latter for a year of 20 digits
        return None
    return max(until.replace(tzinfo=until.tzinfo or UTC) - moment, timedelta())
