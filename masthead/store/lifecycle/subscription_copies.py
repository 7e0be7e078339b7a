"""The copies of a few subscriptions: count, restore, add and remove them."""

from collections.abc import Collection

from masthead.model.types.enums import CopyStatus
from masthead.store.engine.interface import Connection


async def count_by_period(
    db: Connection, account_id: int, subscription_ids: Collection[str], status: CopyStatus
) -> dict[int, int]:
    """How many copies of subscriptions have a status, by period. Queries: one. Index: copy_once."""
    rows = await db.fetch_all(
        # FILTER makes the database read the few copies of the subscriptions, not all of the status
        """
        SELECT period_id, count(*) FILTER (WHERE status = :status) AS count
        FROM copy
        WHERE account_id = :account_id AND subscription_id IN (:ids...)
        GROUP BY period_id
        """,
        {"account_id": account_id, "ids": list(subscription_ids), "status": status},
    )
    return {row["period_id"]: row["count"] for row in rows}
