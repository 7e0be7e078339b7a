"""What became of reminders and of their emails."""

from collections.abc import Collection

from masthead.model.clock import account_now
from masthead.model.letters.outcomes import LetterStatus
from masthead.model.reminders.outcomes import ReminderSkip
from masthead.store.engine.interface import Transaction
from masthead.store.reminders.last import update_last


async def update_status(
    tx: Transaction,
    account_id: int,
    ids: Collection[str],
    status: LetterStatus,
    reason: ReminderSkip | None = None,
) -> None:
    """Store what became of reminders. reason: why they did not go out. Queries: two at most."""
    is_open = status in (LetterStatus.QUEUED, LetterStatus.TO_PRINT)
    await tx.execute(
        """
        UPDATE reminder
        SET status = :status, reason = :reason, ended_at = :moment
        WHERE account_id = :account_id AND id IN (:ids...)
        """,
        {
            "account_id": account_id,
            "ids": list(ids),
            "status": status,
            "reason": reason,
            "moment": None if is_open else account_now(),
        },
    )
    if status is LetterStatus.SKIPPED:
        await update_last(tx, account_id, ids)


async def cancel_emails(
    tx: Transaction, account_id: int, ids: Collection[str], *, reason: str
) -> list[str]:
    """Cancel the emails of reminders that wait or have failed; returns their ids. Queries: one."""
    rows = await tx.fetch_all(
        """
        UPDATE outbox
        SET status = 'cancelled', last_error = :reason
        WHERE account_id = :account_id
          AND status IN ('waiting', 'failed')
          AND id IN (:ids...)
        RETURNING id
        """,
        {"account_id": account_id, "ids": list(ids), "reason": reason},
    )
    return [row["id"] for row in rows]


async def count_stopped(tx: Transaction, account_id: int, round_id: str, count: int) -> None:
    """Say that reminders of a round were stopped. Queries: one."""
    await tx.execute(
        """
        UPDATE reminder_round
        SET stopped_at = :moment, stopped = stopped + :count
        WHERE account_id = :account_id AND id = :id
        """,
        {"account_id": account_id, "id": round_id, "count": count, "moment": account_now()},
    )
