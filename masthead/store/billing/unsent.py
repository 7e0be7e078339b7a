"""Which invoices are not sent yet: not by email, and not marked as sent by post."""

from collections.abc import Sequence
from datetime import date

from msgspec import Struct

from masthead.model.audit_entries import EntryType
from masthead.store.engine.interface import Connection
from masthead.store.engine.rows import to_struct

MAX_COUNTED = 1000  # invoices
# The parameters of `IS_UNSENT`
MARKS = {"posted": EntryType.INVOICE_POST, "unposted": EntryType.INVOICE_POST_UNDO}

# Whether the newest mark of an invoice says that it went out by post. Index: audit_by_subject.
_IS_POSTED = """
    coalesce((
        SELECT a.action
        FROM audit a
        WHERE a.account_id = :account_id
          AND a.subject_type = 'invoice'
          AND a.subject_id = invoice.id
          AND a.action IN (:posted, :unposted)
        ORDER BY a.id DESC
        LIMIT 1
    ), '') = :posted
"""

# The condition of an invoice or a credit note that is open and not sent yet. What is settled needs
# no sending, a reminder says its fee, and nothing goes to payers who are erased. Index:
# outbox_by_invoice, erasure_by_subscriber.
IS_UNSENT = f"""
    open_amount <> 0
    AND kind <> 'fee'
    AND NOT EXISTS (
        SELECT 1
        FROM outbox o
        WHERE o.account_id = :account_id
          AND o.invoice_id = invoice.id
          AND o.subscriber_id IS NOT NULL
          AND o.status IN ('waiting', 'sending', 'sent', 'kept')
    )
    AND NOT EXISTS (
        SELECT 1
        FROM erasure e
        WHERE e.account_id = :account_id AND e.subscriber_id = invoice.payer_id
    )
    AND NOT ({_IS_POSTED})
"""  # noqa: S608 - our own names


class UnsentInvoices(Struct, frozen=True):
    """How many open invoices and credit notes are not sent yet, up to one more than `MAX_COUNTED`.

    issue_date: of the oldest of these, which are due first.
    """

    count: int = 0
    issue_date: date | None = None


async def count_unsent(db: Connection, account_id: int) -> UnsentInvoices:
    """What is not sent yet. Queries: one, read aside.

    Index: invoice_by_due_date, which has only what is not 0. Takes 2 µs for each open invoice that
    it reads until it has found enough.
    """
    row = await db.fetch_one(
        f"""
        SELECT count(*) AS count, min(issue_date) AS issue_date
        FROM (
            SELECT issue_date
            FROM invoice
            WHERE account_id = :account_id AND {IS_UNSENT}
            ORDER BY due_date, id
            LIMIT :most
        ) AS found
        """,  # noqa: S608 - our own names
        {**MARKS, "account_id": account_id, "most": MAX_COUNTED + 1},
    )
    assert row is not None
    return to_struct(row, UnsentInvoices)


async def list_unsent(db: Connection, account_id: int, ids: Sequence[str]) -> set[str]:
    """Those of some invoices that are open and not sent yet. Queries: one. Index: invoice_pk."""
    return await _list_where(db, account_id, ids, IS_UNSENT)


async def list_posted(db: Connection, account_id: int, ids: Sequence[str]) -> set[str]:
    """Those of some invoices that are marked as sent by post. Queries: one. Index: invoice_pk."""
    return await _list_where(db, account_id, ids, _IS_POSTED)


async def _list_where(
    db: Connection, account_id: int, ids: Sequence[str], condition: str
) -> set[str]:
    rows = await db.fetch_all(
        f"""
        SELECT id
        FROM invoice
        WHERE account_id = :account_id AND id IN (:ids...) AND {condition}
        """,  # noqa: S608 - our own names
        {**MARKS, "account_id": account_id, "ids": list(ids)},
    )
    return {row["id"] for row in rows}
