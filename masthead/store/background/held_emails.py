"""Keep emails from being sent that a restored database had not sent yet: they may be sent."""

from masthead.model.clock import now
from masthead.store.engine.interface import Transaction


async def hold_waiting(tx: Transaction, account_id: int, *, reason: str) -> int:
    """Turn the emails that wait into failed ones, which staff can send again; returns how many."""
    held = await tx.execute(
        """
        UPDATE outbox
        SET status = 'failed',
            last_error = :reason,
            body = CASE WHEN is_secret THEN '' ELSE body END
        WHERE account_id = :account_id AND status IN ('waiting', 'sending')
        """,
        {"account_id": account_id, "reason": reason},
    )
    await tx.execute(
        """
        UPDATE renewal_letter
        SET status = 'failed', ended_at = :moment
        WHERE account_id = :account_id
            AND channel = 'email'
            AND status = 'queued'
            AND EXISTS (
                SELECT 1
                FROM outbox o
                WHERE o.account_id = :account_id
                    AND o.letter_id = renewal_letter.id
                    AND o.status = 'failed'
            )
        """,
        {"account_id": account_id, "moment": now()},
    )
    await tx.execute(
        """
        UPDATE reminder
        SET status = 'failed', ended_at = :moment
        WHERE account_id = :account_id
            AND status = 'queued'
            AND EXISTS (
                SELECT 1
                FROM outbox o
                WHERE o.account_id = :account_id AND o.id = reminder.id AND o.status = 'failed'
            )
        """,
        {"account_id": account_id, "moment": now()},
    )
    return held
