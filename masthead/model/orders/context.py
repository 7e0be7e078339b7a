"""The order context: all the data that a batch of orders refers to."""

from collections.abc import Collection, Mapping, Sequence
from datetime import date, datetime
from typing import Any

from msgspec import Struct

from masthead.model.orders.period_coverage import DatedIssue, PeriodCoverage
from masthead.model.resources import Source

Row = Mapping[str, Any]


class ExistingSubscription(Struct, frozen=True):
    """A stored subscription that the orders renew.

    columns: its row. coverage: that of its last period. first_day: of its first period, for a
    membership. periods_complete: `is_complete` of each period, oldest first. issues: the numbers
    of the issues that it has copies of.
    """

    columns: Row
    coverage: PeriodCoverage
    first_day: date | None
    periods_complete: Sequence[bool]
    issues: Collection[int]


class OrderContext(Struct, frozen=True, kw_only=True):
    """The data that a batch of orders for one account refers to, and the ids of new rows.

    moment: the creation time of new rows. day: the date of the account's last daily pass.
    currency: the account's currency. placeholder_domain: the domain of placeholder addresses, for
    subscribers without an email address.
    source: the source with `source_id`, if it exists. other_sources: those that orders name
    themselves, by id. import_number: of the import that the orders come from, if any.
    offered_products: ids of the products that can be ordered.
    issues: all issues that the orders may include. out: the numbers of those that are out; empty
    unless an order has `sent_through`.
    order_ids: the subscription ids of existing orders, by order id.
    subscriber_ids: the ids of existing subscribers, by email key.
    known_subscribers: the ids of the subscribers that orders name by id, by that id.
    subscriptions: the subscriptions that the orders renew, by id.
    new_subscriber_ids, new_subscription_ids: unused ids in ascending order, one for each order,
    and one more subscriber for each giver of a gift.
    last_number: the highest number of a subscriber or subscription in the account.
    """

    moment: datetime
    day: date
    currency: str
    placeholder_domain: str
    source_id: str
    source: Source | None
    product_id: str
    offered_products: Collection[str]
    issues: Sequence[DatedIssue]
    out: Collection[int] = ()
    order_ids: Mapping[str, str]
    subscriber_ids: Mapping[str, str]
    known_subscribers: Mapping[str, str] = {}
    subscriptions: Mapping[str, ExistingSubscription]
    new_subscriber_ids: Sequence[str]
    new_subscription_ids: Sequence[str]
    last_number: int
    other_sources: Mapping[str, Source] = {}
    import_number: int | None = None
