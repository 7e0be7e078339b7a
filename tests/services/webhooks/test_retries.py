"""When messages are sent again."""

from datetime import UTC, datetime, timedelta

import pytest

from masthead.model.webhooks.retries import (
    DELAYS,
    LONGEST_WAIT,
    MAX_ATTEMPTS,
    parse_retry_after,
    retry_delay,
)

MOMENT = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)


def test_delays_grow_from_seconds_to_days_and_then_end() -> None:
    delays = [retry_delay(attempt, chance=0.5) for attempt in range(1, MAX_ATTEMPTS + 1)]
    assert delays == [*DELAYS, None]
    assert list(DELAYS) == sorted(DELAYS)
    assert timedelta(days=3) < sum(DELAYS, timedelta()) < timedelta(days=4)


@pytest.mark.parametrize("attempt", range(1, MAX_ATTEMPTS))
def test_delays_differ_by_chance_and_never_exceed_the_longest_wait(attempt: int) -> None:
    low, high = (retry_delay(attempt, chance=chance) for chance in (0.0, 0.999))
    assert low == DELAYS[attempt - 1] * 0.8
    assert high is not None
    assert low < DELAYS[attempt - 1] < high < LONGEST_WAIT


@pytest.mark.parametrize(
    "asked, delay",
    [
        (timedelta(seconds=1), timedelta(seconds=5)),
        (timedelta(hours=1), timedelta(hours=1)),
        (timedelta(days=9), timedelta(hours=24)),
        (None, timedelta(seconds=5)),
    ],
)
def test_retry_after_counts_within_limits(asked: timedelta | None, delay: timedelta) -> None:
    assert retry_delay(1, chance=0.5, retry_after=asked) == delay


@pytest.mark.parametrize(
    "text, found",
    [
        ("120", timedelta(seconds=120)),
        ("9" * 5000, timedelta(hours=24)),
        ("Mon, 02 Mar 2026 12:01:00 GMT", timedelta(minutes=1)),
        ("Mon, 02 Mar 2026 12:01:00 -0000", timedelta(minutes=1)),
        ("Mon, 02 Mar 2026 11:00:00 GMT", timedelta()),
        ("Mon, 02 Mar 2026 12:01:00 +9999", None),
        ("Mon, 02 Mar 2026 12:01:00 +" + "9" * 20, None),
        ("Mon, 02 Mar 2026 " + "9" * 20 + ":01:00 GMT", None),
        ("Mon, 02 Mar " + "9" * 20 + " 12:01:00 GMT", None),
        ("Mon, " + "9" * 5000 + " Mar 2026 12:01:00 GMT", None),
        ("soon", None),
        ("-5", None),
        ("²", None),
        ("", None),
        (None, None),
    ],
)
def test_retry_after_is_seconds_or_a_date(text: str | None, found: timedelta | None) -> None:
    assert parse_retry_after(text, MOMENT) == found
