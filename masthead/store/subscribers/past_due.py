"""Subscribers whose subscriptions go on, but are not paid."""

from collections.abc import Sequence

from masthead.model.subscriptions.lifecycle import LIVE
from masthead.model.types.enums import SubscriptionStatus
from masthead.store.engine.interface import Connection


async def list_past_due(db: Connection, account_id: int, ids: Sequence[str]) -> set[str]:
    """Those of some subscribers whose live subscriptions are all past due.

    Queries: one, or none without ids. Index: subscription_by_subscriber.
    """
    if not ids:
        return set()
    rows = await db.fetch_all(
        """
        SELECT subscriber_id
        FROM subscription
        WHERE account_id = :account_id
          AND subscriber_id IN (:ids...)
          AND status IN (:live...)
        GROUP BY subscriber_id
        HAVING min(CASE WHEN status = :past_due THEN 1 ELSE 0 END) = 1
        """,
        {
            "account_id": account_id,
            "ids": list(ids),
            "live": sorted(LIVE),
            "past_due": SubscriptionStatus.PAST_DUE,
        },
    )
    return {row["subscriber_id"] for row in rows}
