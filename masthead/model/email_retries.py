"""When an email that was not accepted is sent again."""

from datetime import timedelta

# RFC 5321, 4.5.4.1: later attempts are at least 30 minutes apart, and go on for four to five days
FIRST_DELAY = timedelta(minutes=1)  # doubled after each failure
LONGEST_DELAY = timedelta(hours=4)
MAX_ATTEMPTS = 38  # the last one is five days after the first
# The longest wait for the next attempt; a later moment means that the clock was ahead
LONGEST_WAIT = timedelta(hours=12)


def retry_delay(failures: int) -> timedelta | None:
    """The delay before the next attempt after this many failures; None: give up."""
    if failures >= MAX_ATTEMPTS:
        return None
    delay: timedelta = FIRST_DELAY * 2 ** (failures - 1)
    return min(delay, LONGEST_DELAY)
