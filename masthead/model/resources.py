"""The structs of responses, with their fields in the order of the specification.

They have no defaults, so that no field can be forgotten, except what is only there in a sandbox.
"""

from datetime import date, datetime
from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType

from masthead.model.types.enums import (
    CopyStatus,
    Medium,
    Scope,
    SourceType,
    SubscriptionStatus,
    SubscriptionType,
)

# `number` in the specification, but always a whole number
Number = Annotated[int, Meta(extra_json_schema={"multipleOf": 1})]
Moment = Annotated[datetime, Meta(tz=True)]
Email = Annotated[str, Meta(extra_json_schema={"format": "email"})]


class AccountRef(Struct, frozen=True):
    """The account of an API key."""

    name: str
    subdomain: str


class Me(Struct, frozen=True):
    """The user, account and scope of an API key."""

    email: Email
    account: AccountRef
    scope: Scope
    sandbox_day: date | UnsetType = UNSET


class Source(Struct, frozen=True):
    """A source of orders, such as a shop.

    id: use it as the `source` of new subscriptions, and in the filter `source`.
    """

    id: str
    name: str
    type: SourceType
    is_active: bool


class Subscriber(Struct, frozen=True):
    """A subscriber, with totals of all their subscriptions.

    id: use it in paths, and in the filter `subscriber`.
    first_name, last_name: from the order that created the subscriber.
    email: email address; a placeholder if the orders have none.
    full_name: first and last name; else the company; else the email address.
    latest_country: country of the newest order, including renewals.
    latest_order_date: date of the newest order, including renewals.
    has_active_subscription: whether any subscription is neither `Complete` nor `Cancelled`.
    subscription_count: number of subscriptions with any status.
    ltv: lifetime value: the prices of all orders in `ltv_currency`, paid or not, less refunds.
    ltv_currency: the currency of the account.
    date_created: date of creation in UTC; never null so far.
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
    """The shipping address of a subscription.

    country: ISO 3166-1 alpha-2 country code.
    country_name: English name of the country.
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
    """The person who gave a gift subscription."""

    full_name: str
    email: Email


class SubscriberRef(Struct, frozen=True):
    """The subscriber, in brief."""

    id: str
    full_name: str
    email: Email


class SourceRef(Struct, frozen=True):
    """The source, in brief."""

    id: str
    name: str


class IssueRef(Struct, frozen=True):
    """An issue, in brief."""

    id: str
    number: int
    name: str


class Product(Struct, frozen=True):
    """The product that was bought.

    name: name of the product, as subscribers see it.
    benefits: what the product includes, in the words of the publisher.
    """

    id: str
    name: str
    benefits: list[str]


class SubscriptionPeriod(Struct, frozen=True):
    """One order of a subscription, and the issues that it covers.

    is_complete: for issues: all of them exist and no copy is left to send; for a membership: the
        period has ended.
    length: number of issues; null for memberships.
    interval_months: months between charges; null unless it is a membership.
    period_start: first day; null unless it is a membership.
    period_end: last day; null unless it is a membership.
    issue_list: numbers of the issues that the order covers.
    order_id: id of the order; unique in the account.
    transaction_id: id of the payment at the payment provider.
    price: amount paid for the order.
    discount_amount: discount on the order.
    refunded: amount refunded for the order.
    currency: ISO 4217 currency code of the order.
    source: the source of the order.
    """

    id: int
    order_date: date | None
    is_complete: bool
    length: int | None
    interval_months: Number | None
    period_start: date | None
    period_end: date | None
    issue_list: list[int]
    order_id: str
    transaction_id: str | None
    price: str
    currency: str
    discount_amount: str
    refunded: str
    source: SourceRef


class Subscription(Struct, frozen=True):
    """A subscription.

    id: use it in paths, and in the filter `subscription`.
    status: whether it is current; the daily pass makes the changes that depend on the date.
    type: `subscription` for a number of issues, `membership` for a period of time.
    length: number of issues in the current period; null for memberships.
    interval_months: months between charges; null unless it is a membership.
    total_length: number of issues in all periods; for a membership, the issues granted so far.
    notes: internal notes; subscribers do not see them.
    current_period_start: first day of the current period; null unless it is a membership.
    current_period_end: last day of the current period; null unless it is a membership.
    next_charge_date: date of the next charge; null if the subscription does not renew or the date
        is not known yet.
    is_comp: whether the subscription is complimentary.
    gifter: the person who pays, if it is a gift.
    discount_amount: discount on the order of the current period.
    refunded: amount refunded for the order of the current period.
    currency: ISO 4217 currency code of the order of the current period; never null so far.
    price: amount paid for the order of the current period; never null so far.
    order_date: date of the first order; never null so far.
    promo_code: code of the offer or campaign of the current period.
    start_issue: the first issue; null for memberships.
    issue_list: numbers of all issues that it covers, including those that do not exist yet.
    periods: the orders of the subscription, oldest first.
    source: the source of the first order; never null so far.
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
    """The status of a subscription, which is available without an API key."""

    status: SubscriptionStatus


class Issue(Struct, frozen=True):
    """An issue of the magazine.

    id: use it in paths, in the filter `issue`, and to freeze a run.
    name: name of the issue; `Issue {number}` if none was given.
    release_date_actual: date of release; memberships with a period that includes this date get a
        copy.
    release_date_fuzzy: date of release in words, such as `early summer`.
    date_as_start_issue: date from which new subscriptions start with this issue.
    recurring_charge_date: date on which subscriptions that renew with this issue are charged.
    newsstand_ean: EAN bar code of the newsstand edition.
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
    """A copy: one issue for one subscription.

    id: use it to mark the copy as sent, and for claims.
    status: whether the copy was sent.
    date_sent: date on which the copy was sent; null if it was not sent or the date is unknown.
    country: ISO 3166-1 alpha-2 code of the current country of its subscription.
    """

    id: int
    date_sent: date | None
    status: CopyStatus
    country: str
    issue: IssueRef
    subscriber_id: str
    subscription_id: str


class MarkedSent(Struct, frozen=True):
    """The copies that were marked as sent.

    updated_count: number of copies.
    items: the copies, in the order of their ids.
    """

    error: Annotated[bool, Meta(extra_json_schema={"const": False})]
    updated_count: int
    items: list[Copy]


Document = dict[str, Any]
