"""Orders of a subscriber in each currency."""

from collections import defaultdict
from collections.abc import Collection

from masthead.store.engine.interface import Connection


async def sum_paid(
    db: Connection, account_id: int, subscriber_ids: Collection[str]
) -> dict[str, dict[str, int]]:
    """Prices less refunds of subscribers, in minor units, by subscriber and currency. Queries: one.

    Indexes: subscription_by_subscriber, period_by_subscription.
    """
    rows = await db.fetch_all(
        """
        SELECT s.subscriber_id, p.currency, CAST(sum(p.price - p.refunded) AS bigint) AS paid
        FROM subscription s
        CROSS JOIN period p
        WHERE s.account_id = :account_id
          AND s.subscriber_id IN (:subscribers...)
          AND p.account_id = :account_id
          AND p.subscription_id = s.id
        GROUP BY s.subscriber_id, p.currency
        ORDER BY s.subscriber_id, p.currency
        """,
        {"account_id": account_id, "subscribers": list(subscriber_ids)},
    )
    paid = defaultdict[str, dict[str, int]](dict)
    for row in rows:
        paid[row["subscriber_id"]][row["currency"]] = row["paid"]
    return paid
