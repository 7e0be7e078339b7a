"""The lines that left a run, and its replacements, for the page of the run.

Each statement reads all lines of the run, about 1 µs each: read aside.
"""

from masthead.model.dispatch.runs import DispatchLine
from masthead.store.engine.interface import Connection
from masthead.store.engine.rows import fetch_all

_LINE = """
    SELECT
        l.id,
        l.dispatch_id,
        l.copy_id,
        l.claim_id,
        l.subscription_id,
        l.subscriber_id,
        l.issue_number,
        l.medium,
        l.first_name,
        l.last_name,
        l.company,
        l.address1,
        l.address2,
        l.city,
        l.state,
        l.postcode,
        l.country,
        l.status,
        l.left_reason,
        l.left_at,
        l.shipped_date
"""


async def list_left(
    db: Connection, account_id: int, dispatch_id: str, *, limit: int
) -> list[DispatchLine]:
    """The lines that left a run, in the order of the run. Queries: one."""
    return await fetch_all(
        db,
        _LINE
        + """
        FROM dispatch_line l
        WHERE l.account_id = :account_id AND l.dispatch_id = :dispatch AND l.status = 'left'
        ORDER BY l.id
        LIMIT :limit
        """,
        {"account_id": account_id, "dispatch": dispatch_id, "limit": limit},
        into=DispatchLine,
    )


async def list_replacements(
    db: Connection, account_id: int, dispatch_id: str, *, limit: int
) -> list[DispatchLine]:
    """The replacements of a run, in its order. Queries: one."""
    return await fetch_all(
        db,
        _LINE
        + """
        FROM dispatch_line l
        WHERE l.account_id = :account_id AND l.dispatch_id = :dispatch AND l.claim_id <> ''
        ORDER BY l.id
        LIMIT :limit
        """,
        {"account_id": account_id, "dispatch": dispatch_id, "limit": limit},
        into=DispatchLine,
    )
