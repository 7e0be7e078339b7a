"""The lines that left a run, and its replacements, for the page of the run.

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
