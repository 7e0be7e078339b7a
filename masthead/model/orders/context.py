"""What orders refer to, looked up before they are decided."""

from collections.abc import Collection, Mapping, Sequence
from datetime import date, datetime
from typing import Any

from msgspec import Struct

from masthead.model.orders.period_coverage import PeriodCoverage, ReleasedIssue
from masthead.model.resources import Source

Row = Mapping[str, Any]


class ExistingSubscription(Struct, frozen=True):
    """A subscription that orders renew.

    columns: its own row. coverage: of its last period. periods_complete: of each of its periods,
    oldest first. issues: the numbers of the issues that it got a copy of.
    """

    columns: Row
    coverage: PeriodCoverage
    periods_complete: Sequence[bool]
    issues: Collection[int]


class OrderContext(Struct, frozen=True, kw_only=True):
    """What the orders of one account refer to, and what new rows need.

    moment: when the rows are created. day: of the account's last daily pass.
    currency: of the account. placeholder_domain: of the addresses of subscribers without one.
    source: the one with `source_id`, if it exists. offered_products: ids that may be ordered.
    issues: all that the orders may cover or name.
    order_ids: the known ones, each with the id of its subscription.
    subscriber_ids: of the known subscribers, by email key.
    subscriptions: those that the orders renew, by id.
    new_subscriber_ids, new_subscription_ids: unused ids, rising, one for each order.
    last_number: the highest number that a subscriber or subscription of the account has.
    """

    moment: datetime
    day: date
    currency: str
    placeholder_domain: str
    source_id: str
    source: Source | None
    product_id: str
    offered_products: Collection[str]
    issues: Sequence[ReleasedIssue]
    order_ids: Mapping[str, str]
    subscriber_ids: Mapping[str, str]
    subscriptions: Mapping[str, ExistingSubscription]
    new_subscriber_ids: Sequence[str]
    new_subscription_ids: Sequence[str]
    last_number: int
