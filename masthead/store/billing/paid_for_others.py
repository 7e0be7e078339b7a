"""Payments that settled invoices of another payer than who paid."""

from collections import defaultdict
from datetime import date

from masthead.store.engine.interface import Connection


async def list_paid_for_others(
    db: Connection, account_id: int, first: date, last: date
) -> dict[str, list[tuple[int, int]]]:
    """What payments of some days settled for others: customer numbers and amounts, by payment.

    Amounts of a payment that came back are below zero, on the day of its return. Queries: one,
    read aside. Indexes: payment_by_date, settlement_by_payment, settlement_by_payback.
    """
    rows = await db.fetch_all(
        """
        SELECT c.id, y.number, CAST(sum(t.amount) AS bigint) AS amount
        FROM (
            SELECT p.id, p.id AS payment_id, 1 AS sign
            FROM payment p
            WHERE p.account_id = :account_id
              AND p.payment_date BETWEEN :first AND :last
              AND p.amount > 0
              AND p.undone_at IS NULL
            UNION ALL
            SELECT p.id, b.payment_id, -1
            FROM payment p
            JOIN settlement b ON b.account_id = :account_id AND b.payback_id = p.id
            WHERE p.account_id = :account_id
              AND p.payment_date BETWEEN :first AND :last
              AND p.amount < 0
              AND p.undone_at IS NULL
        ) AS c
        JOIN payment m ON m.account_id = :account_id AND m.id = c.payment_id
        JOIN settlement t
            ON t.account_id = :account_id
            AND t.payment_id = c.payment_id
            AND t.amount * c.sign > 0
        JOIN invoice i ON i.account_id = :account_id AND i.id = t.invoice_id
        JOIN payer y ON y.account_id = :account_id AND y.subscriber_id = i.payer_id
        WHERE i.payer_id <> m.payer_id
        GROUP BY c.id, y.number
        ORDER BY c.id, y.number
        """,
        {"account_id": account_id, "first": first, "last": last},
    )
    found: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    for row in rows:
        found[row["id"]].append((row["number"], row["amount"]))
    return found
