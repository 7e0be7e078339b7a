"""The lines of a run that left it, are replacements, or were shipped.

Each statement reads all lines of the run, about 1 µs each: read aside.
"""

from masthead.model.dispatch.runs import DispatchLine
from masthead.store.dispatch.lines import LINES
from masthead.store.engine.interface import Connection
from masthead.store.engine.rows import fetch_all


async def list_left(
    db: Connection, account_id: int, dispatch_id: str, *, limit: int
) -> list[DispatchLine]:
    """The lines that left a run, in the order of the run. Queries: one."""
    return await fetch_all(
        db,
        LINES + "AND dispatch_id = :dispatch AND status = 'left' ORDER BY id LIMIT :limit",
        {"account_id": account_id, "dispatch": dispatch_id, "limit": limit},
        into=DispatchLine,
    )


async def list_replacements(
    db: Connection, account_id: int, dispatch_id: str, *, limit: int
) -> list[DispatchLine]:
    """The replacements of a run, in its order. Queries: one."""
    return await fetch_all(
        db,
        LINES + "AND dispatch_id = :dispatch AND claim_id <> '' ORDER BY id LIMIT :limit",
        {"account_id": account_id, "dispatch": dispatch_id, "limit": limit},
        into=DispatchLine,
    )


async def list_shipped_copies(db: Connection, account_id: int, dispatch_id: str) -> str:
    """The ids of the copies of a run that the carrier reported as shipped, as JSON. Queries: one.

    Without those of replacements.
    """
    row = await db.fetch_one(
        """
        SELECT count(*) AS count, json_group_array(copy_id) AS ids
        FROM dispatch_line
        WHERE account_id = :account_id
          AND dispatch_id = :dispatch
          AND claim_id = ''
          AND shipped_date IS NOT NULL
        """,
        {"account_id": account_id, "dispatch": dispatch_id},
    )
    return str(row["ids"]) if row and row["count"] else "[]"


async def has_shipped(db: Connection, account_id: int, dispatch_id: str) -> bool:
    """Whether the carrier reported a line of a run as shipped. Queries: one."""
    row = await db.fetch_one(
        """
        SELECT 1 AS found
        FROM dispatch_line
        WHERE account_id = :account_id
          AND dispatch_id = :dispatch
          AND shipped_date IS NOT NULL
        LIMIT 1
        """,
        {"account_id": account_id, "dispatch": dispatch_id},
    )
    return row is not None
