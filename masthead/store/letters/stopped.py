"""Stop the letters of a batch that have not gone out, and make room to write them again.

The worker marks an email before it sends it, so a row is stopped or on its way, never both. A
stopped letter stays until its subscription gets a new letter of the stage.
"""

from collections.abc import Collection
from datetime import datetime

from masthead.model.renewals.lapsed import RenewalStage
from masthead.store.background.outbox import STOPPED
from masthead.store.engine.interface import Transaction

_OF_STAGE = """
    SELECT l.id
    FROM renewal_letter l
    WHERE l.account_id = :account_id
      AND l.stage = :stage
      AND l.reason = 'stopped'
      AND l.period_id IN (:ids... AS bigint)
"""


async def update_stopped(tx: Transaction, account_id: int, batch_id: str, moment: datetime) -> int:
    """Stop what waits, has failed or is not printed; returns how many letters. Queries: four.

    A letter that was left out because a stopped one says the same is deleted.
    """
    values = {
        "account_id": account_id,
        "batch_id": batch_id,
        "moment": moment,
        "why": STOPPED,
    }
    await tx.execute(
        """
        UPDATE outbox
        SET status = 'cancelled', last_error = :why
        WHERE account_id = :account_id
          AND status IN ('waiting', 'failed')
          AND id IN (
              SELECT l.id
              FROM renewal_letter l
              WHERE l.account_id = :account_id
                AND l.batch_id = :batch_id
                AND l.status IN ('queued', 'failed')
          )
        """,
        values,
    )
    stopped = await tx.execute(
        """
        UPDATE renewal_letter
        SET status = 'skipped', reason = 'stopped', ended_at = :moment
        WHERE account_id = :account_id
          AND batch_id = :batch_id
          AND (
              status = 'to_print'
              OR (
                  status IN ('queued', 'failed')
                  AND EXISTS (
                      SELECT 1
                      FROM outbox o
                      WHERE o.account_id = :account_id
                        AND o.id = renewal_letter.id
                        AND o.status = 'cancelled'
                  )
              )
          )
        """,
        values,
    )
    repeated = await tx.execute(
        """
        DELETE FROM renewal_letter
        WHERE account_id = :account_id
          AND batch_id = :batch_id
          AND reason = 'same_letter'
          AND NOT EXISTS (
              SELECT 1
              FROM renewal_letter other
              WHERE other.account_id = :account_id
                AND other.batch_id = :batch_id
                AND other.subscriber_id = renewal_letter.subscriber_id
                AND coalesce(other.reason, '') NOT IN ('same_letter', 'stopped')
          )
        """,
        values,
    )
    if stopped:
        await tx.execute(
            """
            UPDATE letter_batch
            SET stopped_at = :moment,
                stopped = stopped + :stopped,
                letters = letters - :repeated
            WHERE account_id = :account_id AND id = :batch_id
            """,
            {**values, "stopped": stopped, "repeated": repeated},
        )
    return stopped


async def count_stopped(tx: Transaction, account_id: int, letter_id: str) -> None:
    """Count one more stopped letter: it was being sent when its batch was stopped, and failed."""
    await tx.execute(
        """
        UPDATE letter_batch
        SET stopped = stopped + 1
        WHERE account_id = :account_id
          AND id = (
              SELECT l.batch_id
              FROM renewal_letter l
              WHERE l.account_id = :account_id AND l.id = :id
          )
        """,
        {"account_id": account_id, "id": letter_id},
    )


async def delete_stopped(
    tx: Transaction, account_id: int, stage: RenewalStage, period_ids: Collection[int]
) -> None:
    """Delete stopped letters, so that their periods can get new ones. Queries: three.

    Their batches keep the number of stopped letters, but count their letters without them.
    """
    values = {"account_id": account_id, "stage": stage, "ids": list(period_ids)}
    await tx.execute(
        f"""
        UPDATE letter_batch
        SET letters = letters - (
            SELECT count(*)
            FROM renewal_letter l
            WHERE l.account_id = :account_id
              AND l.batch_id = letter_batch.id
              AND l.id IN ({_OF_STAGE})
        )
        WHERE account_id = :account_id AND stopped > 0 AND stage = :stage
        """,  # noqa: S608 - the constant above
        values,
    )
    await tx.execute(
        f"DELETE FROM outbox WHERE account_id = :account_id AND id IN ({_OF_STAGE})",  # noqa: S608
        values,
    )
    await tx.execute(
        """
        DELETE FROM renewal_letter
        WHERE account_id = :account_id
          AND stage = :stage
          AND reason = 'stopped'
          AND period_id IN (:ids... AS bigint)
        """,
        values,
    )
