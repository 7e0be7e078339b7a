"""Idempotency keys of forms: a form that is sent twice works once."""

from datetime import datetime

from masthead.model.clock import now
from masthead.store.engine.interface import Connection, Transaction


async def take_key(tx: Transaction, account_id: int, digest: str) -> str | None:
    """Use a form's key: None if it was unused, else the result that was stored with it.

    digest: SHA-256 of the key. Of two transactions that use one key, the second waits for the
    first.
    """
    taken = await tx.fetch_one(
        """
        INSERT INTO submission (account_id, digest, result, made_at)
        VALUES (:account_id, :digest, '', :now)
        ON CONFLICT (account_id, digest) DO NOTHING
        RETURNING digest
        """,
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
    """Store the result of a form: the path that it redirected to."""
    await tx.execute(
        """
        UPDATE submission
        SET result = :result
        WHERE account_id = :account_id AND digest = :digest
        """,
        {"account_id": account_id, "digest": digest, "result": result},
    )


async def list_accounts_with_old_keys(db: Connection, before: datetime) -> list[int]:
    """The accounts with keys that were used before a moment. Queries: one."""
    rows = await db.fetch_all(
        "SELECT DISTINCT account_id FROM submission WHERE made_at < :before ORDER BY account_id",
        {"before": before},
    )
    return [row["account_id"] for row in rows]


async def delete_old_keys(tx: Transaction, account_id: int, before: datetime) -> int:
    """Delete keys that were used before a moment; returns how many."""
    return await tx.execute(
        "DELETE FROM submission WHERE account_id = :account_id AND made_at < :before",
        {"account_id": account_id, "before": before},
    )
