"""The number of active subscriptions and subscribers over time.

A subscription is active from the day of its first order until it ends:

- `Active`, `Active - Renewals stopped` and `Past due`: it has not ended.
- `Complete`: it ended when its last copy was sent. If that date was not recorded, it ended on the
  release date of its last issue, or else on the day of its last order. A membership ended on the
  last day of its last period.
- `Cancelled`: it ended when it was cancelled, as the audit trail says. If it was imported as
  cancelled, it ended when its last copy was sent, or else on the day of its last order; then it
  was never active.

A subscription that was renewed after a gap counts as active during the gap. A subscriber is active
while any of their subscriptions is. `store.reports.trends` has this rule in SQL.
"""

from datetime import date, timedelta

from msgspec import Struct

MONTHS = 24


class TrendPoint(Struct, frozen=True):
    """The active subscriptions and subscribers at the end of a day."""

    trend_date: date
    active_subscriptions: int
    active_subscribers: int


def month_ends(today: date) -> list[date]:
    """The last days of the months before that of `today`, oldest first."""
    ends = [today.replace(day=1) - timedelta(days=1)]
    while len(ends) < MONTHS:
        ends.append(ends[-1].replace(day=1) - timedelta(days=1))
    return ends[::-1]
