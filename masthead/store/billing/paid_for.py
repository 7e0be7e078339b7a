"""Who pays for subscriptions now: the payer of the last order, if it is billed, or the giver."""

from collections.abc import Collection, Sequence

from masthead.model.ids import LAST_NUMBER
from masthead.model.subscribers.for_others import ForOthers
from masthead.model.subscriptions.lifecycle import LIVE
from masthead.store.engine.interface import Connection
from masthead.store.subscriptions.bundles import GROUP_ID
from masthead.store.subscriptions.gifts import GIFTS
from masthead.store.subscriptions.periods import IS_LAST_ORDER

# The subscriptions of others for which some subscribers pay: gifts, and what is billed to them. No
# subscription is in both parts
_FOR_OTHERS = f"""
    SELECT s.giver_id AS payer_id, s.id, s.status, s.bundle_id
    FROM ({GIFTS}) AS s
    WHERE s.subscriber_id <> s.giver_id
      AND NOT EXISTS (
          SELECT 1
          FROM period p
          JOIN billed_order b ON b.account_id = p.account_id AND b.period_id = p.id
          WHERE p.account_id = :account_id AND p.subscription_id = s.id AND {IS_LAST_ORDER}
      )
    UNION ALL
    SELECT b.payer_id, billed.id, billed.status, billed.bundle_id
    FROM billed_order b
    CROSS JOIN period p
    CROSS JOIN subscription billed
    WHERE b.account_id = :account_id
      AND b.payer_id IN (:subscribers...)
      AND p.account_id = :account_id
      AND p.id = b.period_id
      AND billed.account_id = :account_id
      AND billed.id = p.subscription_id
      AND billed.subscriber_id <> b.payer_id
      AND {IS_LAST_ORDER}
"""  # noqa: S608 - constants


async def count_for_others(
    db: Connection, account_id: int, ids: Collection[str]
) -> dict[str, ForOthers]:
    """For how many subscriptions of others each subscriber pays, without those who pay for none.

    Several copies for one address count as one. Queries: one at most, about 20 µs for each
    subscription. Indexes: subscription_by_gifter, subscription_by_gifter_email,
    billed_order_by_payer, subscription_by_bundle.
    """
    if not ids:
        return {}
    rows = await db.fetch_all(
        f"""
        SELECT
            t.payer_id,
            count(DISTINCT t.group_id) AS total,
            count(DISTINCT CASE WHEN t.status IN (:live...) THEN t.group_id END) AS live
        FROM (
            SELECT s.payer_id, s.status, {GROUP_ID} AS group_id
            FROM ({_FOR_OTHERS}) AS s
        ) AS t
        GROUP BY t.payer_id
        """,  # noqa: S608 - a constant
        {"account_id": account_id, "subscribers": list(ids), "live": sorted(LIVE)},
    )
    return {row["payer_id"]: ForOthers(row["live"], row["total"]) for row in rows}


async def list_for_others(
    db: Connection, account_id: int, payer_id: str, limit: int
) -> Sequence[str]:
    """The subscriptions of others for which a subscriber pays: those that go on first, the newest.

    Queries: one, as above.
    """
    rows = await db.fetch_all(
        f"""
        SELECT t.id
        FROM ({_FOR_OTHERS}) AS t
        ORDER BY CASE WHEN t.status IN (:live...) THEN 0 ELSE 1 END, t.id DESC
        LIMIT :limit
        """,  # noqa: S608 - a constant
        {"account_id": account_id, "subscribers": [payer_id], "live": sorted(LIVE), "limit": limit},
    )
    return [row["id"] for row in rows]


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
