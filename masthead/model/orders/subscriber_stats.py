"""The totals of a new subscriber; `store.subscribers` updates those of existing subscribers."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from masthead.model.lifecycle import LIVE

Row = Mapping[str, Any]


def subscriber_stats(
    subscriptions: Sequence[tuple[Row, Sequence[Row]]], *, currency: str
) -> dict[str, Any]:
    """The totals of a subscriber, by column.

    subscriptions: all subscriptions of the subscriber, at least one, each with its periods.
    currency: the account's currency; orders in other currencies do not count towards `ltv`.
    """
    orders = [(subscription, period) for subscription, of in subscriptions for period in of]
    subscription, latest = max(orders, key=_recency)
    return {
        "subscription_count": len(subscriptions),
        "has_active_subscription": any(row["status"] in LIVE for row, _ in subscriptions),
        "latest_order_date": latest["order_date"],
        "latest_country": subscription["country"],
        "ltv": sum(
            period["price"] - period["refunded"]
            for _, period in orders
            if period["currency"] == currency
        ),
    }


def _recency(order: tuple[Row, Row]) -> tuple[date, str]:
    """The key to sort orders by: date, then subscription."""
    subscription, period = order
    return period["order_date"] or date.min, subscription["id"]
