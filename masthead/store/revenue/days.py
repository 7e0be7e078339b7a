"""Days and months in SQL: an order without a date counts on the day on which it was recorded."""

from collections.abc import Mapping
from datetime import date

from masthead.model.clock import end_of, start_of
from masthead.store.engine.interface import Dialect

# The month of a date or moment, such as `2026-11`
MONTH_OF_DATE: Mapping[Dialect, str] = {
    "sqlite": "substr({}, 1, 7)",
    "postgres": "to_char({}, 'YYYY-MM')",
}
MONTH_OF_MOMENT: Mapping[Dialect, str] = {
    "sqlite": "substr({}, 1, 7)",
    "postgres": "to_char({} AT TIME ZONE 'UTC', 'YYYY-MM')",
}
DAY_OF_MOMENT: Mapping[Dialect, str] = {
    "sqlite": "substr({}, 1, 10)",
    "postgres": "CAST({} AT TIME ZONE 'UTC' AS date)",
}

# Orders `p` with a date, and without: two conditions, so that each one uses period_by_order_date
DATED = "p.order_date BETWEEN :first AND :last"
UNDATED = "p.order_date IS NULL AND p.created_at >= :first_at AND p.created_at < :end_at"


def day_range(first: date, last: date) -> dict[str, object]:
    """The parameters of `DATED` and `UNDATED`."""
    return {"first": first, "last": last, "first_at": start_of(first), "end_at": end_of(last)}
