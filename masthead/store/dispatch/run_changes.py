"""Changes of a run since it was frozen: lines that left, and addresses that changed."""

from masthead.model.dispatch.preview import LeftCount
from masthead.model.types.postal_fields import ADDRESS_FIELDS
from masthead.store.addresses.in_force import PARTS, is_on_hold, join_change
from masthead.store.dispatch.candidates import ChangedSubscription
from masthead.store.engine.interface import Connection
from masthead.store.engine.rows import fetch_all

_IS_CHANGED = "\n          OR ".join(
    f"{PARTS[name]} IS DISTINCT FROM l.{name}" for name in ("company", *ADDRESS_FIELDS)
)

_LIST_CHANGED = f"""
    SELECT
        s.id,
        s.subscriber_id,
        s.first_name,
        s.last_name,
        s.company,
        NULL AS changed_at,
        count(*) OVER () AS count
    FROM dispatch_line l
    JOIN subscription s ON s.account_id = l.account_id AND s.id = l.subscription_id
    {join_change("l.issue_number")}
    WHERE l.account_id = :account_id
      AND l.dispatch_id = :dispatch
      AND l.status <> 'left'
      AND (
          {_IS_CHANGED}
      )
    ORDER BY l.id
    LIMIT :limit
"""  # noqa: S608 - names of columns


async def count_left(db: Connection, account_id: int, dispatch_id: str) -> list[LeftCount]:
    """How many lines left a run, by reason; most first. Queries: one."""
    return await fetch_all(
        db,
        """
        SELECT left_reason AS reason, count(*) AS lines
        FROM dispatch_line
        WHERE account_id = :account_id AND dispatch_id = :dispatch AND status = 'left'
        GROUP BY left_reason
        ORDER BY count(*) DESC, left_reason
        """,
        {"account_id": account_id, "dispatch": dispatch_id},
        into=LeftCount,
    )


async def list_changed(
    db: Connection, account_id: int, dispatch_id: str, *, limit: int
) -> list[ChangedSubscription]:
    """The subscriptions of a run whose issue now has a different address than its lines, by line.

    Queries: one, about 5 µs for each line: read aside.
    """
    return await fetch_all(
        db,
        _LIST_CHANGED,
        {"account_id": account_id, "dispatch": dispatch_id, "limit": limit},
        into=ChangedSubscription,
    )


async def count_on_hold(db: Connection, account_id: int, dispatch_id: str) -> int:
    """The number of held lines of a run with an address reported as undeliverable. Queries: one."""
    row = await db.fetch_one(
        f"""
        SELECT count(*) AS count
        FROM dispatch_line l
        WHERE l.account_id = :account_id
          AND l.dispatch_id = :dispatch
          AND l.status = 'held'
          AND {is_on_hold("l.subscription_id", "l.issue_number")}
        """,  # noqa: S608 - the condition is a constant
        {"account_id": account_id, "dispatch": dispatch_id},
    )
    assert row is not None
    return int(row["count"])
