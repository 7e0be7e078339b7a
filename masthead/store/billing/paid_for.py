"""Who pays for subscriptions now: the payer of the last order, if it is billed."""

from collections.abc import Collection

from masthead.model.ids import LAST_NUMBER
from masthead.store.engine.interface import Connection
from masthead.store.subscriptions.periods import IS_LAST_ORDER


async def find_payers(
    db: Connection, account_id: int, subscription_ids: Collection[str]
) -> dict[str, str]:
    """The payer of the last order of each subscription, without those not billed. Queries: one."""
    rows = await db.fetch_all(
        f"""
        SELECT p.subscription_id, b.payer_id
        FROM period p
        JOIN billed_order b ON b.account_id = p.account_id AND b.period_id = p.id
        WHERE p.account_id = :account_id
          AND p.subscription_id IN (:ids...)
          AND {IS_LAST_ORDER}
        """,  # noqa: S608 - a constant
        {"account_id": account_id, "ids": list(subscription_ids)},
    )
    return {row["subscription_id"]: row["payer_id"] for row in rows}


async def list_newest_paid(
    db: Connection, account_id: int, payer_id: str, limit: int, *, before: int = LAST_NUMBER
) -> list[tuple[int, str]]:
    """The subscriptions of others whose last order a subscriber pays, the newest order first.

    Returns the id of each order with that of its subscription. Gifts of the payer are not among
    them. before: the order before the first one. Queries: one. Index: billed_order_by_payer.
    """
    rows = await db.fetch_all(
        f"""
        SELECT b.period_id, p.subscription_id
        FROM billed_order b
        JOIN period p ON p.account_id = b.account_id AND p.id = b.period_id
        JOIN subscription s ON s.account_id = p.account_id AND s.id = p.subscription_id
        WHERE b.account_id = :account_id
          AND b.payer_id = :payer
          AND b.period_id < :before
          AND s.subscriber_id <> :payer
          AND (s.gifter_id IS NULL OR s.gifter_id <> :payer)
          AND {IS_LAST_ORDER}
        ORDER BY b.period_id DESC
        LIMIT :limit
        """,  # noqa: S608 - a constant
        {
            "account_id": account_id,
            "payer": payer_id,
            "before": before,
            "limit": limit,
        },
    )
    return [(row["period_id"], row["subscription_id"]) for row in rows]


async def find_payers_of_orders(
    db: Connection, account_id: int, period_ids: Collection[int]
) -> dict[int, str]:
    """The payer of each order that is billed, by period. Queries: one."""
    rows = await db.fetch_all(
        """
        SELECT period_id, payer_id
        FROM billed_order
        WHERE account_id = :account_id AND period_id IN (:ids... AS bigint)
        """,
        {"account_id": account_id, "ids": list(period_ids)},
    )
    return {row["period_id"]: row["payer_id"] for row in rows}
