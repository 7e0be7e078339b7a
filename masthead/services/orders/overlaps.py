"""Finds what the subscriber of an order has already."""

from masthead.model.orders.entry import OrderEntry
from masthead.model.orders.overlaps import Overlap, find_overlaps
from masthead.store.engine.interface import Connection
from masthead.store.issues.records import list_releases
from masthead.store.orders.live_periods import list_live_periods

_COMPARED = "type medium start_issue length period_start order_date interval_months".split()


async def list_overlaps(
    db: Connection, account_id: int, entry: OrderEntry, subscriber_id: str | None
) -> list[Overlap]:
    """The live subscriptions of the subscriber with issues of the order.

    subscriber_id: None for a new one. Queries: two at most.
    """
    periods = await list_live_periods(db, account_id, subscriber_id) if subscriber_id else []
    if not periods:
        return []
    given = {name: getattr(entry, name) for name in _COMPARED}
    return find_overlaps(given, periods, await list_releases(db, account_id))
