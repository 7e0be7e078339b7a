"""The figures of new subscribers, counted in memory; `store.subscribers` recounts the others'."""

from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any

from masthead.model.lifecycle import LIVE

Row = dict[str, Any]

NO_FIGURES: Row = {
    "subscription_count": 0,
    "has_active_subscription": False,
    "latest_order_date": None,
    "latest_country": None,
    "ltv": 0,
}


def count_figures(
    subscribers: Mapping[str, Row],
    subscriptions: Mapping[str, Row],
    periods: Iterable[Row],
    *,
    currency: str,
) -> None:
    """Write figures into the rows of subscribers, who have nothing but what is given.

    subscribers, subscriptions: by id. periods: of these subscriptions; what belongs to others
    does not count. currency: of the account.
    """
    for subscription in subscriptions.values():
        if subscriber := subscribers.get(subscription["subscriber_id"]):
            subscriber["subscription_count"] += 1
            subscriber["has_active_subscription"] |= subscription["status"] in LIVE
    newest: dict[str, tuple[date, str]] = {}
    for period in periods:
        subscription = subscriptions[period["subscription_id"]]
        id, day = subscription["subscriber_id"], period["order_date"] or date.min
        if (subscriber := subscribers.get(id)) is None:
            continue
        if period["currency"] == currency:
            subscriber["ltv"] += period["price"] - period["refunded"]
        if (day, subscription["id"]) >= newest.get(id, (date.min, "")):
            newest[id] = (day, subscription["id"])
            subscriber["latest_country"] = subscription["country"]
            subscriber["latest_order_date"] = period["order_date"]
