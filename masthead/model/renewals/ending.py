"""Which subscriptions end soon and were not renewed: those in the lists "Ends with issue ...".

A subscription ends soon if its last issue is the current issue or the next one. Without a current
issue, the first upcoming issue counts as the current one. A subscription with an earlier last issue
has ended. It is not Complete as long as one of its copies is not marked as sent. A membership ends
soon if the last day of its last period is at most 60 days away. `model.renewals.lapsed` says what
was renewed.
"""

from datetime import date, timedelta

from msgspec import Struct

from masthead.model.types.enums import Medium, SubscriptionStatus
from masthead.model.types.full_names import Named

DAYS_AHEAD = 60
ISSUES_AHEAD = 1


class EndingRange(Struct, frozen=True):
    """Issue numbers, both included; a subscription ends soon if its last issue is among them."""

    first: int
    last: int

    @property
    def ended(self) -> "EndingRange":
        """The last issues of subscriptions that have already ended."""
        return EndingRange(0, self.first - 1)


class Ending(Named, frozen=True):
    """A subscription that ends soon, or is past due.

    full_name: of the person that it is sent to. last_issue: its number; None for memberships.
    period_end: the last day of a membership's last period; None for issue subscriptions.
    """

    id: str
    status: SubscriptionStatus
    is_placeholder: bool
    subscriber_id: str
    medium: Medium
    country: str
    last_issue: int | None
    period_end: date | None

    @property
    def key(self) -> str:
        """The sort key: the last issue or day, then the ID."""
        return f"{self.period_end or self.last_issue} {self.id}"


def last_day_ahead(today: date) -> date:
    """The last day that counts as soon."""
    return min(today, date.max - timedelta(days=DAYS_AHEAD)) + timedelta(days=DAYS_AHEAD)
