"""Revenue statements: their rows, and their files in compressed parts."""

import zlib
from collections.abc import Sequence
from datetime import date, datetime
from enum import StrEnum

import msgspec
from msgspec import Struct

from masthead.model.actors import Actor
from masthead.model.clock import now
from masthead.model.ids import RowKey, new_id
from masthead.model.pagination import Page, PageRequest, cut_page
from masthead.model.revenue.statement_figures import StatementFigures
from masthead.model.translations import gettext_noop
from masthead.model.types.enums import LabelledEnum
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.engine.rows import fetch_all, fetch_one, get_one, insert_row

PART_BYTES = 1024 * 1024  # before compression

_STATEMENT = """
    SELECT
        id,
        statement_date,
        status,
        figures,
        sha256,
        orders_sha256,
        error,
        created_at,
        actor_kind,
        actor_id,
        ready_at
    FROM revenue_statement
    WHERE account_id = :account_id
"""


class StatementStatus(LabelledEnum):
    """Whether a statement is ready. A ready statement never changes."""

    WAITING = "waiting", gettext_noop("Being calculated")
    READY = "ready", gettext_noop("Ready")
    FAILED = "failed", gettext_noop("Failed")


class StatementFile(StrEnum):
    """The files of a statement."""

    FIGURES = "figures"
    ORDERS = "orders"


class Statement(Struct, frozen=True, kw_only=True):
    """A statement of the end of a day. figures, sha256, orders_sha256: None until it is ready."""

    id: str
    statement_date: date
    status: StatementStatus
    figures: StatementFigures | None
    sha256: str | None
    orders_sha256: str | None
    error: str | None
    created_at: datetime
    actor_kind: str
    actor_id: str
    ready_at: datetime | None


async def get_statement(db: Connection, account_id: int, id: str) -> Statement:
    """A statement. Queries: one. Raises: NotFound."""
    return await get_one(
        db, account_id, id, _STATEMENT + "AND id = :id", into=Statement, noun="statement"
    )


async def list_statements(db: Connection, account_id: int, request: PageRequest) -> Page[Statement]:
    """All statements, newest first. Queries: one. Index: its key."""
    found = await fetch_all(
        db,
        _STATEMENT + "AND id < :after ORDER BY id DESC LIMIT :limit",
        {"account_id": account_id, "after": request.after_id, "limit": request.fetch},
        into=Statement,
    )
    return cut_page(found, request)


async def find_statement_of(db: Connection, account_id: int, day: date) -> Statement | None:
    """The newest statement of a day that has not failed. Index: revenue_statement_by_date."""
    return await fetch_one(
        db,
        _STATEMENT
        + """
          AND statement_date = :day
          AND status <> 'failed'
        ORDER BY id DESC
        LIMIT 1
        """,
        {"account_id": account_id, "day": day},
        into=Statement,
    )


async def find_latest_day(db: Connection, account_id: int) -> date | None:
    """The latest day of a statement that has not failed. Index: revenue_statement_by_date."""
    row = await db.fetch_one(
        """
        SELECT statement_date
        FROM revenue_statement
        WHERE account_id = :account_id AND status <> 'failed'
        ORDER BY statement_date DESC
        LIMIT 1
        """,
        {"account_id": account_id},
    )
    day: date | None = row["statement_date"] if row else None
    return day


async def find_latest_ready(db: Connection, account_id: int) -> Statement | None:
    """The ready statement of the latest day. Index: revenue_statement_by_date."""
    return await fetch_one(
        db,
        _STATEMENT
        + """
          AND status = 'ready'
        ORDER BY statement_date DESC, id DESC
        LIMIT 1
        """,
        {"account_id": account_id},
        into=Statement,
    )


async def insert_statement(tx: Transaction, account_id: int, day: date, *, by: Actor) -> str:
    """Add a statement that waits to be worked out; returns its id. Queries: one."""
    id = new_id(account_id)
    await insert_row(
        tx,
        "revenue_statement",
        account_id=account_id,
        id=id,
        statement_date=day,
        status=StatementStatus.WAITING.value,
        created_at=now(),
        actor_kind=by.kind,
        actor_id=by.id,
    )
    return id


async def complete_statement(
    tx: Transaction,
    account_id: int,
    id: str,
    *,
    figures: StatementFigures,
    sha256: str,
    orders_sha256: str,
    parts: Sequence[tuple[StatementFile, bytes]],
) -> bool:
    """Store what was worked out; False if the statement does not wait any more. Queries: two.

    parts: of the files, from `compress_part`, in the order of their content.
    """
    changed = await tx.execute(
        """
        UPDATE revenue_statement
        SET status = 'ready',
            figures = :figures,
            sha256 = :sha256,
            orders_sha256 = :orders_sha256,
            ready_at = :now
        WHERE account_id = :account_id AND id = :id AND status = 'waiting'
        """,
        {
            "account_id": account_id,
            "id": id,
            "figures": msgspec.json.encode(figures).decode(),
            "sha256": sha256,
            "orders_sha256": orders_sha256,
            "now": now(),
        },
    )
    if not changed:
        return False
    rows = [
        {"account_id": account_id, "statement_id": id, "file": file, "part": n, "content": content}
        for n, (file, content) in enumerate(parts)
    ]
    await tx.execute_many(
        """
        INSERT INTO revenue_statement_part (account_id, statement_id, file, part, content)
        VALUES (:account_id, :statement_id, :file, :part, :content)
        """,
        rows,
    )
    return True


async def fail_statement(tx: Transaction, account_id: int, id: str, error: str) -> None:
    """Record that a waiting statement cannot be worked out. Queries: one."""
    await tx.execute(
        """
        UPDATE revenue_statement
        SET status = 'failed', error = :error
        WHERE account_id = :account_id AND id = :id AND status = 'waiting'
        """,
        {"account_id": account_id, "id": id, "error": error},
    )


async def list_parts(db: Connection, account_id: int, id: str, file: StatementFile) -> list[int]:
    """The numbers of the parts of a file, in order. Queries: one. Index: its key."""
    rows = await db.fetch_all(
        """
        SELECT part
        FROM revenue_statement_part
        WHERE account_id = :account_id AND statement_id = :id AND file = :file
        ORDER BY part
        """,
        {"account_id": account_id, "id": id, "file": file.value},
    )
    return [row["part"] for row in rows]


async def get_part(
    db: Connection, account_id: int, id: str, file: StatementFile, part: int
) -> bytes:
    """The content of a part that exists. Queries: one. Index: its key."""
    row = await db.fetch_one(
        """
        SELECT content
        FROM revenue_statement_part
        WHERE account_id = :account_id AND statement_id = :id AND file = :file AND part = :part
        """,
        {"account_id": account_id, "id": id, "file": file.value, "part": part},
    )
    assert row is not None
    return zlib.decompress(row["content"])


def compress_part(content: bytes) -> bytes:
    """A part as it is stored."""
    return zlib.compress(content, 6)


async def list_waiting(db: Connection, *, limit: int) -> list[RowKey]:
    """The oldest waiting statements of all accounts. Index: revenue_statement_by_status."""
    return await fetch_all(
        db,
        """
        SELECT account_id, id
        FROM revenue_statement
        WHERE status = 'waiting'
        ORDER BY created_at
        LIMIT :limit
        """,
        {"limit": limit},
        into=RowKey,
    )
