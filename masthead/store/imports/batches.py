"""Batches of imports."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec

from masthead.model.actors import Actor
from masthead.model.clock import now
from masthead.model.errors import NotFound
from masthead.model.ids import RowKey, new_id
from masthead.model.imports.batches import (
    WORKING,
    BatchStatus,
    Counts,
    Decisions,
    ImportBatch,
    ReasonCount,
)
from masthead.model.imports.plan import ImportPlan
from masthead.model.imports.tabular_data import FileLayout
from masthead.model.pagination import Page, PageRequest, cut_page
from masthead.store.engine.interface import Connection, Row, Transaction
from masthead.store.update_statement import update_row

_BATCH = """
    SELECT
        id,
        number,
        name,
        sha256,
        bytes,
        status,
        source_id,
        options AS plan,
        decisions,
        layout,
        counts,
        reasons,
        issues,
        error,
        created_at,
        actor_kind,
        actor_id,
        started_at,
        finished_at,
        undone_at,
        undone_by_kind,
        undone_by_id
    FROM import_batch
    WHERE account_id = :account_id
"""
_JSON: Mapping[str, Any] = {
    "plan": ImportPlan,
    "decisions": Decisions,
    "layout": FileLayout,
    "counts": Counts,
    "reasons": list[ReasonCount],
    "issues": list[int],
}

_STORED = {"plan": "options"}  # the column of a field with another name


def _batch_from_row(row: Row) -> ImportBatch:
    decoded = {
        name: msgspec.json.decode(row[name], type=type, strict=False)
        for name, type in _JSON.items()
    }
    return ImportBatch(**{**row, **decoded, "status": BatchStatus(row["status"])})


async def get_batch(db: Connection, account_id: int, id: str) -> ImportBatch:
    """A batch. Queries: one. Raises: NotFound."""
    row = await db.fetch_one(_BATCH + "AND id = :id", {"account_id": account_id, "id": id})
    if row is None:
        raise NotFound("import", id)
    return _batch_from_row(row)


async def find_numbered(db: Connection, account_id: int, number: int) -> ImportBatch | None:
    """The batch with a number. Queries: one. Index: import_batch_number."""
    row = await db.fetch_one(
        _BATCH + "AND number = :number", {"account_id": account_id, "number": number}
    )
    return _batch_from_row(row) if row else None


async def list_batches(db: Connection, account_id: int, request: PageRequest) -> Page[ImportBatch]:
    """All batches, newest first. Queries: one. Index: its key."""
    rows = await db.fetch_all(
        _BATCH + "AND id < :after ORDER BY id DESC LIMIT :limit",
        {"account_id": account_id, "after": request.after_id, "limit": request.fetch},
    )
    return cut_page([_batch_from_row(row) for row in rows], request)


async def list_same_file(db: Connection, account_id: int, sha256: str) -> list[ImportBatch]:
    """The newest batches that ran with the same file, newest first. Queries: one."""
    rows = await db.fetch_all(
        _BATCH
        + """
          AND sha256 = :sha256
          AND number IS NOT NULL
        ORDER BY number DESC
        LIMIT 20
        """,
        {"account_id": account_id, "sha256": sha256},
    )
    return [_batch_from_row(row) for row in rows]


async def list_corrections(db: Connection, account_id: int, id: str) -> list[ImportBatch]:
    """The batches that ran with corrected rows of a batch, and are not undone. Queries: one.

    Index: the key, for the batches after it.
    """
    rows = await db.fetch_all(
        _BATCH
        + """
          AND id > :id
          AND number IS NOT NULL
          AND undone_at IS NULL
          AND decisions LIKE :corrects
        ORDER BY id
        """,
        {"account_id": account_id, "id": id, "corrects": f'%"corrects":"{id}"%'},
    )
    return [_batch_from_row(row) for row in rows]


async def sum_waiting_bytes(db: Connection, account_id: int) -> int:
    """The size of all uploaded files that were never imported. Queries: one."""
    row = await db.fetch_one(
        """
        SELECT CAST(coalesce(sum(bytes), 0) AS bigint) AS bytes
        FROM import_batch
        WHERE account_id = :account_id AND number IS NULL
        """,
        {"account_id": account_id},
    )
    assert row is not None
    return int(row["bytes"])


async def list_repeated(db: Connection, account_id: int, batch: ImportBatch) -> list[str]:
    """The ids of the batches whose file a batch takes again, from the same source. Queries: one."""
    found = await list_same_file(db, account_id, batch.sha256)
    return [each.id for each in found if batch.repeats(each)]


async def list_of_commands(db: Connection, account_id: int) -> list[ImportBatch]:
    """The batches that commands run or undo. Queries: one. Index: import_batch_by_status."""
    rows = await db.fetch_all(
        _BATCH
        + """
          AND status IN ('running', 'undoing')
          AND CASE WHEN status = 'undoing' THEN undone_by_kind ELSE actor_kind END = 'command'
        ORDER BY id
        """,
        {"account_id": account_id},
    )
    return [_batch_from_row(row) for row in rows]


async def list_command_accounts(db: Connection) -> list[int]:
    """The accounts for which commands run or undo batches. Queries: one.

    Index: import_batch_by_status.
    """
    rows = await db.fetch_all(
        """
        SELECT DISTINCT account_id
        FROM import_batch
        WHERE status IN ('running', 'undoing')
          AND CASE WHEN status = 'undoing' THEN undone_by_kind ELSE actor_kind END = 'command'
        """,
        {},
    )
    return [row["account_id"] for row in rows]


async def insert_batch(
    tx: Transaction,
    account_id: int,
    *,
    name: str,
    sha256: str,
    size: int,
    status: BatchStatus,
    by: Actor,
) -> str:
    """Add a batch; returns its id. Queries: one."""
    id = new_id(account_id)
    row = {
        "account_id": account_id,
        "id": id,
        "name": name,
        "sha256": sha256,
        "bytes": size,
        "status": status.value,
        "options": "{}",
        "decisions": "{}",
        "layout": "{}",
        "counts": "{}",
        "reasons": "[]",
        "created_at": now(),
        "actor_kind": by.kind,
        "actor_id": by.id,
    }
    await tx.insert_rows("import_batch", [row])
    return id


async def update_batch(
    tx: Transaction, account_id: int, id: str, columns: Mapping[str, object]
) -> None:
    """Set columns of a batch; structs become JSON. Queries: one."""
    values = {
        _STORED.get(name, name): msgspec.json.encode(value).decode() if name in _JSON else value
        for name, value in columns.items()
    }
    await update_row(tx, account_id, "import_batch", id, **values)


async def next_number(db: Connection, account_id: int) -> int:
    """The number of the next batch that runs. Queries: one. Index: import_batch_number."""
    row = await db.fetch_one(
        """
        SELECT coalesce(max(number), 0) + 1 AS next
        FROM import_batch
        WHERE account_id = :account_id
        """,
        {"account_id": account_id},
    )
    assert row is not None
    return int(row["next"])


async def list_working(db: Connection, *, limit: int) -> list[RowKey]:
    """The oldest batches of the pages, of all accounts, that wait or are being worked on.

    Those of commands are left to them. Queries: one. Index: import_batch_by_status.
    """
    rows = await db.fetch_all(
        """
        SELECT account_id, id
        FROM import_batch
        WHERE status IN (:working...)
          AND CASE WHEN status = 'undoing' THEN undone_by_kind ELSE actor_kind END <> 'command'
        ORDER BY created_at
        LIMIT :limit
        """,
        {"working": [status.value for status in WORKING], "limit": limit},
    )
    return [RowKey(**row) for row in rows]


async def list_unused(db: Connection, before: datetime, *, limit: int) -> list[RowKey]:
    """Uploads from before a moment that were never imported, of all accounts. Queries: one."""
    rows = await db.fetch_all(
        """
        SELECT account_id, id
        FROM import_batch
        WHERE status IN ('uploaded', 'rehearsed', 'failed')
          AND number IS NULL
          AND created_at < :moment
        ORDER BY created_at
        LIMIT :limit
        """,
        {"moment": before, "limit": limit},
    )
    return [RowKey(**row) for row in rows]


async def list_used(db: Connection, before: datetime, *, limit: int) -> list[RowKey]:
    """Imports that were done before a moment and still have their file. Queries: one."""
    rows = await db.fetch_all(
        """
        SELECT b.account_id, b.id
        FROM import_file_part p
        JOIN import_batch b ON b.account_id = p.account_id AND b.id = p.batch_id
        WHERE p.part = 0
          AND b.status IN ('imported', 'undone')
          AND b.finished_at < :moment
        ORDER BY b.finished_at
        LIMIT :limit
        """,
        {"moment": before, "limit": limit},
    )
    return [RowKey(**row) for row in rows]


async def delete_batches(tx: Transaction, account_id: int, ids: Sequence[str]) -> None:
    """Delete batches that have no rows and no file any more. Queries: one."""
    await tx.execute(
        "DELETE FROM import_batch WHERE account_id = :account_id AND id IN (:ids...)",
        {"account_id": account_id, "ids": list(ids)},
    )
