"""Active subscriptions and subscribers over time: which days are counted, and by what rule.

A subscription is active from the day of its first order until it was over:

- `Active`, `Active - Renewals stopped` and `Past due` are not over.
- `Complete`: over on the day on which its last copy went out; if nobody noted that, on the release
  day of its last issue, else on the day of its last order. A membership's last day is the last one
  of its last period.
- `Cancelled`: over on the day of its cancellation in the audit trail; imported as such, on the day
  on which its last copy went out, else on that of its last order, which then counts nothing.

One that was renewed after a gap counts through the gap. A subscriber is active while one of their
subscriptions is.
`store.reports.trends` says it in SQL.
"""

from datetime import date, timedelta

from msgspec import Struct

MONTHS = 24


class TrendPoint(Struct, frozen=True):
    """What was active at the end of a day."""

    trend_date: date
    active_subscriptions: int
    active_subscribers: int


def month_ends(today: date, count: int = MONTHS) -> list[date]:
    """The last days of the months before that of `today`, oldest first."""
    ends = [today.replace(day=1) - timedelta(days=1)]
    while len(ends) < count:
        ends.append(ends[-1].replace(day=1) - timedelta(days=1))
    return ends[::-1]
