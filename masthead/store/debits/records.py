"""Direct debits: what waits, what was collected, and what came back."""

from collections.abc import Collection, Sequence
from datetime import date

from msgspec import structs

from masthead.model.actors import Actor
from masthead.model.clock import now
from masthead.model.debits.rules import Debit, DebitStatus, DueDebit
from masthead.model.ids import new_ids
from masthead.store.billing.invoices import list_invoices
from masthead.store.debits.mandates import find_mandates
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.engine.rows import fetch_all, to_struct
from masthead.store.update_statement import update_row

_DEBIT = """
    SELECT
        d.id,
        d.invoice_id,
        d.mandate_id,
        d.collect_date,
        d.status,
        d.collection_id,
        d.sequence_type,
        d.amount,
        d.payment_id,
        d.line_id,
        d.return_reason,
        d.returned_date,
        d.created_at,
        d.fee_id,
        coalesce(
            (
                SELECT c.sent_at IS NULL
                FROM collection c
                WHERE c.account_id = :account_id AND c.id = d.collection_id
            ),
            FALSE
        ) AS is_unsent
    FROM debit d
    WHERE d.account_id = :account_id
"""


async def insert_debits(
    tx: Transaction, account_id: int, rows: Sequence[tuple[str, str, date]], *, by: Actor
) -> list[str]:
    """Add debits that wait; returns their ids. Queries: one.

    rows: invoice, mandate, and the day that the payer was told.
    """
    ids = new_ids(account_id, len(rows), after="")
    await tx.insert_rows(
        "debit",
        [
            {
                "account_id": account_id,
                "id": id,
                "invoice_id": invoice_id,
                "mandate_id": mandate_id,
                "collect_date": day,
                "status": DebitStatus.WAITING,
                "collection_id": None,
                "sequence_type": "",
                "amount": None,
                "payment_id": None,
                "line_id": None,
                "return_reason": "",
                "returned_date": None,
                "created_at": now(),
                "actor_kind": by.kind,
                "actor_id": by.id,
            }
            for id, (invoice_id, mandate_id, day) in zip(ids, rows, strict=True)
        ],
    )
    return ids


async def list_waiting(
    db: Connection,
    account_id: int,
    *,
    last_day: date | None = None,
    ids: Collection[str] = (),
    limit: int,
) -> list[DueDebit]:
    """The debits that wait for a collection, by their day. Index: debit_by_status.

    last_day: that payers were told, at most. ids: only these. Those of settled invoices are left
    out. Queries: two or three.
    """
    rows = await db.fetch_all(
        """
        SELECT
            d.id,
            d.invoice_id,
            d.mandate_id,
            d.collect_date,
            i.number,
            i.payer_id,
            i.payer_name,
            i.currency,
            i.open_amount
        FROM debit d
        JOIN invoice i ON i.account_id = d.account_id AND i.id = d.invoice_id
        WHERE d.account_id = :account_id
          AND d.status = 'waiting'
          AND (:any_day OR d.collect_date <= :last_day)
          AND (:any_id OR d.id IN (:ids...))
          AND (i.open_amount > 0) IS TRUE
        ORDER BY d.collect_date, d.id
        LIMIT :limit
        """,
        {
            "account_id": account_id,
            "any_day": last_day is None,
            "last_day": last_day or date.max,
            "any_id": not ids,
            "ids": list(ids),
            "limit": limit,
        },
    )
    mandates = await find_mandates(db, account_id, {row["mandate_id"] for row in rows})
    found = [to_struct({**row, "mandate": mandates[row["mandate_id"]]}, DueDebit) for row in rows]
    ids = [each.invoice_id for each in found if each.mandate.needs_address]
    if not ids:
        return found
    payers = {each.id: each.document.payer for each in await list_invoices(db, account_id, ids)}
    return [structs.replace(each, payer=payers.get(each.invoice_id)) for each in found]


async def find_debits(db: Connection, account_id: int, ids: Collection[str]) -> list[Debit]:
    """Some debits, oldest first. Queries: one."""
    return await fetch_all(
        db,
        _DEBIT + " AND d.id IN (:ids...) ORDER BY d.id",
        {"account_id": account_id, "ids": list(ids)},
        into=Debit,
    )


async def list_of_invoice(db: Connection, account_id: int, invoice_id: str) -> list[Debit]:
    """The debits of an invoice, newest first. Queries: one. Index: debit_by_invoice."""
    return await fetch_all(
        db,
        _DEBIT + " AND d.invoice_id = :invoice_id ORDER BY d.id DESC",
        {"account_id": account_id, "invoice_id": invoice_id},
        into=Debit,
    )


async def list_of_collection(db: Connection, account_id: int, id: str) -> list[Debit]:
    """The debits of a collection. Queries: one. Index: debit_by_collection."""
    return await fetch_all(
        db,
        _DEBIT + " AND d.collection_id = :id ORDER BY d.id",
        {"account_id": account_id, "id": id},
        into=Debit,
    )


async def list_of_payments(
    db: Connection, account_id: int, payment_ids: Collection[str]
) -> list[Debit]:
    """The debits that payments have paid. Queries: one. Index: debit_by_payment."""
    return await fetch_all(
        db,
        _DEBIT + " AND d.payment_id IN (:ids...) ORDER BY d.id",
        {"account_id": account_id, "ids": list(payment_ids)},
        into=Debit,
    )


async def list_of_line(db: Connection, account_id: int, line_id: str) -> list[Debit]:
    """The debits that a bank line has booked. Queries: one. Index: debit_by_line."""
    return await fetch_all(
        db,
        _DEBIT + " AND d.line_id = :line_id ORDER BY d.id",
        {"account_id": account_id, "line_id": line_id},
        into=Debit,
    )


async def update_collected(
    tx: Transaction, account_id: int, collection_id: str, rows: Sequence[tuple[str, str, int]]
) -> None:
    """Say that debits are in a collection. rows: id, sequence type, amount."""
    await tx.execute_many(
        """
        UPDATE debit
        SET status = 'collected',
            collection_id = :collection_id,
            sequence_type = :sequence_type,
            amount = :amount
        WHERE account_id = :account_id AND id = :id
        """,
        [
            {
                "account_id": account_id,
                "collection_id": collection_id,
                "id": id,
                "sequence_type": sequence_type,
                "amount": amount,
            }
            for id, sequence_type, amount in rows
        ],
    )


async def update_cancelled(tx: Transaction, account_id: int, ids: Collection[str]) -> None:
    """Say that debits are not collected. Queries: one."""
    await tx.execute(
        """
        UPDATE debit
        SET status = 'cancelled'
        WHERE account_id = :account_id AND id IN (:ids...)
        """,
        {"account_id": account_id, "ids": list(ids)},
    )


async def update_paid(
    tx: Transaction, account_id: int, id: str, *, payment_id: str, line_id: str | None
) -> None:
    """Say which payment a debit has brought, and by which bank line. Queries: one."""
    await update_row(
        tx, account_id, "debit", id, status="paid", payment_id=payment_id, line_id=line_id
    )


async def update_unpaid(tx: Transaction, account_id: int, payment_ids: Collection[str]) -> None:
    """Say that the payments of debits were undone: they are collected again. Queries: one."""
    await tx.execute(
        """
        UPDATE debit
        SET status = 'collected', payment_id = NULL, line_id = NULL
        WHERE account_id = :account_id AND payment_id IN (:ids...)
        """,
        {"account_id": account_id, "ids": list(payment_ids)},
    )


async def update_returned(
    tx: Transaction, account_id: int, id: str, *, reason: str, day: date | None
) -> None:
    """Say that a debit came back on a day; None if it did not after all. Queries: one."""
    await update_row(
        tx,
        account_id,
        "debit",
        id,
        status=DebitStatus.PAID if day is None else DebitStatus.RETURNED,
        return_reason=reason,
        returned_date=day,
    )


async def update_fee(tx: Transaction, account_id: int, id: str, fee_id: str | None) -> None:
    """Say which fee the payer owes for the return of a debit; None for none. Queries: one."""
    await update_row(tx, account_id, "debit", id, fee_id=fee_id)


async def list_used_mandates(db: Connection, account_id: int, ids: Collection[str]) -> set[str]:
    """The mandates by which something was collected, in no cancelled collection. Queries: one.

    Index: debit_by_mandate.
    """
    rows = await db.fetch_all(
        """
        SELECT DISTINCT mandate_id
        FROM debit
        WHERE account_id = :account_id
          AND mandate_id IN (:ids...)
          AND status IN ('collected', 'paid', 'returned')
        """,
        {"account_id": account_id, "ids": list(ids)},
    )
    return {row["mandate_id"] for row in rows}
