"""Letters that could not be sent by email."""

from masthead.model.letters.outcomes import LetterStatus
from masthead.store.engine.interface import Connection, Transaction


async def count_failed(db: Connection, account_id: int) -> dict[str, int]:
    """How many letters of each batch could not be sent; without batches that have none.

    Queries: one. Index: outbox_by_account.
    """
    rows = await db.fetch_all(
        """
        SELECT l.batch_id, count(*) AS count
        FROM outbox o
        JOIN renewal_letter l ON l.account_id = o.account_id AND l.id = o.id
        WHERE o.account_id = :account_id
          AND o.status = 'failed'
          AND l.status = :failed
        GROUP BY l.batch_id
        """,
        {"account_id": account_id, "failed": LetterStatus.FAILED},
    )
    return {row["batch_id"]: int(row["count"]) for row in rows}


async def delete_failed(
    tx: Transaction, account_id: int, batch_id: str, letter_id: str
) -> str | None:
    """Delete a letter that could not be sent, with its email, so that another one can be written.

    Returns the id of its subscription; None if there is no such letter. Queries: one, or four.
    """
    values = {
        "account_id": account_id,
        "batch_id": batch_id,
        "id": letter_id,
        "failed": LetterStatus.FAILED,
    }
    row = await tx.fetch_one(
        """
        SELECT subscription_id
        FROM renewal_letter
        WHERE account_id = :account_id
          AND id = :id
          AND batch_id = :batch_id
          AND status = :failed
        """,
        values,
    )
    if row is None:
        return None
    await tx.execute("DELETE FROM outbox WHERE account_id = :account_id AND id = :id", values)
    await tx.execute(
        "DELETE FROM renewal_letter WHERE account_id = :account_id AND id = :id", values
    )
    await tx.execute(
        """
        UPDATE letter_batch
        SET letters = letters - 1
        WHERE account_id = :account_id AND id = :batch_id
        """,
        values,
    )
    return str(row["subscription_id"])
