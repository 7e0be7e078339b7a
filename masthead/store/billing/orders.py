"""Orders that payers get an invoice for."""

from collections.abc import Collection, Sequence
from datetime import date

from masthead.model.billing.orders import BillableOrder
from masthead.model.clock import now
from masthead.store.engine.interface import Connection, Row, Transaction
from masthead.store.engine.rows import fetch_all

# The last day on which the period `p` supplies something; NULL if it is not known
SUPPLIED_TO = """coalesce(p.period_end, (
            SELECT e.release_date_actual
            FROM issue e
            WHERE e.account_id = :account_id AND e.number = p.last_issue
        ))"""
_PENDING = f"""
    SELECT
        b.period_id,
        p.order_id,
        p.subscription_id,
        b.payer_id,
        b.order_reference,
        b.due_days,
        coalesce(b.is_debited, FALSE) AS is_debited,
        p.price - p.refunded AS amount,
        p.currency,
        coalesce(p.product_id, s.product_id) AS product_id,
        o.name AS product_name,
        s.medium,
        s.first_name,
        s.last_name,
        s.company,
        s.country,
        p.first_issue,
        p.last_issue,
        p.period_start,
        p.period_end,
        coalesce(p.period_start, first.release_date_actual) AS supplied_from,
        {SUPPLIED_TO} AS supplied_to,
        (
            SELECT min(i.issue_date)
            FROM invoice_line l
            CROSS JOIN invoice i
            WHERE l.account_id = :account_id
              AND l.period_id = b.period_id
              AND i.account_id = :account_id
              AND i.id = l.invoice_id
              AND i.kind = 'invoice'
        ) AS first_billed
    FROM billed_order b
    JOIN period p ON p.account_id = b.account_id AND p.id = b.period_id
    JOIN subscription s ON s.account_id = p.account_id AND s.id = p.subscription_id
    JOIN product o
        ON o.account_id = s.account_id
        AND o.id = coalesce(p.product_id, s.product_id)
    LEFT JOIN issue first ON first.account_id = p.account_id AND first.number = p.first_issue
    WHERE b.account_id = :account_id
      AND (b.invoice_id IS NULL) IS TRUE
      AND p.price > p.refunded
"""  # noqa: S608 - a constant


async def insert_orders(tx: Transaction, account_id: int, rows: Sequence[Row]) -> None:
    """Add orders to bill. Queries: two.

    rows: period_id, payer_id, order_reference, due_days, is_debited.
    """
    moment = now()
    await tx.execute(
        """
        UPDATE period
        SET is_billed = :is_billed
        WHERE account_id = :account_id AND id IN (:ids... AS bigint)
        """,
        {
            "account_id": account_id,
            "is_billed": True,
            "ids": [row["period_id"] for row in rows],
        },
    )
    await tx.insert_rows(
        "billed_order",
        [
            {**row, "account_id": account_id, "invoice_id": None, "created_at": moment}
            for row in rows
        ],
    )


async def list_pending(
    db: Connection, account_id: int, payer_ids: Collection[str], *, period_ids: Collection[int] = ()
) -> list[BillableOrder]:
    """The orders of payers that are on no invoice yet, oldest first. Queries: one.

    period_ids: only these; empty for all. Indexes: billed_order_by_payer, invoice_line_by_period.
    """
    found = await fetch_all(
        db,
        _PENDING
        + """
          AND b.payer_id IN (:payer_ids...)
          AND (:is_any OR b.period_id IN (:period_ids... AS bigint))
        """,
        {
            "account_id": account_id,
            "payer_ids": list(payer_ids),
            "is_any": not period_ids,
            "period_ids": list(period_ids),
        },
        into=BillableOrder,
    )
    return sorted(found, key=lambda each: each.period_id)


async def update_invoice(
    tx: Transaction, account_id: int, period_ids: Collection[int], invoice_id: str | None
) -> None:
    """Say which invoice orders are on; None if they need a new one. Queries: one."""
    await tx.execute(
        """
        UPDATE billed_order
        SET invoice_id = :invoice_id
        WHERE account_id = :account_id AND period_id IN (:ids... AS bigint)
        """,
        {"account_id": account_id, "invoice_id": invoice_id, "ids": list(period_ids)},
    )


async def rebill(
    tx: Transaction,
    account_id: int,
    period_ids: Collection[int],
    *,
    payer_id: str,
    order_reference: str,
    due_days: int | None,
    is_debited: bool,
) -> None:
    """Let orders wait for a new invoice. due_days: None for as long as before. Queries: one."""
    await tx.execute(
        """
        UPDATE billed_order
        SET invoice_id = NULL,
            payer_id = :payer_id,
            order_reference = :order_reference,
            due_days = coalesce(CAST(:due_days AS bigint), due_days),
            is_debited = :is_debited
        WHERE account_id = :account_id AND period_id IN (:ids... AS bigint)
        """,
        {
            "account_id": account_id,
            "payer_id": payer_id,
            "order_reference": order_reference,
            "due_days": due_days,
            "is_debited": is_debited,
            "ids": list(period_ids),
        },
    )


async def find_subscriptions(
    db: Connection, account_id: int, period_ids: Collection[int]
) -> list[str]:
    """The subscriptions of orders. Queries: one."""
    rows = await db.fetch_all(
        """
        SELECT DISTINCT subscription_id
        FROM period
        WHERE account_id = :account_id AND id IN (:ids... AS bigint)
        ORDER BY subscription_id
        """,
        {"account_id": account_id, "ids": list(period_ids)},
    )
    return [row["subscription_id"] for row in rows]


async def find_invoices(
    db: Connection, account_id: int, period_ids: Collection[int]
) -> dict[int, str | None]:
    """The invoice of each order that is billed, None while it waits; by period. Queries: one."""
    rows = await db.fetch_all(
        """
        SELECT period_id, invoice_id
        FROM billed_order
        WHERE account_id = :account_id AND period_id IN (:ids... AS bigint)
        """,
        {"account_id": account_id, "ids": list(period_ids)},
    )
    return {row["period_id"]: row["invoice_id"] for row in rows}


async def find_net_prices(
    db: Connection, account_id: int, period_ids: Collection[int]
) -> dict[int, int]:
    """What orders cost without VAT by their invoices, by period. Queries: one."""
    rows = await db.fetch_all(
        """
        SELECT b.period_id, CAST(sum(l.net) AS bigint) AS net
        FROM billed_order b
        JOIN invoice_line l
            ON l.account_id = b.account_id
            AND l.period_id = b.period_id
            AND l.invoice_id = b.invoice_id
        WHERE b.account_id = :account_id AND b.period_id IN (:ids... AS bigint)
        GROUP BY b.period_id
        """,
        {"account_id": account_id, "ids": list(period_ids)},
    )
    return {row["period_id"]: row["net"] for row in rows}


async def find_last_payer(db: Connection, account_id: int, subscription_id: str) -> str | None:
    """Who was billed last for a subscription; None if nobody was. Queries: one."""
    row = await db.fetch_one(
        """
        SELECT b.payer_id
        FROM period p
        JOIN billed_order b ON b.account_id = p.account_id AND b.period_id = p.id
        WHERE p.account_id = :account_id AND p.subscription_id = :subscription
        ORDER BY p.id DESC
        LIMIT 1
        """,
        {"account_id": account_id, "subscription": subscription_id},
    )
    return str(row["payer_id"]) if row else None


async def find_sold(
    db: Connection, account_id: int, invoice_id: str
) -> tuple[str | None, str | None]:
    """The source and the product of the first order on an invoice, by id. Queries: one.

    None for the fee of a reminder, which is for no order.
    """
    row = await db.fetch_one(
        """
        SELECT
            coalesce(p.source_id, s.source_id) AS source_id,
            coalesce(p.product_id, s.product_id) AS product_id
        FROM invoice_line l
        JOIN period p ON p.account_id = l.account_id AND p.id = l.period_id
        JOIN subscription s ON s.account_id = p.account_id AND s.id = p.subscription_id
        WHERE l.account_id = :account_id AND l.invoice_id = :id
        ORDER BY l.line
        LIMIT 1
        """,
        {"account_id": account_id, "id": invoice_id},
    )
    return (row["source_id"], row["product_id"]) if row else (None, None)


async def is_debited(db: Connection, account_id: int, period_id: int) -> bool:
    """Whether an order is collected by direct debit. Queries: one."""
    row = await db.fetch_one(
        """
        SELECT 1 AS found
        FROM billed_order
        WHERE account_id = :account_id AND period_id = :id AND is_debited
        """,
        {"account_id": account_id, "id": period_id},
    )
    return row is not None


async def find_credited(
    db: Connection, account_id: int, subscription_id: str, *, since: date
) -> str | None:
    """The number of an invoice of a subscription that was credited since a day; None if none was.

    Queries: one.
    """
    row = await db.fetch_one(
        """
        SELECT i.number
        FROM period p
        JOIN billed_order b ON b.account_id = p.account_id AND b.period_id = p.id
        JOIN invoice i ON i.account_id = b.account_id AND i.id = b.invoice_id
        JOIN refund r ON r.account_id = p.account_id AND r.period_id = p.id
        WHERE p.account_id = :account_id
          AND p.subscription_id = :subscription
          AND (r.refund_date >= :since) IS TRUE
        ORDER BY i.id DESC
        LIMIT 1
        """,
        {"account_id": account_id, "subscription": subscription_id, "since": since},
    )
    return str(row["number"]) if row else None
