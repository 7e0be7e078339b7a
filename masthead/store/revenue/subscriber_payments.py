"""What subscribers paid, for themselves and for others, in each currency."""

from collections import defaultdict
from collections.abc import Collection

from masthead.store.engine.interface import Connection
from masthead.store.subscriptions.gifts import GIFTS

# What is paid at once: by the giver, or else the subscriber. CROSS JOIN: the planner of SQLite
# would begin with the orders
_PAID_AT_ONCE = f"""
    SELECT s.payer_id, p.currency, p.price - p.refunded AS amount
    FROM (
        SELECT o.subscriber_id AS payer_id, o.id
        FROM subscription o
        WHERE o.account_id = :account_id
          AND o.subscriber_id IN (:subscribers...)
          AND o.is_gift = false
          AND o.gifter_id IS NULL
        UNION ALL
        SELECT t.giver_id AS payer_id, t.id
        FROM ({GIFTS}) AS t
    ) AS s
    CROSS JOIN period p
    WHERE p.account_id = :account_id AND p.subscription_id = s.id AND p.is_billed IS NOT TRUE
"""  # noqa: S608 - a constant
_BILLED = """
    SELECT m.payer_id, m.currency, m.amount
    FROM payment m
    WHERE m.account_id = :account_id
      AND m.payer_id IN (:subscribers...)
      AND m.undone_at IS NULL
"""


async def sum_paid(
    db: Connection, account_id: int, ids: Collection[str]
) -> dict[str, dict[str, int]]:
    """What subscribers paid, in minor units, by subscriber and currency. Queries: one.

    An order that was paid at once counts, less its refunds, for the giver, or else the subscriber.
    Of what is billed, the payments count, less what went back to the payer. Indexes:
    subscription_by_subscriber, subscription_by_gifter, subscription_by_gifter_email,
    period_by_subscription, payment_by_payer.
    """
    rows = await db.fetch_all(
        f"""
        SELECT t.payer_id, t.currency, CAST(sum(t.amount) AS bigint) AS paid
        FROM ({_PAID_AT_ONCE} UNION ALL {_BILLED}) AS t
        GROUP BY t.payer_id, t.currency
        ORDER BY t.payer_id, t.currency
        """,  # noqa: S608 - constants
        {"account_id": account_id, "subscribers": list(ids)},
    )
    paid = defaultdict[str, dict[str, int]](dict)
    for row in rows:
        paid[row["payer_id"]][row["currency"]] = row["paid"]
    return paid
