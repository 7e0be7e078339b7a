"""Recovery codes, stored as digests. A code is deleted when it is used."""

from collections.abc import Sequence

from masthead.model.clock import now
from masthead.store.engine.interface import Connection, Transaction


async def replace_codes(tx: Transaction, user_id: str, digests: Sequence[str]) -> None:
    """Store new codes of a person; their old codes stop working."""
    await delete_codes(tx, user_id)
    moment = now()
    rows = [{"user_id": user_id, "digest": each, "created_at": moment} for each in digests]
    await tx.insert_rows("recovery_code", rows)


async def take_code(tx: Transaction, user_id: str, digest: str) -> bool:
    """Use up a code; False if it is unknown or was used before."""
    taken = await tx.execute(
        "DELETE FROM recovery_code WHERE user_id = :user_id AND digest = :digest",
        {"user_id": user_id, "digest": digest},
    )
    return taken == 1


async def count_codes(db: Connection, user_id: str) -> int:
    """The number of unused codes of a person."""
    row = await db.fetch_one(
        "SELECT count(*) AS count FROM recovery_code WHERE user_id = :user_id", {"user_id": user_id}
    )
    assert row is not None
    return int(row["count"])


async def delete_codes(tx: Transaction, user_id: str) -> None:
    """Delete all codes of a person."""
    await tx.execute("DELETE FROM recovery_code WHERE user_id = :user_id", {"user_id": user_id})
