"""The order plan: the rows that a batch of orders writes. `decide` creates it."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from msgspec import Struct

from masthead.model.audit_entries import NewEntry
from masthead.model.errors import Invalid
from masthead.model.orders.period_coverage import DatedIssue
from masthead.model.search import SearchTexts
from masthead.model.types.enums import CopyStatus

Row = Mapping[str, Any]


class NewCopy(Struct, frozen=True, gc=False):
    """A copy of a new period. date_sent: None if it is not sent, or the date is not known."""

    issue: DatedIssue
    status: CopyStatus
    date_sent: date | None


class NewPeriod(Struct, frozen=True):
    """A new period. columns: its row without the id. country: the country of its copies.

    out: the numbers of the issues that are out, of which the order does not say that they were
    sent; lowest first, and none if the subscription is cancelled. Those up to `sent_through` of
    the order count as sent.
    """

    columns: Row
    subscriber_id: str
    country: str
    copies: Sequence[NewCopy]
    out: Sequence[int] = ()


class OrderPlan(Struct, frozen=True, kw_only=True):
    """The rows to write for a batch of orders, and the outcome of each order.

    outcomes: for each order, the id of its subscription, or the error that refuses it.
    subscribers, subscriptions: complete rows of new records. periods: in the order of their ids.
    renewals: id, status, last_issue and total_length of existing subscriptions that are renewed.
    cancelled: ids of existing subscriptions that a renewal cancels.
    cancelled_dates: the day of each cancellation that arrives with an order, by subscription.
    search_rows: the rows of the search index for new subscribers and their subscriptions.
    existing_subscribers: ids of subscribers whose totals and search rows change.
    audit_entries: one for each order that is not refused.
    """

    outcomes: Sequence[str | Invalid]
    subscribers: Sequence[Row]
    subscriptions: Sequence[Row]
    periods: Sequence[NewPeriod]
    renewals: Sequence[Row]
    cancelled: list[str]
    search_rows: Sequence[SearchTexts]
    cancelled_dates: Mapping[str, date]
    existing_subscribers: list[str]
    audit_entries: Sequence[NewEntry]

    @property
    def copy_count(self) -> int:
        """The number of copies in all periods."""
        return sum(len(period.copies) for period in self.periods)

    def numbered(self, last_period: int, last_copy: int) -> tuple[list[Row], list[Row]]:
        """The rows of periods and copies, with ids that follow the last used ids."""
        periods: list[Row] = []
        copies: list[Row] = []
        for id, period in enumerate(self.periods, last_period + 1):
            periods.append({**period.columns, "id": id})
            copies += [
                {
                    "id": copy_id,
                    "period_id": id,
                    "subscription_id": period.columns["subscription_id"],
                    "subscriber_id": period.subscriber_id,
                    "issue_id": copy.issue.id,
                    "issue_number": copy.issue.number,
                    "status": copy.status,
                    "date_sent": copy.date_sent,
                    "country": period.country,
                }
                for copy_id, copy in enumerate(period.copies, last_copy + len(copies) + 1)
            ]
        return periods, copies
