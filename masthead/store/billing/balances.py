"""The account of one payer, and orders that are billed, or wait for their invoice."""

from collections.abc import Collection, Sequence
from datetime import date

from masthead.model.billing.lists import AccountEntry, BilledOrder, WaitingPayer
from masthead.model.ids import LAST_ID
from masthead.model.pagination import Page, PageRequest, cut_page
from masthead.store.billing.open_sums import PAYER_NAME
from masthead.store.engine.interface import Connection
from masthead.store.engine.rows import fetch_all

_ENTRIES = """
    SELECT
        kind,
        id,
        issue_date AS day,
        number AS text,
        currency,
        CASE WHEN kind = 'credit_note' THEN -total ELSE total END AS amount,
        open_amount,
        due_date
    FROM invoice
    WHERE account_id = :account_id AND payer_id = :payer
    UNION ALL
    SELECT
        CASE WHEN amount < 0 THEN 'payback' ELSE 'payment' END,
        id,
        payment_date,
        reference,
        currency,
        -amount,
        -unused_amount,
        NULL
    FROM payment
    WHERE account_id = :account_id AND payer_id = :payer AND undone_at IS NULL
    UNION ALL
    SELECT
        CASE WHEN i.kind = 'fee' THEN 'waived' ELSE 'write_off' END,
        s.id,
        s.settled_date,
        s.reason,
        i.currency,
        -s.amount,
        0,
        NULL
    FROM invoice i
    JOIN settlement s ON s.account_id = i.account_id AND s.invoice_id = i.id
    WHERE i.account_id = :account_id
      AND i.payer_id = :payer
      AND s.payment_id IS NULL
      AND s.credit_note_id IS NULL
    UNION ALL
    SELECT
        CASE WHEN i.payer_id = :payer THEN 'paid_by_other' ELSE 'paid_for_other' END,
        s.id,
        s.settled_date,
        i.number,
        i.currency,
        CASE WHEN i.payer_id = :payer THEN -s.amount ELSE s.amount END,
        0,
        NULL
    FROM (
        SELECT t.id, t.settled_date, t.amount, t.invoice_id, t.payment_id
        FROM invoice o
        JOIN settlement t ON t.account_id = :account_id AND t.invoice_id = o.id
        WHERE o.account_id = :account_id AND o.payer_id = :payer AND t.payment_id IS NOT NULL
        UNION ALL
        SELECT t.id, t.settled_date, t.amount, t.invoice_id, t.payment_id
        FROM payment p
        JOIN settlement t ON t.account_id = :account_id AND t.payment_id = p.id
        WHERE p.account_id = :account_id AND p.payer_id = :payer AND t.invoice_id IS NOT NULL
    ) AS s
    JOIN invoice i ON i.account_id = :account_id AND i.id = s.invoice_id
    JOIN payment m ON m.account_id = :account_id AND m.id = s.payment_id
    WHERE m.payer_id <> i.payer_id
"""


async def list_entries(
    db: Connection, account_id: int, payer_id: str, request: PageRequest
) -> Page[AccountEntry]:
    """The account of a payer, newest entry first, with the balance after each. Queries: one.

    Reads all entries of the payer, for the balances. Indexes: invoice_by_payer,
    payment_by_payer, settlement_by_invoice, settlement_by_payment.
    """
    day, _, id = (request.after or f"9999-12-31/{LAST_ID}").partition("/")
    found = await fetch_all(
        db,
        f"""
        SELECT *
        FROM (
            SELECT
                e.*,
                CAST(
                    sum(e.amount) OVER (PARTITION BY e.currency ORDER BY e.day, e.id) AS bigint
                ) AS balance
            FROM ({_ENTRIES}) AS e
        ) AS b
        WHERE (b.day, b.id) < (:day, :after)
        ORDER BY b.day DESC, b.id DESC
        LIMIT :limit
        """,  # noqa: S608 - our own names
        {
            "account_id": account_id,
            "payer": payer_id,
            "day": date.fromisoformat(day),
            "after": id,
            "limit": request.fetch,
        },
        into=AccountEntry,
    )
    return cut_page(found, request, key="key")


async def list_of_orders(
    db: Connection, account_id: int, period_ids: Collection[int]
) -> dict[int, BilledOrder]:
    """The invoices of orders that are billed, by period. Queries: one."""
    found = await fetch_all(
        db,
        """
        SELECT
            b.period_id,
            b.payer_id,
            b.invoice_id,
            i.number,
            i.due_date,
            i.currency,
            i.open_amount
        FROM billed_order b
        LEFT JOIN invoice i ON i.account_id = b.account_id AND i.id = b.invoice_id
        WHERE b.account_id = :account_id AND b.period_id IN (:ids... AS bigint)
        """,
        {"account_id": account_id, "ids": list(period_ids)},
        into=BilledOrder,
    )
    return {each.period_id: each for each in found}


async def find_subscription_of_orders(
    db: Connection, account_id: int, period_ids: Collection[int]
) -> dict[int, str]:
    """The subscription of each order, by period. Queries: one."""
    rows = await db.fetch_all(
        """
        SELECT id, subscription_id
        FROM period
        WHERE account_id = :account_id AND id IN (:ids... AS bigint)
        """,
        {"account_id": account_id, "ids": list(period_ids)},
    )
    return {row["id"]: row["subscription_id"] for row in rows}


async def list_waiting(
    db: Connection, account_id: int, *, payer_id: str = "", limit: int
) -> Sequence[WaitingPayer]:
    """The payers with orders that are on no invoice yet, and how much it is. Queries: one.

    payer_id: of one payer; empty for all. Index: billed_order_by_invoice.
    """
    of_payer = "AND b.payer_id = :payer_id" if payer_id else ""
    parameters = {"account_id": account_id, "payer_id": payer_id, "limit": limit}
    return await fetch_all(
        db,
        f"""
        SELECT g.*, {PAYER_NAME}
        FROM (
            SELECT
                b.payer_id,
                p.currency,
                count(*) AS orders,
                CAST(sum(p.price - p.refunded) AS bigint) AS amount
            FROM billed_order b
            JOIN period p ON p.account_id = b.account_id AND p.id = b.period_id
            WHERE b.account_id = :account_id
              AND b.invoice_id IS NULL
              AND p.price > p.refunded
              {of_payer}
            GROUP BY b.payer_id, p.currency
            ORDER BY b.payer_id, p.currency
            LIMIT :limit
        ) AS g
        LEFT JOIN subscriber u ON u.account_id = :account_id AND u.id = g.payer_id
        ORDER BY g.payer_id, g.currency
        """,  # noqa: S608 - our own names
        parameters,
        into=WaitingPayer,
    )


async def list_payers_waiting(
    db: Connection, account_id: int, *, after: str, limit: int
) -> list[str]:
    """The payers with orders that are on no invoice yet. Index: billed_order_by_invoice.

    after: the payer before the first one.
    """
    rows = await db.fetch_all(
        """
        SELECT DISTINCT b.payer_id
        FROM billed_order b
        JOIN period p ON p.account_id = b.account_id AND p.id = b.period_id
        WHERE b.account_id = :account_id
          AND b.invoice_id IS NULL
          AND p.price > p.refunded
          AND b.payer_id > :after
        ORDER BY b.payer_id
        LIMIT :limit
        """,
        {"account_id": account_id, "after": after, "limit": limit},
    )
    return [row["payer_id"] for row in rows]
