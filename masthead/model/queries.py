"""Structs of query strings: the filters of lists."""

from typing import Annotated

from msgspec import Meta

from masthead.model import advice
from masthead.model.billing.lists import Shown
from masthead.model.inputs import ListQuery
from masthead.model.types.enums import CopyStatus, SubscriptionStatus, SubscriptionType
from masthead.model.types.fields import Day, Text
from masthead.model.types.filters import (
    ChangedSince,
    Country,
    EmailFilter,
    IssueId,
    OrderId,
    Search,
    SourceId,
    SubscriberId,
    SubscriptionId,
)


class SubscriberQuery(ListQuery, kw_only=True, frozen=True):
    """Filters of the subscribers."""

    search: Search | None = None


class InvoiceQuery(ListQuery, kw_only=True, frozen=True):
    """Filters of the invoices on the pages. search: a number, a customer number or a payer."""

    show: Shown | None = None
    search: Search | None = None
    payer: SubscriberId | None = None


class PaymentQuery(ListQuery, kw_only=True, frozen=True):
    """Filters of the payments on the pages. show: `unused` for those of which something is left."""

    show: Annotated[str, Meta(pattern="^unused$")] | None = None
    search: Search | None = None
    payer: SubscriberId | None = None


class SubscriberLookup(SubscriberQuery, kw_only=True, frozen=True):
    """Filters of the subscribers in the API, which also find those by email or what changed."""

    email: EmailFilter | None = None
    has_active_subscription: (
        Annotated[
            bool,
            Meta(
                description="`true` for subscribers with a subscription that is neither "
                "`Complete` nor `Cancelled`, `false` for others"
            ),
        ]
        | None
    ) = None
    updated_since: ChangedSince | None = None


class SubscriptionFilters(ListQuery, kw_only=True, frozen=True):
    """Filters of the subscriptions that the pages and the API have."""

    subscriber: SubscriberId | None = None
    country: Country | None = None
    source: SourceId | None = None
    is_gift: Annotated[bool, Meta(description="`true` for gifts, `false` for others")] | None = None
    search: Search | None = None


class SubscriptionQuery(SubscriptionFilters, kw_only=True, frozen=True):
    """Filters of the subscriptions on the pages."""

    status: SubscriptionStatus | None = None


class SubscriptionLookup(SubscriptionFilters, kw_only=True, frozen=True):
    """Filters of the subscriptions in the API, which also find those of an order or an email."""

    status: (
        Annotated[
            list[SubscriptionStatus],
            Meta(
                min_length=1,
                description="status of the subscription, or several: `Active,Past due`",
                extra={"advice": "Separate several values with commas, without blanks."},
            ),
        ]
        | None
    ) = None
    type: Annotated[SubscriptionType, Meta(description="what was bought")] | None = None
    next_charge_before: (
        Annotated[
            Day, Meta(description="only subscriptions whose `next_charge_date` is before this day")
        ]
        | None
    ) = None
    order_id: OrderId | None = None
    email: EmailFilter | None = None
    updated_since: ChangedSince | None = None


class IssueQuery(ListQuery, kw_only=True, frozen=True):
    """Filters of the issues."""

    updated_since: ChangedSince | None = None


class IssueCopyQuery(ListQuery, kw_only=True, frozen=True):
    """Filters of the copies of an issue."""

    elsewhere = advice.COPY_LIST
    status: Annotated[CopyStatus, Meta(description="status of the copies")] | None = None
    subscriber: SubscriberId | None = None
    subscription: SubscriptionId | None = None
    country: Country | None = None


class CopyQuery(IssueCopyQuery, kw_only=True, frozen=True):
    """Filters of the copies."""

    issue: IssueId | None = None


class AuditLogQuery(ListQuery, kw_only=True, frozen=True):
    """The filters of the audit log page. since, until: days, both included."""

    who: Annotated[Text, Meta(description="person, key or command")] | None = None
    action: Annotated[Text, Meta(description="what was done")] | None = None
    kind: Annotated[Text, Meta(description="kind of the record")] | None = None
    record: Annotated[Text, Meta(description="id of the record")] | None = None
    since: Annotated[Day, Meta(description="first day")] | None = None
    until: Annotated[Day, Meta(description="last day")] | None = None
