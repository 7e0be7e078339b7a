"""Finds what the subscriber of an order has already."""

from collections.abc import Mapping
from typing import Any

from masthead.model.orders.overlaps import Overlap, find_overlaps
from masthead.store.engine.interface import Connection
from masthead.store.issues.records import list_releases
from masthead.store.orders.live_periods import list_live_periods


async def list_overlaps(
    db: Connection, account_id: int, given: Mapping[str, Any], subscriber_id: str | None
) -> list[Overlap]:
    """The live subscriptions of the subscriber with issues of the order.

    given: the valid fields of the order. subscriber_id: None for a new one. Queries: two at most.
    """
    periods = await list_live_periods(db, account_id, subscriber_id) if subscriber_id else []
    if not periods:
        return []
    return find_overlaps(given, periods, await list_releases(db, account_id))
