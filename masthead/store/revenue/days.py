"""Days and months in SQL: orders without a date count on the day on which they were recorded."""

from collections.abc import Mapping
from datetime import UTC, date, datetime, time

from masthead.model.lifecycle import next_day
from masthead.store.engine.interface import Dialect

# Of an order `p`, such as `2026-11`
ORDER_MONTH: Mapping[Dialect, str] = {
    "sqlite": "substr(coalesce(p.order_date, p.created_at), 1, 7)",
    "postgres": (
        "to_char(coalesce(p.order_date, CAST(p.created_at AT TIME ZONE 'UTC' AS date)), 'YYYY-MM')"
    ),
}

# Whether an order `p` is of the days from :first to :last
ORDERED_IN_RANGE = """
    (
        p.order_date BETWEEN :first AND :last
        OR (p.order_date IS NULL AND p.created_at >= :first_at AND p.created_at < :end_at)
    )
"""


def start_of(day: date) -> datetime:
    """The first moment of a day."""
    return datetime.combine(day, time.min, UTC)


def end_of(day: date) -> datetime:
    """The first moment after a day."""
    following = next_day(day)
    return start_of(following) if following else datetime.max.replace(tzinfo=UTC)


def day_range(first: date, last: date) -> dict[str, object]:
    """The parameters of `ORDERED_IN_RANGE`."""
    return {"first": first, "last": last, "first_at": start_of(first), "end_at": end_of(last)}
