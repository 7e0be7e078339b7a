"""Who lapsed and who is about to: the stages of a renewal, by issues and by days.

An issue subscription is counted by its last issue against the current issue, a membership by the
last day of its last period. Neither has lapsed if it was renewed: it has a later period, or the
subscriber has a newer subscription that starts and ends later and is not cancelled.
"""

from datetime import date
from enum import StrEnum
from typing import Annotated

from msgspec import Meta, Struct

from masthead.model.inputs import ListQuery
from masthead.model.orders.price_rises import LastOrder
from masthead.model.translations import gettext_noop
from masthead.model.types.enums import (
    LabelledEnum,
    Medium,
    Salutation,
    SubscriptionStatus,
    SubscriptionType,
)
from masthead.model.types.filters import Country, SourceId
from masthead.model.types.full_names import full_name
from masthead.model.types.postal_fields import PostalFields

STAGE_DAYS = 30  # a stage of a membership has this many days
MAX_AGO = 12  # issues


class RenewalStage(LabelledEnum):
    """When a subscriber is asked to renew, counted from the last issue."""

    BEFORE = "before", gettext_noop("One issue before the last one")
    LAST = "last", gettext_noop("With the last issue")
    AFTER_1 = "after_1", gettext_noop("One issue after the last one")
    AFTER_2 = "after_2", gettext_noop("Two issues after the last one")


# How many issues the stage is after the last one
_ISSUES_AFTER = {
    RenewalStage.BEFORE: -1,
    RenewalStage.LAST: 0,
    RenewalStage.AFTER_1: 1,
    RenewalStage.AFTER_2: 2,
}


class RenewalList(StrEnum):
    """A list of subscriptions to renew; the value is its part of the URL."""

    ENDING = ""  # with the current issue
    NEXT = "next"  # with the next issue
    LAPSED = "lapsed"  # with an earlier issue
    PAST_DUE = "past-due"
    STOPPED = "stopped"  # renewals are stopped


class RenewalSort(StrEnum):
    """The columns that a list can be sorted by; `-` for descending."""

    NAME = "name"
    NAME_DOWN = "-name"
    ENDS = "ends"
    ENDS_DOWN = "-ends"
    ORDERED = "ordered"
    ORDERED_DOWN = "-ordered"


class RenewalListQuery(ListQuery, kw_only=True, frozen=True):
    """The filters of the lists. ago: how many issues ago a subscription ended."""

    ago: Annotated[int, Meta(ge=1, le=MAX_AGO, description="issues ago")] = 1
    medium: Annotated[Medium, Meta(description="medium of the subscription")] | None = None
    country: Country | None = None
    source: SourceId | None = None
    is_comp: (
        Annotated[bool, Meta(description="`true` for complimentary copies, `false` for others")]
        | None
    ) = None
    has_letter: (
        Annotated[bool, Meta(description="`true` for those that got a renewal letter")] | None
    ) = None
    sort: Annotated[RenewalSort, Meta(description="column that the list is sorted by")] | None = (
        None
    )


class Days(Struct, frozen=True):
    """A range of days, both included."""

    first: date
    last: date


class Ends(Struct, frozen=True):
    """The ends that a list has: one last issue, and the last days of memberships."""

    last_issue: int
    days: Days
    # a subscription that renews automatically has lapsed only after its last issue
    has_recurring: bool


def ends_at(issues_after: int, current: int, today: date) -> Ends:
    """The ends of what ended some issues ago, or ends with a coming issue if that is negative.

    Memberships count in steps of 30 days: with the current issue end those of today and the next
    30 days, with the next issue those of the 30 days after that, and one issue ago ended those of
    the last 30 days. current: the number of the current issue.
    """
    if issues_after > 0:
        first, last = -STAGE_DAYS * issues_after, -STAGE_DAYS * (issues_after - 1) - 1
    else:
        first = 1 - STAGE_DAYS * issues_after if issues_after else 0
        last = STAGE_DAYS * (1 - issues_after)
    days = Days(_shift(today, first), _shift(today, last))
    return Ends(current - issues_after, days, has_recurring=issues_after > 0)


def ends_at_stage(stage: RenewalStage, current: int, today: date) -> Ends:
    """The ends of what has reached a stage. current: the number of the current issue."""
    return ends_at(_ISSUES_AFTER[stage], current, today)


def ends_of(kind: RenewalList, current: int, today: date, *, ago: int = 1) -> Ends | None:
    """The ends that a list has; None if the list is by status. ago: for `LAPSED`."""
    issues_after = {RenewalList.ENDING: 0, RenewalList.NEXT: -1, RenewalList.LAPSED: ago}
    return ends_at(issues_after[kind], current, today) if kind in issues_after else None


def _shift(day: date, days: int) -> date:
    """A day some days later, within the years that dates have."""
    number = min(max(day.toordinal() + days, date.min.toordinal()), date.max.toordinal())
    return date.fromordinal(number)


class Candidate(PostalFields, frozen=True, kw_only=True):
    """A subscription whose subscriber is asked to renew.

    period_id, order_id, order_date: of its last period. first_name to country: of the address that
    it is sent to. last_issue: None for memberships. period_end: None for issue subscriptions.
    price: of its last period, in the smallest unit of `currency`, before the discount.
    copies: how many it stands for, if several go to one address; `price` is that of all, and
    group_orders has the price and the day of each: `2400 2026-03-01,2400 2026-05-01`.
    subscriber_*: the name, the own address and the language of the subscriber. gifter_*: who gave
    it, if it is a gift.
    sort_key: what a list of them is sorted by, before the id.
    """

    period_id: int
    order_id: str
    order_date: date | None
    subscription_id: str
    status: SubscriptionStatus
    subscriber_id: str
    type: SubscriptionType
    email: str
    is_placeholder: bool
    is_unsubscribed: bool
    has_bounced: bool
    subscriber_first_name: str | None
    subscriber_last_name: str | None
    subscriber_company: str | None
    subscriber_salutation: Salutation | None = None
    subscriber_title: str | None = None
    subscriber_address1: str | None = None
    subscriber_address2: str | None = None
    subscriber_city: str | None = None
    subscriber_state: str | None = None
    subscriber_postcode: str | None = None
    subscriber_country: str | None = None
    subscriber_language: str | None = None
    medium: Medium
    product_id: str
    source_id: str
    source_name: str
    is_comp: bool
    is_gift: bool
    gifter_name: str | None
    gifter_email: str | None
    last_issue: int | None
    period_end: date | None
    length: int | None
    interval_months: int | None
    price: int
    currency: str
    sort_key: str = ""
    copies: int = 1
    group_orders: str | None = None  # None for one copy

    @property
    def last_orders(self) -> list[LastOrder]:
        """The last order of each copy, in `currency`."""
        if self.group_orders is None:
            return [LastOrder(self.order_date, self.price)]
        listed = [each.partition(" ") for each in self.group_orders.split(",")]
        return [
            LastOrder(date.fromisoformat(day) if day else None, int(price))
            for price, _blank, day in listed
        ]

    @property
    def list_key(self) -> str:
        """Where it is in its list, as cursors have it."""
        return f"{self.sort_key} {self.subscription_id}"

    @property
    def _is_to_subscriber(self) -> bool:
        """Whether it is sent to the subscriber by their name."""
        own = self.subscriber_first_name or "", self.subscriber_last_name or ""
        return own == (self.first_name or "", self.last_name or "")

    @property
    def salutation(self) -> Salutation | None:
        """The salutation of the person it is sent to."""
        return self.subscriber_salutation if self._is_to_subscriber else None

    @property
    def title(self) -> str | None:
        """The title of the person it is sent to."""
        return self.subscriber_title if self._is_to_subscriber else None

    @property
    def full_name(self) -> str:
        """The name of the person it is sent to, else the company, else the email address."""
        return full_name(self.first_name, self.last_name, self.company, self.email)
