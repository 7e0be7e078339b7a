"""Marks of forms that have done their work, so that one sent twice does it once."""

from datetime import datetime

from masthead.model.clock import now
from masthead.store.engine.interface import Transaction


async def take_mark(tx: Transaction, account_id: int, digest: str) -> str | None:
    """Take a form's mark: None if it was free, else where the form led when it was taken.

    digest: SHA-256 of the mark. Two that take it at once wait for each other.
    """
    taken = await tx.fetch_one(
        "INSERT INTO submission (account_id, digest, result, made_at)"
        " VALUES (:account_id, :digest, '', :now)"
        " ON CONFLICT (account_id, digest) DO NOTHING RETURNING digest",
        {"account_id": account_id, "digest": digest, "now": now()},
    )
    if taken is not None:
        return None
    row = await tx.fetch_one(
        "SELECT result FROM submission WHERE account_id = :account_id AND digest = :digest",
        {"account_id": account_id, "digest": digest},
    )
    assert row is not None
    return str(row["result"])


async def update_result(tx: Transaction, account_id: int, digest: str, result: str) -> None:
    """Keep where a form led."""
    await tx.execute(
        "UPDATE submission SET result = :result"
        " WHERE account_id = :account_id AND digest = :digest",
        {"account_id": account_id, "digest": digest, "result": result},
    )


async def delete_marks(tx: Transaction, account_id: int, before: datetime) -> int:
    """Forget marks taken before a moment; how many."""
    return await tx.execute(
        "DELETE FROM submission WHERE account_id = :account_id AND made_at < :before",
        {"account_id": account_id, "before": before},
    )
