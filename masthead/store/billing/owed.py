"""What is owed now."""

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
