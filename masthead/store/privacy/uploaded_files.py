"""Uploaded files that may contain a subscriber, and the imports that need them."""

from collections.abc import Collection

from msgspec import Struct

from masthead.store.engine.interface import Connection, Transaction
from masthead.store.engine.rows import fetch_all

# The parts of uploaded files: the table, the column with the id of the file, and the order
_PARTS = {
    "import_file_part": ("batch_id", "part"),
    "carrier_file_part": ("file_id", "kind, part"),
}


async def count_parts(db: Connection, account_id: int, table: str) -> dict[str, int]:
    """The number of parts with content of the uploaded files, by id. Queries: one.

    table: of the parts.
    """
    column, _order = _PARTS[table]
    rows = await db.fetch_all(
        f"""
        SELECT {column} AS id, count(*) AS parts
        FROM {table}
        WHERE account_id = :account_id
        GROUP BY {column}
        """,  # noqa: S608 - the constants above
        {"account_id": account_id},
    )
    return {row["id"]: row["parts"] for row in rows}


class UploadedFile(Struct, frozen=True):
    """An uploaded file. name: as the user's computer named it."""

    id: str
    name: str


async def list_file_names(
    db: Connection, account_id: int, table: str, ids: Collection[str]
) -> list[UploadedFile]:
    """Uploaded files. table: of their parts. Queries: one."""
    files = {"import_file_part": "import_batch", "carrier_file_part": "carrier_file"}[table]
    return await fetch_all(
        db,
        f"""
        SELECT id, name
        FROM {files}
        WHERE account_id = :account_id AND id IN (:ids...)
        ORDER BY id
        """,  # noqa: S608 - the constants above
        {"account_id": account_id, "ids": list(ids)},
        into=UploadedFile,
    )


async def find_part(
    db: Connection, account_id: int, table: str, id: str, place: int
) -> bytes | None:
    """A part of a file, by its place from 0; None after the last one. Queries: one."""
    column, order = _PARTS[table]
    row = await db.fetch_one(
        f"""
        SELECT content
        FROM {table}
        WHERE account_id = :account_id AND {column} = :id
        ORDER BY {order}
        LIMIT 1 OFFSET :place
        """,  # noqa: S608 - the constants above
        {"account_id": account_id, "id": id, "place": place},
    )
    return None if row is None else bytes(row["content"])


async def delete_parts(tx: Transaction, account_id: int, table: str, ids: Collection[str]) -> None:
    """Delete the content of uploaded files. Queries: one."""
    column, _order = _PARTS[table]
    await tx.execute(
        f"DELETE FROM {table} WHERE account_id = :account_id AND {column} IN (:ids...)",  # noqa: S608 - the constants above
        {"account_id": account_id, "ids": list(ids)},
    )


async def has_running_import(db: Connection, account_id: int) -> bool:
    """Whether an import is rehearsed, run or undone now. Queries: one."""
    row = await db.fetch_one(
        """
        SELECT id
        FROM import_batch
        WHERE account_id = :account_id AND status IN ('rehearsing', 'running', 'undoing')
        LIMIT 1
        """,
        {"account_id": account_id},
    )
    return row is not None


async def fail_batches(
    tx: Transaction, account_id: int, ids: Collection[str], *, error: str
) -> None:
    """Let imports whose file was deleted before they ran fail. Queries: one."""
    await tx.execute(
        """
        UPDATE import_batch
        SET status = 'failed', error = :error, decisions = '{}'
        WHERE account_id = :account_id
          AND id IN (:ids...)
          AND status IN ('uploaded', 'rehearsed')
        """,
        {"account_id": account_id, "ids": list(ids), "error": error},
    )
