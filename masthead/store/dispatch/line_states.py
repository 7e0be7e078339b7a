"""The statuses of lines: held, sent, shipped, or no longer in the run. All else is frozen."""

from datetime import date

from msgspec import UNSET, UnsetType

from masthead.model.clock import now
from masthead.model.dispatch.runs import LeftReason
from masthead.store.engine.interface import Connection, Ids, Transaction


async def mark_lines(tx: Transaction, account_id: int, dispatch_id: str) -> int:
    """Mark the held lines of a run as sent; returns how many. Queries: one."""
    return await tx.execute(
        """
        UPDATE dispatch_line
        SET status = 'sent'
        WHERE account_id = :account_id AND dispatch_id = :dispatch AND status = 'held'
        """,
        {"account_id": account_id, "dispatch": dispatch_id},
    )


async def unmark_lines(tx: Transaction, account_id: int, dispatch_id: str) -> int:
    """Take back `mark_lines`, except for shipped lines; returns how many. Queries: one."""
    return await tx.execute(
        """
        UPDATE dispatch_line
        SET status = 'held'
        WHERE account_id = :account_id
          AND dispatch_id = :dispatch
          AND status = 'sent'
          AND shipped_date IS NULL
        """,
        {"account_id": account_id, "dispatch": dispatch_id},
    )


async def leave_lines(tx: Transaction, account_id: int, copy_ids: Ids, reason: LeftReason) -> None:
    """Take copies, or grace copies, out of the runs that hold them. Queries: one."""
    await tx.execute(
        """
        UPDATE dispatch_line
        SET status = 'left', left_reason = :reason, left_at = :moment
        WHERE account_id = :account_id
          AND copy_id IN (:copies... AS bigint)
          AND claim_id = ''
          AND status = 'held'
        """,
        {"account_id": account_id, "copies": copy_ids, "reason": reason, "moment": now()},
    )


async def leave_discarded(tx: Transaction, account_id: int, dispatch_id: str) -> None:
    """Take all lines out of a run that is discarded. Queries: one."""
    await tx.execute(
        """
        UPDATE dispatch_line
        SET status = 'left', left_reason = 'discarded', left_at = :moment
        WHERE account_id = :account_id AND dispatch_id = :dispatch AND status = 'held'
        """,
        {"account_id": account_id, "dispatch": dispatch_id, "moment": now()},
    )


async def leave_marked(
    tx: Transaction, account_id: int, copy_ids: Ids, sent_on: date | None | UnsetType
) -> None:
    """Take copies out of their runs that are about to be marked as sent outside of them.

    Call it before `copies.mark_sent`, with the same arguments: it concerns the copies that this
    changes. Queries: one.
    """
    await tx.execute(
        """
        UPDATE dispatch_line
        SET
            status = 'left',
            left_reason = CASE status WHEN 'held' THEN 'marked' ELSE 'changed' END,
            left_at = :moment
        WHERE account_id = :account_id
          AND copy_id IN (:copies... AS bigint)
          AND claim_id = ''
          AND status IN ('held', 'sent')
          AND EXISTS (
              SELECT 1
              FROM copy c
              WHERE c.account_id = :account_id
                AND c.id = dispatch_line.copy_id
                AND c.dispatch_id = dispatch_line.dispatch_id
                AND c.status <> 'Cancelled'
                AND (
                    c.status <> 'Sent'
                    OR (:replaces_date AND c.date_sent IS DISTINCT FROM :sent_on)
                )
          )
        """,
        {
            "account_id": account_id,
            "copies": copy_ids,
            "sent_on": None if sent_on is UNSET else sent_on,
            "replaces_date": sent_on is not UNSET,
            "moment": now(),
        },
    )


async def list_shipped_copies(db: Connection, account_id: int, dispatch_id: str) -> str:
    """The ids of the copies of a run that the carrier reported as shipped, as JSON.

    Without those of replacements. Queries: one, about 1 µs a line: read aside.
    """
    row = await db.fetch_one(
        """
        SELECT count(*) AS count, json_group_array(copy_id) AS ids
        FROM dispatch_line
        WHERE account_id = :account_id
          AND dispatch_id = :dispatch
          AND claim_id = ''
          AND shipped_date IS NOT NULL
        """,
        {"account_id": account_id, "dispatch": dispatch_id},
    )
    return str(row["ids"]) if row and row["count"] else "[]"


async def has_shipped(db: Connection, account_id: int, dispatch_id: str) -> bool:
    """Whether the carrier reported a line of a run as shipped.

    Queries: one, about 1 µs a line: read aside.
    """
    row = await db.fetch_one(
        """
        SELECT 1 AS found
        FROM dispatch_line
        WHERE account_id = :account_id
          AND dispatch_id = :dispatch
          AND shipped_date IS NOT NULL
        LIMIT 1
        """,
        {"account_id": account_id, "dispatch": dispatch_id},
    )
    return row is not None
