"""The overdue invoices, with what reminders and users have said about them."""

from collections.abc import Collection, Mapping
from datetime import date

from masthead.model.reminders.due import OverdueInvoice
from masthead.store.engine.interface import Connection
from masthead.store.engine.rows import fetch_all


def _overdue(condition: str) -> str:
    """The statement for the open invoices `i` of a condition, with what was said about them.

    Each join is made once for all invoices. Reminders that were stopped or left out before they
    went out do not count.
    """
    return f"""
        SELECT
            i.id,
            i.number,
            i.payer_id,
            i.payer_name,
            i.issue_date,
            i.due_date,
            i.currency,
            i.open_amount,
            coalesce(g.stage, 0) AS stage,
            g.reminded_date,
            m.promised_date,
            coalesce(m.is_stopped, FALSE) AS is_stopped,
            coalesce(m.is_disputed, FALSE) AS is_disputed,
            coalesce(m.reason, '') AS reason,
            n.reason AS payer_reason,
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
        LEFT JOIN (
            SELECT t.invoice_id, max(t.stage) AS stage, max(r.reminded_date) AS reminded_date
            FROM invoice i
            JOIN reminder_item t ON t.account_id = i.account_id AND t.invoice_id = i.id
            JOIN reminder r ON r.account_id = t.account_id AND r.id = t.reminder_id
            WHERE i.account_id = :account_id
              AND i.open_amount > 0
              AND {condition}
              AND t.stage > 0
              AND r.status <> 'skipped'
            GROUP BY t.invoice_id
        ) AS g ON g.invoice_id = i.id
        LEFT JOIN (
            SELECT k.payer_id, max(k.reason) AS reason
            FROM (
                SELECT u.id AS payer_id, coalesce(y.reminders_stop_reason, '') AS reason
                FROM payer y
                JOIN subscriber u ON u.account_id = y.account_id AND u.id = y.subscriber_id
                WHERE y.account_id = :account_id AND y.reminders_stopped_at IS NOT NULL
                UNION ALL
                SELECT u.merged_into, coalesce(y.reminders_stop_reason, '')
                FROM payer y
                JOIN subscriber u ON u.account_id = y.account_id AND u.id = y.subscriber_id
                WHERE y.account_id = :account_id
                  AND y.reminders_stopped_at IS NOT NULL
                  AND u.merged_into IS NOT NULL
            ) AS k
            GROUP BY k.payer_id
        ) AS n ON n.payer_id = i.payer_id
        WHERE i.account_id = :account_id
          AND i.kind = 'invoice'
          AND i.open_amount > 0
          AND {condition}
    """  # noqa: S608 - a constant


_LATE = _overdue("i.open_amount <> 0 AND i.due_date < :day")
_SOME = _overdue("i.id IN (:ids...)")


async def list_overdue(db: Connection, account_id: int, day: date) -> list[OverdueInvoice]:
    """The invoices that are open after their due day, by payer and due day.

    Queries: one, about 10 µs for each, read aside. Indexes: invoice_by_due_date,
    reminder_item_by_invoice, payer_not_reminded.
    """
    return await fetch_all(
        db,
        _LATE + " ORDER BY i.payer_id, i.due_date, i.id",
        {"account_id": account_id, "day": day},
        into=OverdueInvoice,
    )


async def find_reminded(
    db: Connection, account_id: int, ids: Collection[str]
) -> dict[str, OverdueInvoice]:
    """Those of some invoices that are open, also before their due day, by id. Queries: one."""
    found = await fetch_all(
        db,
        _SOME,
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
