"""What is owed now, and what waits for its invoice on a day."""

from datetime import date

from masthead.store.engine.interface import Connection


async def sum_open(db: Connection, account_id: int) -> dict[str, int]:
    """What is open of all invoices, less credit notes and payments that are left, by currency.

    Today it is what payers owe. Queries: two. Indexes: invoice_by_due_date, payment_unused.
    """
    rows = await db.fetch_all(
        """
        SELECT t.currency, CAST(sum(t.amount) AS bigint) AS amount
        FROM (
            SELECT currency, open_amount AS amount
            FROM invoice
            WHERE account_id = :account_id AND open_amount <> 0
            UNION ALL
            SELECT currency, -unused_amount AS amount
            FROM payment
            WHERE account_id = :account_id AND unused_amount <> 0
        ) AS t
        GROUP BY t.currency
        """,
        {"account_id": account_id},
    )
    return {row["currency"]: row["amount"] for row in rows}


async def sum_waiting(db: Connection, account_id: int, day: date) -> dict[str, int]:
    """What billed orders up to a day cost that were on no invoice at its end, by currency.

    Their refunds up to that day are deducted. Queries: one, read aside. CROSS JOIN keeps SQLite
    from reading all invoices for each order. Index: invoice_line_by_period.
    """
    rows = await db.fetch_all(
        """
        SELECT t.currency, CAST(sum(t.price - t.refunded) AS bigint) AS amount
        FROM (
            SELECT
                p.currency,
                p.price,
                coalesce((
                    SELECT sum(r.amount)
                    FROM refund r
                    WHERE r.account_id = :account_id
                      AND r.period_id = p.id
                      AND r.refund_date <= :day
                ), 0) AS refunded,
                coalesce((
                    SELECT sum(CASE WHEN i.kind = 'invoice' THEN 1 ELSE -1 END * (l.net + l.vat))
                    FROM invoice_line l
                    CROSS JOIN invoice i
                    WHERE l.account_id = :account_id
                      AND l.period_id = p.id
                      AND i.account_id = l.account_id
                      AND i.id = l.invoice_id
                      AND i.issue_date <= :day
                ), 0) AS billed
            FROM billed_order b
            JOIN period p ON p.account_id = b.account_id AND p.id = b.period_id
            WHERE b.account_id = :account_id AND p.order_date <= :day
        ) AS t
        WHERE t.billed = 0
        GROUP BY t.currency
        """,
        {"account_id": account_id, "day": day},
    )
    return {row["currency"]: row["amount"] for row in rows}
