"""Mappings that were saved by name for the next import."""

from masthead.model.clock import now
from masthead.model.imports.batches import SavedMapping
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.engine.rows import fetch_all, fetch_one
from masthead.store.update_statement import upsert_row


async def list_mappings(db: Connection, account_id: int) -> list[SavedMapping]:
    """All saved mappings, by name. Queries: one."""
    return await fetch_all(
        db,
        """
        SELECT name, mapping, updated_at
        FROM import_mapping
        WHERE account_id = :account_id
        ORDER BY name
        """,
        {"account_id": account_id},
        into=SavedMapping,
    )


async def find_mapping(db: Connection, account_id: int, name: str) -> SavedMapping | None:
    """A saved mapping. Queries: one."""
    return await fetch_one(
        db,
        """
        SELECT name, mapping, updated_at
        FROM import_mapping
        WHERE account_id = :account_id AND name = :name
        """,
        {"account_id": account_id, "name": name},
        into=SavedMapping,
    )


async def save_mapping(tx: Transaction, account_id: int, name: str, mapping: str) -> None:
    """Save a mapping, instead of an earlier one with the same name. Queries: one."""
    columns = {"name": name, "mapping": mapping, "updated_at": now()}
    await upsert_row(tx, account_id, "import_mapping", ["name"], **columns)


async def delete_mapping(tx: Transaction, account_id: int, name: str) -> None:
    """Delete a saved mapping. Queries: one."""
    await tx.execute(
        "DELETE FROM import_mapping WHERE account_id = :account_id AND name = :name",
        {"account_id": account_id, "name": name},
    )
