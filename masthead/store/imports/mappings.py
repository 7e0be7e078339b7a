"""Mappings that were saved by name for the next import."""

from masthead.model.clock import now
from masthead.model.imports.batches import SavedMapping
from masthead.store.engine.interface import Connection, Transaction


async def list_mappings(db: Connection, account_id: int) -> list[SavedMapping]:
    """All saved mappings, by name. Queries: one."""
    rows = await db.fetch_all(
        """
        SELECT name, mapping, updated_at
        FROM import_mapping
        WHERE account_id = :account_id
        ORDER BY name
        """,
        {"account_id": account_id},
    )
    return [SavedMapping(**row) for row in rows]


async def find_mapping(db: Connection, account_id: int, name: str) -> SavedMapping | None:
    """A saved mapping. Queries: one."""
    row = await db.fetch_one(
        """
        SELECT name, mapping, updated_at
        FROM import_mapping
        WHERE account_id = :account_id AND name = :name
        """,
        {"account_id": account_id, "name": name},
    )
    return SavedMapping(**row) if row else None


async def save_mapping(tx: Transaction, account_id: int, name: str, mapping: str) -> None:
    """Save a mapping, instead of an earlier one with the same name. Queries: one."""
    await tx.execute(
        """
        INSERT INTO import_mapping (account_id, name, mapping, updated_at)
        VALUES (:account_id, :name, :mapping, :now)
        ON CONFLICT (account_id, name) DO UPDATE
        SET mapping = excluded.mapping, updated_at = excluded.updated_at
        """,
        {"account_id": account_id, "name": name, "mapping": mapping, "now": now()},
    )


async def delete_mapping(tx: Transaction, account_id: int, name: str) -> None:
    """Delete a saved mapping. Queries: one."""
    await tx.execute(
        "DELETE FROM import_mapping WHERE account_id = :account_id AND name = :name",
        {"account_id": account_id, "name": name},
    )
