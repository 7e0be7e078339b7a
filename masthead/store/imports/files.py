"""Uploaded files of imports, in parts; small ones are kept for some days after the import."""

from collections.abc import Sequence

from masthead.store.engine.interface import Connection, Transaction


async def insert_part(
    tx: Transaction, account_id: int, batch_id: str, part: int, content: bytes
) -> None:
    """Add a part of a file. Queries: one."""
    await tx.execute(
        """
        INSERT INTO import_file_part (account_id, batch_id, part, content)
        VALUES (:account_id, :batch, :part, :content)
        """,
        {"account_id": account_id, "batch": batch_id, "part": part, "content": content},
    )


async def find_part(db: Connection, account_id: int, batch_id: str, part: int) -> bytes | None:
    """A part of a file; None after the last one. Queries: one. Index: its key."""
    row = await db.fetch_one(
        """
        SELECT content
        FROM import_file_part
        WHERE account_id = :account_id AND batch_id = :batch AND part = :part
        """,
        {"account_id": account_id, "batch": batch_id, "part": part},
    )
    return bytes(row["content"]) if row else None


async def is_stored(db: Connection, account_id: int, batch_id: str) -> bool:
    """Whether there is a file. Queries: one. Index: its key."""
    row = await db.fetch_one(
        """
        SELECT 1
        FROM import_file_part
        WHERE account_id = :account_id AND batch_id = :batch AND part = 0
        """,
        {"account_id": account_id, "batch": batch_id},
    )
    return row is not None


async def move_file(tx: Transaction, account_id: int, batch_id: str, to: str) -> None:
    """Give the file of a batch to another one. Queries: one."""
    await tx.execute(
        """
        UPDATE import_file_part
        SET batch_id = :to
        WHERE account_id = :account_id AND batch_id = :batch
        """,
        {"account_id": account_id, "batch": batch_id, "to": to},
    )


async def delete_files(tx: Transaction, account_id: int, batch_ids: Sequence[str]) -> None:
    """Delete the files of batches. Queries: one."""
    await tx.execute(
        """
        DELETE FROM import_file_part
        WHERE account_id = :account_id AND batch_id IN (:batches...)
        """,
        {"account_id": account_id, "batches": list(batch_ids)},
    )
