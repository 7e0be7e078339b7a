"""Leases: work that one process does for all, until it lets go or is gone for a while."""

from datetime import timedelta

from masthead.store.connection import Transaction, now


async def take_lease(tx: Transaction, *, name: str, holder: str, duration: timedelta) -> bool:
    """Whether `holder` has the lease from now on; its own one is prolonged."""
    moment = now()
    row = await tx.fetch_one(
        "INSERT INTO lease (name, holder, until_at) VALUES (:name, :holder, :until)"
        " ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until_at = excluded.until_at"
        " WHERE lease.holder = :holder OR lease.until_at < :now RETURNING holder",
        {"name": name, "holder": holder, "until": moment + duration, "now": moment},
    )
    return row is not None


async def release_lease(tx: Transaction, *, name: str, holder: str) -> None:
    """Let go, so that another process can take over at once."""
    await tx.execute(
        "DELETE FROM lease WHERE name = :name AND holder = :holder",
        {"name": name, "holder": holder},
    )
