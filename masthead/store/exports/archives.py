"""Exports that a page offers for a week: their rows, and the ZIP files in parts."""

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum

from msgspec import Struct

from masthead.model.actors import Actor
from masthead.model.clock import now
from masthead.model.ids import RowKey, new_id
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.engine.rows import fetch_all, get_one, insert_row

PART_BYTES = 1024 * 1024

_ARCHIVE = """
    SELECT id, status, row_count, bytes, sha256, error, created_at, actor_kind, actor_id, ready_at
    FROM account_export
    WHERE account_id = :account_id
"""


class ArchiveStatus(StrEnum):
    """Whether a ZIP file is ready."""

    WAITING = "waiting"
    READY = "ready"
    FAILED = "failed"


class Archive(Struct, frozen=True, kw_only=True):
    """An export as a ZIP file. row_count, bytes, sha256: None until it is ready."""

    id: str
    status: ArchiveStatus
    row_count: int | None
    bytes: int | None
    sha256: str | None
    error: str | None
    created_at: datetime
    actor_kind: str
    actor_id: str
    ready_at: datetime | None


async def get_archive(db: Connection, account_id: int, id: str) -> Archive:
    """An export. Queries: one. Raises: NotFound."""
    return await get_one(db, account_id, id, _ARCHIVE + "AND id = :id", into=Archive, noun="export")


async def list_archives(db: Connection, account_id: int) -> list[Archive]:
    """The exports of the last week, newest first. Queries: one. Index: its key."""
    return await fetch_all(
        db, _ARCHIVE + "ORDER BY id DESC", {"account_id": account_id}, into=Archive
    )


async def insert_archive(tx: Transaction, account_id: int, *, by: Actor) -> str:
    """Add an export that waits to be written; returns its id. Queries: one."""
    id = new_id(account_id)
    await insert_row(
        tx,
        "account_export",
        account_id=account_id,
        id=id,
        status=ArchiveStatus.WAITING.value,
        created_at=now(),
        actor_kind=by.kind,
        actor_id=by.id,
    )
    return id


async def insert_parts(
    tx: Transaction, account_id: int, id: str, parts: Sequence[bytes], *, first: int
) -> None:
    """Add parts of a file. first: the number of the first one."""
    await tx.execute_many(
        """
        INSERT INTO account_export_part (account_id, export_id, part, content)
        VALUES (:account_id, :export_id, :part, :content)
        """,
        [
            {"account_id": account_id, "export_id": id, "part": part, "content": content}
            for part, content in enumerate(parts, first)
        ],
    )


async def complete_archive(
    tx: Transaction, account_id: int, id: str, *, row_count: int, bytes: int, sha256: str
) -> None:
    """Offer a file, all of whose parts are stored. Queries: one."""
    await tx.execute(
        """
        UPDATE account_export
        SET status = 'ready',
            row_count = :row_count,
            bytes = :bytes,
            sha256 = :sha256,
            ready_at = :now
        WHERE account_id = :account_id AND id = :id AND status = 'waiting'
        """,
        {
            "account_id": account_id,
            "id": id,
            "row_count": row_count,
            "bytes": bytes,
            "sha256": sha256,
            "now": now(),
        },
    )


async def fail_archive(tx: Transaction, account_id: int, id: str, error: str) -> None:
    """Record that an export cannot be written. Queries: one."""
    await tx.execute(
        """
        UPDATE account_export
        SET status = 'failed', error = :error
        WHERE account_id = :account_id AND id = :id AND status = 'waiting'
        """,
        {"account_id": account_id, "id": id, "error": error},
    )


async def count_parts(db: Connection, account_id: int, id: str) -> int:
    """The number of parts of a file. Queries: one. Index: its key."""
    row = await db.fetch_one(
        """
        SELECT count(*) AS count
        FROM account_export_part
        WHERE account_id = :account_id AND export_id = :id
        """,
        {"account_id": account_id, "id": id},
    )
    assert row is not None
    return int(row["count"])


async def get_part(db: Connection, account_id: int, id: str, part: int) -> bytes:
    """A part that exists. Queries: one. Index: its key."""
    row = await db.fetch_one(
        """
        SELECT content
        FROM account_export_part
        WHERE account_id = :account_id AND export_id = :id AND part = :part
        """,
        {"account_id": account_id, "id": id, "part": part},
    )
    assert row is not None
    return bytes(row["content"])


async def delete_parts(tx: Transaction, account_id: int, id: str) -> None:
    """Delete the parts of a file. Queries: one."""
    await tx.execute(
        "DELETE FROM account_export_part WHERE account_id = :account_id AND export_id = :id",
        {"account_id": account_id, "id": id},
    )


async def delete_archive(tx: Transaction, account_id: int, id: str) -> None:
    """Delete an export with its file. Queries: two."""
    await delete_parts(tx, account_id, id)
    await tx.execute(
        "DELETE FROM account_export WHERE account_id = :account_id AND id = :id",
        {"account_id": account_id, "id": id},
    )


async def delete_archives(tx: Transaction, account_id: int) -> None:
    """Delete all exports of an account with their files. Queries: two."""
    for table in ("account_export_part", "account_export"):
        await tx.execute(
            f"DELETE FROM {table} WHERE account_id = :account_id",  # noqa: S608 - constants
            {"account_id": account_id},
        )


async def list_waiting(db: Connection, *, limit: int) -> list[RowKey]:
    """The oldest exports that wait, of all accounts. Queries: one."""
    return await fetch_all(
        db,
        """
        SELECT account_id, id
        FROM account_export
        WHERE status = 'waiting'
        ORDER BY created_at
        LIMIT :limit
        """,
        {"limit": limit},
        into=RowKey,
    )


async def list_old(db: Connection, before: datetime) -> list[RowKey]:
    """Exports from before a moment, of all accounts. Queries: one."""
    return await fetch_all(
        db,
        "SELECT account_id, id FROM account_export WHERE created_at < :before",
        {"before": before},
        into=RowKey,
    )
