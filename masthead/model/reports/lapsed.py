"""Who lapsed and who is about to: the stages of a renewal, by issues and by days.

An issue subscription is counted by its last issue against the current issue, a membership by the
last day of its last period. Neither has lapsed if it was renewed: it has a later period, or the
reader has a newer subscription that starts and ends later and is not cancelled.
"""

from datetime import date, timedelta
from enum import StrEnum

from msgspec import Struct

from masthead.model.types.enums import Medium, SubscriptionType

STAGE_DAYS = 30  # a stage of a membership has this many days


class RenewalStage(StrEnum):
    """When a reader is asked to renew, counted from the last issue."""

    BEFORE = "before"  # one issue before the last one
    LAST = "last"  # with the last issue
    AFTER_1 = "after_1"  # one issue after the last one
    AFTER_2 = "after_2"


# How many issues the stage is after the last one
_ISSUES_AFTER = {
    RenewalStage.BEFORE: -1,
    RenewalStage.LAST: 0,
    RenewalStage.AFTER_1: 1,
    RenewalStage.AFTER_2: 2,
}


class Days(Struct, frozen=True):
    """A range of days, both included."""

    first: date
    last: date


def last_issue_at(stage: RenewalStage, current: int) -> int:
    """The last issue of the subscriptions that have reached a stage. current: the current issue."""
    return current - _ISSUES_AFTER[stage]


def last_days_at(stage: RenewalStage, today: date) -> Days:
    """The last days of the memberships that have reached a stage.

    Before: 31 to 60 days ahead. Last: today to 30 days ahead. After 1: 1 to 30 days ago. After 2:
    31 to 60 days ago.
    """
    first = {
        RenewalStage.BEFORE: STAGE_DAYS + 1,
        RenewalStage.LAST: 0,
        RenewalStage.AFTER_1: -STAGE_DAYS,
        RenewalStage.AFTER_2: -2 * STAGE_DAYS,
    }[stage]
    last = first + STAGE_DAYS - (stage is not RenewalStage.LAST)
    return Days(_shift(today, first), _shift(today, last))


def _shift(day: date, days: int) -> date:
    """A day some days later, within the years that dates have."""
    number = min(max(day.toordinal() + days, date.min.toordinal()), date.max.toordinal())
    return date.min + timedelta(days=number - 1)


class Candidate(Struct, frozen=True, kw_only=True):
    """A subscription whose reader is asked to renew.

    period_id: of its last period. first_name to country: of the address that it is sent to.
    last_issue: None for memberships. period_end: None for issue subscriptions.
    price: of its last period, in the smallest unit of `currency`, before the discount.
    subscriber_*: the name of the reader. gifter_*: who gave it, if it is a gift.
    can_email: whether the reader has an address, gets letters and the last one did not bounce.
    """

    period_id: int
    subscription_id: str
    subscriber_id: str
    type: SubscriptionType
    email: str
    is_placeholder: bool
    is_unsubscribed: bool
    has_bounced: bool
    subscriber_first_name: str | None
    subscriber_last_name: str | None
    subscriber_company: str | None
    first_name: str | None
    last_name: str | None
    company: str | None
    address1: str | None
    address2: str | None
    city: str | None
    state: str | None
    postcode: str | None
    country: str
    medium: Medium
    product_id: str
    source_id: str
    is_gift: bool
    gifter_id: str | None
    gifter_name: str | None
    gifter_email: str | None
    last_issue: int | None
    period_end: date | None
    length: int | None
    interval_months: int | None
    price: int
    currency: str

    @property
    def can_email(self) -> bool:
        """Whether an email can go to the reader."""
        return not (self.is_placeholder or self.is_unsubscribed or self.has_bounced)
