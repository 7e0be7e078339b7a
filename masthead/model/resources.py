"""What we answer, field for field in the order of the specification. No defaults: none is lost."""

from datetime import date
from typing import Annotated, Any

from msgspec import Meta, Struct

from masthead.model.values import (
    CopyStatus,
    Medium,
    Scope,
    SourceType,
    SubscriptionStatus,
    SubscriptionType,
)

# whole in fact, `number` in the specification
Number = Annotated[int, Meta(extra_json_schema={"type": "number"})]
Email = Annotated[str, Meta(extra_json_schema={"format": "email"})]


class AccountRef(Struct, frozen=True):
    """The account of a key."""

    name: str
    subdomain: str


class Me(Struct, frozen=True):
    """Who a key stands for, and what it may do."""

    email: Email
    account: AccountRef
    scope: Scope


class Source(Struct, frozen=True):
    """Where orders come from."""

    id: str
    name: str
    type: SourceType
    is_active: bool


class Subscriber(Struct, frozen=True):
    """A reader, with the figures of all their subscriptions."""

    id: str
    first_name: str | None
    last_name: str | None
    full_name: str
    email: Email
    latest_country: str | None
    latest_order_date: date | None
    has_active_subscription: bool
    subscription_count: int
    ltv: str
    ltv_currency: str
    date_created: date | None


class ShippingAddress(Struct, frozen=True):
    """Where the copies of a subscription go."""

    company: str | None
    address1: str | None
    address2: str | None
    city: str | None
    state: str | None
    postcode: str | None
    country: str | None
    country_name: str | None
    phone: str | None


class GifterRef(Struct, frozen=True):
    """Who gave a gift subscription."""

    full_name: str
    email: Email


class SubscriberRef(Struct, frozen=True):
    """The subscriber, in short."""

    id: str
    full_name: str
    email: Email


class SourceRef(Struct, frozen=True):
    """The source, in short."""

    id: str
    name: str


class IssueRef(Struct, frozen=True):
    """An issue, in short."""

    id: str
    number: int
    name: str


class Product(Struct, frozen=True):
    """What was bought."""

    id: str
    name: str
    benefits: list[str]


class SubscriptionPeriod(Struct, frozen=True):
    """One order of a subscription and what it covers."""

    id: int
    order_date: date | None
    is_complete: bool
    length: int | None
    interval_months: Number | None
    period_start: date | None
    period_end: date | None
    issue_list: list[int]


class Subscription(Struct, frozen=True):
    """A subscription in full."""

    id: str
    type: SubscriptionType
    status: SubscriptionStatus
    medium: Medium
    first_name: str | None
    last_name: str | None
    shipping_address: ShippingAddress
    length: int | None
    interval_months: Number | None
    total_length: Number
    notes: str | None
    is_recurring: bool
    current_period_start: date | None
    current_period_end: date | None
    next_charge_date: date | None
    is_comp: bool
    is_gift: bool
    gifter: GifterRef | None
    promo_code: str | None
    discount_amount: str
    refunded: str
    currency: str | None
    price: str | None
    order_date: date | None
    start_issue: IssueRef | None
    issue_list: list[int]
    periods: list[SubscriptionPeriod]
    subscriber: SubscriberRef
    source: SourceRef | None
    product: Product


class SubscriptionState(Struct, frozen=True):
    """What anyone who holds a subscription's id may know."""

    status: SubscriptionStatus


class Issue(Struct, frozen=True):
    """An issue of the magazine."""

    id: str
    number: int
    name: str
    release_date_actual: date | None
    release_date_fuzzy: str | None
    date_as_start_issue: date | None
    recurring_charge_date: date | None
    newsstand_ean: str | None


class Copy(Struct, frozen=True):
    """One issue for one subscription."""

    id: int
    date_sent: date | None
    status: CopyStatus
    country: str
    issue: IssueRef
    subscriber_id: str
    subscription_id: str


class MarkedSent(Struct, frozen=True):
    """The copies that a mark-sent request marked."""

    error: Annotated[bool, Meta(extra_json_schema={"const": False})]
    updated_count: int
    items: list[Copy]


class ApiError(Struct, frozen=True, omit_defaults=False):
    """A refusal: what is wrong, and a code for programs."""

    error: Annotated[bool, Meta(extra_json_schema={"const": True})]
    message: str
    code: str


class Health(Struct, frozen=True):
    """How the service is."""

    status: str


Document = dict[str, Any]
