"""Sums of the journal and of payments, for `masthead check`: the database adds them up."""

from datetime import date

from masthead.store.engine.interface import Connection


async def sum_sales_and_payments(db: Connection, account_id: int) -> dict[str, int]:
    """What sales and payments are on the receivables of the journal, by currency.

    That is all but write-offs: used credit is 0 in all. Documents count by their lines, as in the
    journal. Queries: one, which reads all lines and payments.
    """
    rows = await db.fetch_all(
        """
        SELECT t.currency, CAST(sum(t.amount) AS bigint) AS amount
        FROM (
            SELECT
                i.currency,
                CASE WHEN i.kind = 'credit_note' THEN -l.net - l.vat ELSE l.net + l.vat END
                    AS amount
            FROM invoice i
            JOIN invoice_line l ON l.account_id = i.account_id AND l.invoice_id = i.id
            JOIN payer y ON y.account_id = i.account_id AND y.subscriber_id = i.payer_id
            WHERE i.account_id = :account_id
            UNION ALL
            SELECT currency, -amount
            FROM payment
            WHERE account_id = :account_id AND undone_at IS NULL
        ) AS t
        GROUP BY t.currency
        """,
        {"account_id": account_id},
    )
    return {row["currency"]: row["amount"] for row in rows}


async def list_write_off_days(db: Connection, account_id: int) -> list[date]:
    """The days on which something was written off, oldest first. Index: settlement_written_off."""
    rows = await db.fetch_all(
        """
        SELECT DISTINCT settled_date AS day
        FROM settlement
        WHERE account_id = :account_id AND payment_id IS NULL AND credit_note_id IS NULL
        ORDER BY settled_date
        """,
        {"account_id": account_id},
    )
    return [date.fromisoformat(str(row["day"])) for row in rows]  # a text on SQLite


async def list_unequal_payments(db: Connection, account_id: int) -> list[str]:
    """The currencies whose payments are not what they have settled and what is left of them.

    What was paid back of a credit note counts against what was settled. Queries: one, which reads
    all payments and settlements.
    """
    rows = await db.fetch_all(
        """
        SELECT t.currency
        FROM (
            SELECT currency, amount - unused_amount AS amount
            FROM payment
            WHERE account_id = :account_id AND undone_at IS NULL
            UNION ALL
            SELECT i.currency, -s.amount
            FROM settlement s
            JOIN invoice i ON i.account_id = s.account_id AND i.id = s.invoice_id
            WHERE s.account_id = :account_id AND s.payment_id IS NOT NULL
            UNION ALL
            SELECT n.currency, s.amount
            FROM settlement s
            JOIN invoice n ON n.account_id = s.account_id AND n.id = s.credit_note_id
            WHERE s.account_id = :account_id AND s.payback_id IS NOT NULL
        ) AS t
        GROUP BY t.currency
        HAVING sum(t.amount) <> 0
        ORDER BY t.currency
        """,
        {"account_id": account_id},
    )
    return [row["currency"] for row in rows]
