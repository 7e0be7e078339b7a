"""The files of dispatch runs: their rows, and their content in parts of at most 1 MiB."""

from collections.abc import Mapping
from datetime import datetime

import msgspec
from msgspec import Struct

from masthead.model.actors import Actor
from masthead.model.clock import now
from masthead.model.dispatch.files import DispatchFile, FileStatus, FileTotals
from masthead.model.dispatch.profiles import ExportProfile, FileFormat
from masthead.model.ids import new_id
from masthead.store.dispatch.profiles import settings_text
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.engine.rows import fetch_all, get_one, insert_row
from masthead.store.update_statement import update_columns

_FILE = """
    SELECT
        id,
        dispatch_id,
        format,
        profile_id,
        profile_name,
        settings,
        name,
        status,
        attempts,
        progress,
        lines,
        bytes,
        totals,
        sha256,
        error,
        created_at,
        actor_kind,
        actor_id,
        ready_at
    FROM dispatch_file
    WHERE account_id = :account_id
"""


class UnfinishedFile(Struct, frozen=True):
    """A file that is not built yet, of any account."""

    account_id: int
    id: str
    attempts: int
    created_at: datetime


async def get_file(db: Connection, account_id: int, id: str) -> DispatchFile:
    """A file. Queries: one. Raises: NotFound."""
    return await get_one(db, account_id, id, _FILE + "AND id = :id", into=DispatchFile, noun="file")


async def list_files(db: Connection, account_id: int, dispatch_id: str) -> list[DispatchFile]:
    """The files of a run, oldest first. Queries: one. Index: dispatch_file_by_dispatch."""
    return await fetch_all(
        db,
        _FILE + "AND dispatch_id = :dispatch ORDER BY id",
        {"account_id": account_id, "dispatch": dispatch_id},
        into=DispatchFile,
    )


async def insert_file(
    tx: Transaction,
    account_id: int,
    *,
    dispatch_id: str,
    format: FileFormat,
    profile: ExportProfile,
    name: str,
    lines: int,
    by: Actor,
) -> str:
    """Add a file that waits to be built; returns its id. Queries: one."""
    id = new_id(account_id)
    await insert_row(
        tx,
        "dispatch_file",
        account_id=account_id,
        id=id,
        dispatch_id=dispatch_id,
        format=format.value,
        profile_id=profile.id,
        profile_name=profile.name,
        settings=settings_text(profile.settings),
        name=name,
        status=FileStatus.WAITING.value,
        attempts=0,
        progress=0,
        lines=lines,
        bytes=0,
        created_at=now(),
        actor_kind=by.kind,
        actor_id=by.id,
    )
    return id


async def update_file(
    tx: Transaction, account_id: int, id: str, columns: Mapping[str, object]
) -> None:
    """Set columns of a file that is not ready; a ready file never changes. Queries: one."""
    values = dict(columns)
    if isinstance(totals := values.get("totals"), FileTotals):
        values["totals"] = msgspec.json.encode(totals).decode()
    statement = update_columns("dispatch_file", values) + " AND status <> 'ready'"
    await tx.execute(statement, {**values, "account_id": account_id, "id": id})


async def insert_part(
    tx: Transaction, account_id: int, file_id: str, *, part: int, content: bytes
) -> None:
    """Add a part of a file. Queries: one."""
    await tx.execute(
        """
        INSERT INTO dispatch_file_part (account_id, file_id, part, content)
        VALUES (:account_id, :file, :part, :content)
        """,
        {"account_id": account_id, "file": file_id, "part": part, "content": content},
    )


async def delete_parts(tx: Transaction, account_id: int, file_id: str) -> None:
    """Delete the parts of a file that is not ready. Queries: one."""
    await tx.execute(
        """
        DELETE FROM dispatch_file_part
        WHERE account_id = :account_id
          AND file_id = :file
          AND file_id IN (
              SELECT f.id
              FROM dispatch_file f
              WHERE f.account_id = :account_id AND f.id = :file AND f.status <> 'ready'
          )
        """,
        {"account_id": account_id, "file": file_id},
    )


async def find_part(db: Connection, account_id: int, file_id: str, part: int) -> bytes | None:
    """A part of a ready file, by its number from 0; None after the last one. Queries: one."""
    row = await db.fetch_one(
        """
        SELECT p.content
        FROM dispatch_file_part p
        JOIN dispatch_file f ON f.account_id = p.account_id AND f.id = p.file_id
        WHERE p.account_id = :account_id
          AND f.account_id = :account_id
          AND p.file_id = :file
          AND p.part = :part
          AND f.status = 'ready'
        """,
        {"account_id": account_id, "file": file_id, "part": part},
    )
    return None if row is None else bytes(row["content"])


async def list_unfinished_files(db: Connection, *, limit: int) -> list[UnfinishedFile]:
    """The oldest files of all accounts that are not built yet. Index: dispatch_file_by_status."""
    return await fetch_all(
        db,
        """
        SELECT account_id, id, attempts, created_at
        FROM dispatch_file
        WHERE status IN ('waiting', 'building')
        ORDER BY created_at
        LIMIT :limit
        """,
        {"limit": limit},
        into=UnfinishedFile,
    )
