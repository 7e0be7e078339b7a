"""What a subscriber paid in each currency."""

from masthead.store.engine.interface import Connection


async def sum_paid(db: Connection, account_id: int, subscriber_id: str) -> dict[str, int]:
    """Prices less refunds, in minor units, by currency. Queries: one.

    Indexes: subscription_by_subscriber, period_by_subscription.
    """
    rows = await db.fetch_all(
        """
        SELECT p.currency, CAST(sum(p.price - p.refunded) AS bigint) AS paid
        FROM subscription s
        CROSS JOIN period p
        WHERE s.account_id = :account_id
          AND s.subscriber_id = :subscriber
          AND p.account_id = :account_id
          AND p.subscription_id = s.id
        GROUP BY p.currency
        ORDER BY p.currency
        """,
        {"account_id": account_id, "subscriber": subscriber_id},
    )
    return {row["currency"]: row["paid"] for row in rows}
