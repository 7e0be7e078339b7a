"""The emails of invoices in the outbox."""

from collections.abc import Sequence

from masthead.store.engine.interface import Connection, Transaction


async def find_emailed(
    db: Connection, account_id: int, invoice_ids: Sequence[str]
) -> dict[str, bool]:
    """Which of some invoices were emailed or are going to be, and whether an email still waits.

    Tests are left out: they are for no subscriber. Index: outbox_by_invoice.
    """
    rows = await db.fetch_all(
        """
        SELECT invoice_id, max(CASE WHEN status = 'waiting' THEN 1 ELSE 0 END) AS waits
        FROM outbox
        WHERE account_id = :account_id
          AND invoice_id IN (:ids...)
          AND subscriber_id IS NOT NULL
          AND status IN ('waiting', 'sending', 'sent', 'kept')
        GROUP BY invoice_id
        """,
        {"account_id": account_id, "ids": list(invoice_ids)},
    )
    return {row["invoice_id"]: bool(row["waits"]) for row in rows}


async def cancel_emails(
    tx: Transaction, account_id: int, invoice_ids: Sequence[str], *, reason: str
) -> list[tuple[str, str]]:
    """Cancel the emails of invoices that wait; returns each invoice with the recipient.

    The worker marks an email before it sends it, so each is cancelled or sent, never both.
    """
    rows = await tx.fetch_all(
        """
        UPDATE outbox
        SET status = 'cancelled', last_error = :reason
        WHERE account_id = :account_id
          AND invoice_id IN (:ids...)
          AND subscriber_id IS NOT NULL
          AND status = 'waiting'
        RETURNING invoice_id, recipient
        """,
        {"account_id": account_id, "ids": list(invoice_ids), "reason": reason},
    )
    return [(row["invoice_id"], row["recipient"]) for row in rows]
