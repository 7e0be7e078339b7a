"""Secrets of this server, which all its processes share."""

from masthead.store.engine.interface import Connection, Transaction


async def find_secret(db: Connection, name: str) -> str | None:
    """The secret with that name, or None."""
    row = await db.fetch_one("SELECT value FROM secret WHERE name = :name", {"name": name})
    return str(row["value"]) if row else None


async def insert_secret(tx: Transaction, name: str, value: str) -> None:
    """Store a secret, unless there is one with that name."""
    await tx.execute(
        "INSERT INTO secret (name, value) VALUES (:name, :value) ON CONFLICT (name) DO NOTHING",
        {"name": name, "value": value},
    )


async def delete_secret(tx: Transaction, name: str) -> None:
    """Delete the secret with that name, if there is one."""
    await tx.execute("DELETE FROM secret WHERE name = :name", {"name": name})
