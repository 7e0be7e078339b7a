"""What we answer, field for field in the order of the specification. No defaults: none is lost."""

from datetime import date
from typing import Annotated, Any

from msgspec import Meta, Struct

from masthead.model.types.enums import (
    CopyStatus,
    Medium,
    Scope,
    SourceType,
    SubscriptionStatus,
    SubscriptionType,
)

# `number` in the specification, whole in fact
Number = Annotated[int, Meta(extra_json_schema={"multipleOf": 1})]
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
    """A reader, with the figures of all their subscriptions.

    full_name: first and last name, or the company, or the email: the first that is known.
    latest_country, latest_order_date: of the newest order, renewals included.
    has_active_subscription: whether one of them is not `Complete` or `Cancelled`.
    subscription_count: all of them, whatever their status.
    ltv: what was paid and not refunded, over all orders in `ltv_currency`.
    ltv_currency: the currency in which the account sells.
    date_created: day of creation, UTC.
    """

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
    """Where the copies of a subscription go.

    country: ISO 3166-1 alpha-2 code.
    country_name: the country in English.
    """

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
    """What was bought.

    benefits: what comes with it, in the publisher's words.
    """

    id: str
    name: str
    benefits: list[str]


class SubscriptionPeriod(Struct, frozen=True):
    """One order of a subscription and what it covers.

    is_complete: every issue of it is out and no copy waits; of a membership, its days are over.
    length: issues bought; null for memberships.
    interval_months: months from one charge to the next; null unless it is a membership.
    period_start, period_end: first and last day; null unless it is a membership.
    issue_list: numbers of the issues that it covers.
    """

    id: int
    order_date: date | None
    is_complete: bool
    length: int | None
    interval_months: Number | None
    period_start: date | None
    period_end: date | None
    issue_list: list[int]


class Subscription(Struct, frozen=True):
    """A subscription in full.

    type: whether issues were bought or a span of time.
    length: issues of the current period; null for memberships.
    interval_months: months from one charge to the next; null unless it is a membership.
    total_length: issues of all periods; of a membership, those granted so far.
    notes: for the publisher's eyes only.
    current_period_start, current_period_end: what is paid now; null unless it is a membership.
    next_charge_date: when the next period is due; null if nothing renews, or no day is known.
    is_comp: whether it is given away by the publisher.
    gifter: who pays, if it is a gift.
    discount_amount, refunded, currency, price: of the current period's order.
    order_date: of the first order.
    start_issue: the first issue bought; null for memberships.
    issue_list: numbers of all issues that it covers, whether they exist yet or not.
    periods: its orders, oldest first.
    source: where the order came from.
    """

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
    """An issue of the magazine.

    release_date_actual: memberships paid for this day are granted a copy.
    release_date_fuzzy: the release in words, such as `early summer`.
    date_as_start_issue: from when on new subscriptions begin with it.
    recurring_charge_date: when the subscriptions that renew with it are charged.
    newsstand_ean: bar code of the newsstand edition.
    """

    id: str
    number: int
    name: str
    release_date_actual: date | None
    release_date_fuzzy: str | None
    date_as_start_issue: date | None
    recurring_charge_date: date | None
    newsstand_ean: str | None


class Copy(Struct, frozen=True):
    """One issue for one subscription.

    date_sent: null too if it went out on a day that nobody noted.
    country: ISO code of where its subscription goes now.
    """

    id: int
    date_sent: date | None
    status: CopyStatus
    country: str
    issue: IssueRef
    subscriber_id: str
    subscription_id: str


class MarkedSent(Struct, frozen=True):
    """The copies that a mark-sent request marked.

    updated_count: how many they are.
    items: each once, in the order of their ids.
    """

    error: Annotated[bool, Meta(extra_json_schema={"const": False})]
    updated_count: int
    items: list[Copy]


class ApiError(Struct, frozen=True, omit_defaults=False):
    """A refusal.

    message: what is wrong and the way out, for people; its wording may change.
    code: what is wrong, for programs.
    """

    error: Annotated[bool, Meta(extra_json_schema={"const": True})]
    message: str
    code: str


class Health(Struct, frozen=True):
    """How the service is."""

    status: str


Document = dict[str, Any]
