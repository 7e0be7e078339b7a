"""The overdue invoices, with what reminders and users have said about them."""

from collections.abc import Collection, Mapping
from datetime import date

from masthead.model.reminders.due import OverdueInvoice
from masthead.store.engine.interface import Connection, Parameters
from masthead.store.engine.rows import to_struct

_OVERDUE = """
    SELECT
        i.id,
        i.number,
        i.payer_id,
        i.payer_name,
        i.issue_date,
        i.due_date,
        i.currency,
        i.open_amount,
        i.reminder_stage AS stage,
        i.reminded_date,
        m.promised_date,
        coalesce(m.is_stopped, FALSE) AS is_stopped,
        coalesce(m.is_disputed, FALSE) AS is_disputed,
        coalesce(m.reason, '') AS reason,
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
"""
_LATE = "AND i.open_amount > 0 AND i.open_amount <> 0 AND i.due_date < :day"
# CASE keeps both databases from reading all overdue invoices by their due days, or all open ones
_OF_PAYERS = """
    AND i.open_amount <> 0
    AND i.payer_id > :after
    AND i.payer_id <= :last
    AND CASE WHEN i.due_date < :day AND i.open_amount > 0 THEN 1 ELSE 0 END = 1
"""
_OF_SOME_PAYERS = """
    AND i.open_amount <> 0
    AND i.payer_id IN (:payer_ids...)
    AND CASE WHEN i.due_date < :day AND i.open_amount > 0 THEN 1 ELSE 0 END = 1
"""
_SOME = "AND i.open_amount > 0 AND i.id IN (:ids...)"


async def _list(db: Connection, condition: str, parameters: Parameters) -> list[OverdueInvoice]:
    """The open invoices of a condition, by payer and due day. Queries: two."""
    rows = await db.fetch_all(
        f"{_OVERDUE} {condition} ORDER BY i.payer_id, i.due_date, i.id", parameters
    )
    stopped = await _list_stopped(db, parameters)
    return [
        to_struct({**row, "payer_reason": stopped.get(row["payer_id"])}, OverdueInvoice)
        for row in rows
    ]


async def _list_stopped(db: Connection, parameters: Parameters) -> dict[str, str]:
    """Why payers get no reminders, by payer; what was said of a merged one counts for both."""
    rows = await db.fetch_all(
        """
        SELECT u.id, u.merged_into, coalesce(y.reminders_stop_reason, '') AS reason
        FROM payer y
        JOIN subscriber u ON u.account_id = y.account_id AND u.id = y.subscriber_id
        WHERE y.account_id = :account_id AND y.reminders_stopped_at IS NOT NULL
        ORDER BY reason
        """,
        {"account_id": parameters["account_id"]},
    )
    return {id: row["reason"] for row in rows for id in (row["id"], row["merged_into"]) if id}


async def list_overdue(
    db: Connection, account_id: int, day: date, *, payer_ids: Collection[str] | None = None
) -> list[OverdueInvoice]:
    """The invoices that are open after their due day, by payer and due day.

    payer_ids: those of some payers; None for all.

    Queries: two, about 12 µs for each, read aside. Indexes: invoice_by_due_date or
    invoice_open_by_payer, payer_not_reminded.
    """
    parameters: Parameters = {"account_id": account_id, "day": day}
    if payer_ids is None:
        return await _list(db, _LATE, parameters)
    return await _list(db, _OF_SOME_PAYERS, {**parameters, "payer_ids": list(payer_ids)})


async def find_last_late_payer(
    db: Connection, account_id: int, day: date, *, after: str, limit: int
) -> str | None:
    """The last of the next payers with overdue invoices, by id; None if there are no more.

    Queries: one. Index: invoice_overdue.
    """
    row = await db.fetch_one(
        """
        SELECT max(payer_id) AS last
        FROM (
            SELECT DISTINCT payer_id
            FROM invoice
            WHERE account_id = :account_id
              AND payer_id > :after
              AND (kind = 'invoice' AND open_amount > 0) IS TRUE
              AND due_date < :day
            ORDER BY payer_id
            LIMIT :limit
        ) AS late
        """,
        {"account_id": account_id, "day": day, "after": after, "limit": limit},
    )
    return row["last"] if row else None


async def list_overdue_of(
    db: Connection, account_id: int, day: date, *, after: str, last: str
) -> list[OverdueInvoice]:
    """Those of `list_overdue` of the payers after one and up to another, by id.

    Queries: two. Index: invoice_open_by_payer.
    """
    parameters = {"account_id": account_id, "day": day, "after": after, "last": last}
    return await _list(db, _OF_PAYERS, parameters)


async def find_reminded(
    db: Connection, account_id: int, ids: Collection[str]
) -> dict[str, OverdueInvoice]:
    """Those of some invoices that are open, also before their due day, by id. Queries: two."""
    found = await _list(db, _SOME, {"account_id": account_id, "ids": list(ids)})
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
