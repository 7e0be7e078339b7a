"""What ends soon unless somebody asks the reader to renew, and who has not paid.

A subscription ends soon if it is `Active - Renewals stopped`, or `Active` and not recurring, and
its last issue is the current one or the next; with no issue current, the next to come or the one
after it. One that ended before is over, even if a copy of it was never marked as sent, which keeps
it from being Complete. A membership ends soon if the last day of its last period is at most 60 days
away.
"""

from datetime import date, timedelta

from msgspec import Struct

from masthead.model.types.enums import Medium, SubscriptionStatus

DAYS_AHEAD = 60
ISSUES_AHEAD = 1


class Soon(Struct, frozen=True):
    """The numbers of the first and the last issue with which to end is to end soon."""

    first: int
    last: int


class Ending(Struct, frozen=True):
    """A subscription that ends soon, or is past due.

    full_name: of whom it goes to. last_issue: number; None for memberships. period_end: the last
    day of a membership's last period; None for subscriptions.
    """

    id: str
    status: SubscriptionStatus
    full_name: str
    email: str
    is_placeholder: bool
    subscriber_id: str
    medium: Medium
    country: str
    last_issue: int | None
    period_end: date | None

    @property
    def key(self) -> str:
        """Its place in the list: what it ends with, and its id."""
        return f"{self.period_end or self.last_issue} {self.id}"


def last_day_ahead(today: date) -> date:
    """The last day that is soon."""
    return min(today, date.max - timedelta(days=DAYS_AHEAD)) + timedelta(days=DAYS_AHEAD)
