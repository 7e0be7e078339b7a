"""The totals of a new subscriber; `store.subscribers` updates those of existing subscribers."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from masthead.model.subscriptions.lifecycle import LIVE

Row = Mapping[str, Any]


def subscriber_stats(
    subscriptions: Sequence[tuple[Row, Sequence[Row]]], *, currency: str
) -> dict[str, Any]:
    """The totals of a subscriber, by column.

    subscriptions: all subscriptions of the subscriber, each with its periods.
    currency: the account's currency; orders in other currencies do not count towards `ltv`.
    """
    has_active, ltv = False, 0
    latest: tuple[date, str, str] = date.min, "", ""  # order date, subscription, country
    for subscription, periods in subscriptions:
        has_active |= subscription["status"] in LIVE
        for period in periods:
            day = period["order_date"] or date.min
            latest = max(latest, (day, subscription["id"], subscription["country"]))
            if period["currency"] == currency:
                ltv += period["price"] - period["refunded"]
    day, _, country = latest
    return {
        "subscription_count": len(subscriptions),
        "has_active_subscription": has_active,
        "latest_order_date": None if day == date.min else day,
        "latest_country": country or None,
        "ltv": ltv,
    }
