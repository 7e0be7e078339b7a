"""What subscribers paid, for themselves and for others, in each currency."""

from collections import defaultdict
from collections.abc import Collection

from masthead.store.engine.interface import Connection

# The parts of the sum. CROSS JOIN: the planner of SQLite would begin with the orders. IS TRUE, and
# lower() on both sides, let it find gifts by the index of the giver's address
_OWN = """
    SELECT s.subscriber_id AS payer_id, p.currency, p.price - p.refunded AS amount
    FROM subscription s
    CROSS JOIN period p
    WHERE s.account_id = :account_id
      AND s.subscriber_id IN (:ids...)
      AND s.is_gift = false
      AND s.gifter_id IS NULL
      AND p.account_id = :account_id
      AND p.subscription_id = s.id
      AND p.is_billed IS NOT TRUE
"""
_GIVEN = """
    SELECT s.gifter_id AS payer_id, p.currency, p.price - p.refunded AS amount
    FROM subscription s
    CROSS JOIN period p
    WHERE s.account_id = :account_id
      AND s.gifter_id IN (:ids...)
      AND p.account_id = :account_id
      AND p.subscription_id = s.id
      AND p.is_billed IS NOT TRUE
"""
_GIVEN_BY_EMAIL = """
    SELECT u.id AS payer_id, p.currency, p.price - p.refunded AS amount
    FROM subscriber u
    CROSS JOIN subscription s
    CROSS JOIN period p
    WHERE u.account_id = :account_id
      AND u.id IN (:ids...)
      AND s.account_id = :account_id
      AND s.gifter_email IS NOT NULL
      AND lower(s.gifter_email) = lower(u.email_key)
      AND (s.gifter_id IS NULL AND s.is_gift = true) IS TRUE
      AND p.account_id = :account_id
      AND p.subscription_id = s.id
      AND p.is_billed IS NOT TRUE
"""
_BILLED = """
    SELECT m.payer_id, m.currency, m.amount
    FROM payment m
    WHERE m.account_id = :account_id
      AND m.payer_id IN (:ids...)
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
        FROM (
            {_OWN} UNION ALL {_GIVEN} UNION ALL {_GIVEN_BY_EMAIL} UNION ALL {_BILLED}
        ) AS t
        GROUP BY t.payer_id, t.currency
        ORDER BY t.payer_id, t.currency
        """,  # noqa: S608 - constants
        {"account_id": account_id, "ids": list(ids)},
    )
    paid = defaultdict[str, dict[str, int]](dict)
    for row in rows:
        paid[row["payer_id"]][row["currency"]] = row["paid"]
    return paid
