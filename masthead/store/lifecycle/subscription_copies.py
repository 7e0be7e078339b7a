"""The copies of a few subscriptions: count, restore, add and remove them."""

from collections.abc import Collection

from masthead.model.types.enums import CopyStatus
from masthead.store.engine.interface import Connection, Row


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


async def list_with_runs(
    db: Connection, account_id: int, subscription_ids: Collection[str]
) -> list[Row]:
    """The copies of subscriptions by issue, each with the run that holds it, if any.

    Rows: id, subscription_id, period_id, issue_number, status, dispatch_id, and run, its number
    within the issue. Queries: one. Index: copy_once.
    """
    return await db.fetch_all(
        """
        SELECT
            c.id,
            c.subscription_id,
            c.period_id,
            c.issue_number,
            c.status,
            c.dispatch_id,
            d.number AS run
        FROM copy c
        LEFT JOIN dispatch d ON d.account_id = c.account_id AND d.id = c.dispatch_id
        WHERE c.account_id = :account_id AND c.subscription_id IN (:ids...)
        ORDER BY c.issue_number, c.subscription_id
        """,
        {"account_id": account_id, "ids": list(subscription_ids)},
    )
