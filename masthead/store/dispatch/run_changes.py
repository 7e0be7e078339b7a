"""What happened to a run since it was frozen: lines that left, and addresses that changed."""

from masthead.store.dispatch.candidates import is_on_hold
from masthead.store.engine.interface import Connection, Row


async def count_left(db: Connection, account_id: int, dispatch_id: str) -> list[Row]:
    """How many lines left a run, by `reason`; most first. Queries: one."""
    return await db.fetch_all(
        """
        SELECT left_reason AS reason, count(*) AS count
        FROM dispatch_line
        WHERE account_id = :account_id AND dispatch_id = :dispatch AND status = 'left'
        GROUP BY left_reason
        ORDER BY count(*) DESC, left_reason
        """,
        {"account_id": account_id, "dispatch": dispatch_id},
    )


async def list_changed(
    db: Connection, account_id: int, dispatch_id: str, *, limit: int
) -> list[Row]:
    """The subscriptions of a run that now have a different address than its lines, by line.

    Each has the names, and the `count` of all of them; `changed_at` is None. Queries: one, about
    5 µs for each line: read aside.
    """
    return await db.fetch_all(
        """
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
        WHERE l.account_id = :account_id
          AND l.dispatch_id = :dispatch
          AND l.status <> 'left'
          AND (
              s.company IS DISTINCT FROM l.company
              OR s.address1 IS DISTINCT FROM l.address1
              OR s.address2 IS DISTINCT FROM l.address2
              OR s.city IS DISTINCT FROM l.city
              OR s.state IS DISTINCT FROM l.state
              OR s.postcode IS DISTINCT FROM l.postcode
              OR s.country <> l.country
          )
        ORDER BY l.id
        LIMIT :limit
        """,
        {"account_id": account_id, "dispatch": dispatch_id, "limit": limit},
    )


async def count_on_hold(db: Connection, account_id: int, dispatch_id: str) -> int:
    """How many held lines of a run go to an address reported as undeliverable. Queries: one."""
    row = await db.fetch_one(
        f"""
        SELECT count(*) AS count
        FROM dispatch_line l
        WHERE l.account_id = :account_id
          AND l.dispatch_id = :dispatch
          AND l.status = 'held'
          AND {is_on_hold("l.subscription_id")}
        """,  # noqa: S608 - the condition is a constant
        {"account_id": account_id, "dispatch": dispatch_id},
    )
    assert row is not None
    return int(row["count"])
