"""The overdue invoices, with what reminders and users have said about them."""

from collections.abc import Collection, Mapping
from datetime import date

from masthead.model.reminders.due import OverdueInvoice
from masthead.store.engine.interface import Connection
from masthead.store.engine.rows import fetch_all

# The reminder items `t` of the invoice `i` that count: not stopped or left out before they went out
_COUNTED = """
                FROM reminder_item t
                JOIN reminder r ON r.account_id = t.account_id AND r.id = t.reminder_id
                WHERE t.account_id = :account_id
                  AND t.invoice_id = i.id
                  AND t.stage > 0
                  AND r.status <> 'skipped'
"""
_OVERDUE = f"""
    SELECT
        i.id,
        i.number,
        i.payer_id,
        i.payer_name,
        i.issue_date,
        i.due_date,
        i.currency,
        i.open_amount,
        coalesce((SELECT max(t.stage) {_COUNTED}), 0) AS stage,
        (SELECT max(r.reminded_date) {_COUNTED}) AS reminded_date,
        m.promised_date,
        coalesce(m.is_stopped, FALSE) AS is_stopped,
        coalesce(m.is_disputed, FALSE) AS is_disputed,
        coalesce(m.reason, '') AS reason,
        (
            SELECT max(coalesce(y.reminders_stop_reason, ''))
            FROM subscriber u
            JOIN payer y ON y.account_id = u.account_id AND y.subscriber_id = u.id
            WHERE u.account_id = :account_id
              AND (u.id = i.payer_id OR u.merged_into = i.payer_id)
              AND y.reminders_stopped_at IS NOT NULL
        ) AS payer_reason,
        EXISTS (
            SELECT 1
            FROM erasure e
            WHERE e.account_id = :account_id AND e.subscriber_id = i.payer_id
        ) AS is_erased,
        EXISTS (
            SELECT 1
            FROM debit d
            WHERE d.account_id = :account_id
              AND d.invoice_id = i.id
              AND d.status IN ('waiting', 'collected')
        ) AS is_debited
    FROM invoice i
    LEFT JOIN reminder_term m ON m.account_id = i.account_id AND m.invoice_id = i.id
    WHERE i.account_id = :account_id
      AND i.kind = 'invoice'
      AND i.open_amount > 0
"""  # noqa: S608 - a constant


async def list_overdue(db: Connection, account_id: int, day: date) -> list[OverdueInvoice]:
    """The invoices that are open after their due day, by payer and due day.

    Queries: one, about 20 µs for each, read aside. Index: invoice_by_due_date.
    """
    return await fetch_all(
        db,
        f"{_OVERDUE} AND i.open_amount <> 0 AND i.due_date < :day"
        " ORDER BY i.payer_id, i.due_date, i.id",
        {"account_id": account_id, "day": day},
        into=OverdueInvoice,
    )


async def find_reminded(
    db: Connection, account_id: int, ids: Collection[str]
) -> dict[str, OverdueInvoice]:
    """Those of some invoices that are open, also before their due day, by id. Queries: one."""
    found = await fetch_all(
        db,
        f"{_OVERDUE} AND i.id IN (:ids...)",
        {"account_id": account_id, "ids": list(ids)},
        into=OverdueInvoice,
    )
    return {each.id: each for each in found}


async def sum_fees(
    db: Connection, account_id: int, payer_ids: Collection[str]
) -> Mapping[tuple[str, str], tuple[int, int]]:
    """What is open of fees, and what credit there is, by payer and currency.

    Queries: one. Indexes: invoice_by_payer, payment_unused.
    """
    rows = await db.fetch_all(
        """
        SELECT
            t.payer_id,
            t.currency,
            CAST(sum(t.fees) AS bigint) AS fees,
            CAST(sum(t.credit) AS bigint) AS credit
        FROM (
            SELECT
                payer_id,
                currency,
                CASE WHEN kind = 'fee' THEN open_amount ELSE 0 END AS fees,
                CASE WHEN open_amount < 0 THEN -open_amount ELSE 0 END AS credit
            FROM invoice
            WHERE account_id = :account_id AND payer_id IN (:ids...) AND open_amount <> 0
            UNION ALL
            SELECT payer_id, currency, 0, unused_amount
            FROM payment
            WHERE account_id = :account_id AND payer_id IN (:ids...) AND unused_amount <> 0
        ) AS t
        GROUP BY t.payer_id, t.currency
        """,
        {"account_id": account_id, "ids": list(payer_ids)},
    )
    return {(row["payer_id"], row["currency"]): (row["fees"], row["credit"]) for row in rows}
