"""What payments settled: invoices; what was paid back; and credit that settled invoices later."""

from collections import defaultdict
from datetime import date

from msgspec import Struct

from masthead.model.billing.journal import UsedCredit
from masthead.store.engine.interface import Connection
from masthead.store.engine.rows import fetch_all, to_struct


class SettledItem(Struct, frozen=True):
    """What a payment settled. amount: negative if it went back.

    number: of the invoice; of the one that a credit note corrected, if that was paid back; or the
    id of the payment of which money was left that was paid back.
    customer: number of who owed the invoice, who may be another one than who paid.
    """

    number: str
    customer: int
    amount: int


async def list_settled_items(
    db: Connection, account_id: int, first: date, last: date
) -> dict[str, list[SettledItem]]:
    """What payments of some days settled on their day, by payment.

    What a return takes back is below zero, on the day of the return. What is used later is in
    `list_used_credit`. Queries: one, read aside.
    Indexes: payment_by_date, settlement_by_payment, settlement_by_payback.
    """
    rows = await db.fetch_all(
        """
        WITH unused AS MATERIALIZED (
            SELECT
                p.id,
                b.payment_id,
                b.amount + coalesce((
                    SELECT CAST(sum(t.amount) AS bigint)
                    FROM settlement t
                    WHERE t.account_id = :account_id
                      AND t.payment_id = b.payment_id
                      AND t.amount < 0
                ), 0) AS amount
            FROM payment p
            JOIN settlement b ON b.account_id = :account_id AND b.payback_id = p.id
            WHERE p.account_id = :account_id
              AND p.payment_date BETWEEN :first AND :last
              AND p.undone_at IS NULL
        )
        SELECT c.id, i.number, y.number AS customer, CAST(sum(t.amount) AS bigint) AS amount
        FROM (
            SELECT p.id, p.id AS payment_id, p.payment_date, 1 AS sign
            FROM payment p
            WHERE p.account_id = :account_id
              AND p.payment_date BETWEEN :first AND :last
              AND p.amount > 0
              AND p.undone_at IS NULL
            UNION ALL
            SELECT p.id, b.payment_id, p.payment_date, -1
            FROM payment p
            JOIN settlement b ON b.account_id = :account_id AND b.payback_id = p.id
            WHERE p.account_id = :account_id
              AND p.payment_date BETWEEN :first AND :last
              AND p.amount < 0
              AND p.undone_at IS NULL
        ) AS c
        JOIN settlement t
            ON t.account_id = :account_id
            AND t.payment_id = c.payment_id
            AND t.amount * c.sign > 0
            AND (c.sign < 0 OR t.settled_date <= c.payment_date)
        JOIN invoice i ON i.account_id = :account_id AND i.id = t.invoice_id
        JOIN payer y ON y.account_id = :account_id AND y.subscriber_id = i.payer_id
        GROUP BY c.id, i.number, y.number
        UNION ALL
        SELECT p.id, coalesce(c.number, i.number), y.number, -t.amount
        FROM payment p
        JOIN settlement t ON t.account_id = :account_id AND t.payback_id = p.id
        JOIN invoice i ON i.account_id = :account_id AND i.id = t.credit_note_id
        LEFT JOIN invoice c ON c.account_id = :account_id AND c.id = i.corrects_id
        JOIN payer y ON y.account_id = :account_id AND y.subscriber_id = i.payer_id
        WHERE p.account_id = :account_id
          AND p.payment_date BETWEEN :first AND :last
          AND p.undone_at IS NULL
        UNION ALL
        SELECT u.id, u.payment_id, y.number, -u.amount
        FROM unused u
        JOIN payment m ON m.account_id = :account_id AND m.id = u.payment_id
        JOIN payer y ON y.account_id = :account_id AND y.subscriber_id = m.payer_id
        WHERE u.amount > 0
        ORDER BY 1, 2
        """,
        {"account_id": account_id, "first": first, "last": last},
    )
    found: defaultdict[str, list[SettledItem]] = defaultdict(list)
    for row in rows:
        found[row["id"]].append(to_struct(row, SettledItem))
    return found


async def list_used_credit(
    db: Connection, account_id: int, first: date, last: date
) -> list[UsedCredit]:
    """Credit that settled invoices on some days: what was left of payments of earlier days, and
    credit notes that settled another invoice than the one that they correct; negative if the credit
    was needed for that one after all.

    Queries: one, read aside. Index: settlement_by_date.
    """
    return await fetch_all(
        db,
        """
        SELECT
            t.settled_date AS day,
            coalesce(n.number, p.id) AS document,
            coalesce(c.number, n.number, p.id) AS source,
            o.number AS owner,
            i.number AS invoice,
            y.number AS customer,
            i.currency,
            t.amount
        FROM settlement t
        JOIN invoice i ON i.account_id = :account_id AND i.id = t.invoice_id
        JOIN payer y ON y.account_id = :account_id AND y.subscriber_id = i.payer_id
        LEFT JOIN payment p ON p.account_id = :account_id AND p.id = t.payment_id
        LEFT JOIN invoice n ON n.account_id = :account_id AND n.id = t.credit_note_id
        LEFT JOIN invoice c ON c.account_id = :account_id AND c.id = n.corrects_id
        LEFT JOIN payer o
            ON o.account_id = :account_id
            AND o.subscriber_id = coalesce(p.payer_id, n.payer_id)
        WHERE t.account_id = :account_id
          AND t.settled_date BETWEEN :first AND :last
          AND (t.amount > 0 OR n.id IS NOT NULL)
          AND (
              t.settled_date > p.payment_date
              OR t.invoice_id <> coalesce(n.corrects_id, '') AND n.id IS NOT NULL
          )
        ORDER BY t.settled_date, t.id
        """,
        {"account_id": account_id, "first": first, "last": last},
        into=UsedCredit,
    )
