"""What ends soon unless somebody asks the reader to renew, and who has not paid.

A subscription ends soon if it is `Active - Renewals stopped`, or `Active` and not recurring, and
its last issue is the next one to start with, or one before that; a membership, if the last day of
its last period is at most 60 days away.
"""

from datetime import date, timedelta

from msgspec import Struct

from masthead.model.values import Medium, SubscriptionStatus

DAYS_AHEAD = 60
ISSUES_AHEAD = 1


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
