"""What subscribers did or asked for on their page, and what waits for a user of the desk."""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any

from masthead.model.clock import now
from masthead.model.errors import NotFound
from masthead.model.ids import LAST_ID
from masthead.model.self_service.requests import RequestStatus, SubscriberRequest
from masthead.model.types.full_names import full_name
from masthead.store.engine.interface import Connection, Row, Transaction
from masthead.store.engine.rows import to_struct

_SELECT = """
    SELECT
        r.id,
        u.id AS subscriber_id,
        u.first_name,
        u.last_name,
        u.company,
        u.email,
        r.action,
        r.status,
        r.copy_id,
        c.issue_number,
        r.reason,
        r.notes,
        r.created_at
    FROM subscriber_request r
    JOIN subscriber g ON g.account_id = r.account_id AND g.id = r.subscriber_id
    JOIN subscriber u ON u.account_id = g.account_id AND u.id = coalesce(g.merged_into, g.id)
    LEFT JOIN copy c ON c.account_id = r.account_id AND c.id = r.copy_id
    WHERE r.account_id = :account_id
"""


def _from_row(row: Row) -> SubscriberRequest:
    values = dict(row)
    names = [values.pop(name) for name in ("first_name", "last_name", "company", "email")]
    return to_struct({**values, "name": full_name(*names)}, SubscriberRequest)


async def insert_request(tx: Transaction, account_id: int, columns: Mapping[str, Any]) -> None:
    """Add a request. Queries: one."""
    await tx.insert_rows(
        "subscriber_request", [{**columns, "account_id": account_id, "created_at": now()}]
    )


async def list_requests(
    db: Connection, account_id: int, *, before: str = LAST_ID, limit: int
) -> list[SubscriberRequest]:
    """The requests before one, newest first. Queries: one."""
    rows = await db.fetch_all(
        _SELECT + " AND r.id < :before ORDER BY r.id DESC LIMIT :limit",
        {"account_id": account_id, "before": before, "limit": limit},
    )
    return [_from_row(row) for row in rows]


async def list_waiting(db: Connection, account_id: int, limit: int) -> list[SubscriberRequest]:
    """The requests that a user decides, oldest first. Index: subscriber_request_waiting."""
    rows = await db.fetch_all(
        _SELECT + " AND r.status = 'waiting' ORDER BY r.id LIMIT :limit",
        {"account_id": account_id, "limit": limit},
    )
    return [_from_row(row) for row in rows]


async def count_waiting(db: Connection, account_id: int) -> int:
    """The number of requests that a user decides. Index: subscriber_request_waiting."""
    row = await db.fetch_one(
        """
        SELECT count(*) AS count
        FROM subscriber_request
        WHERE account_id = :account_id AND status = 'waiting'
        """,
        {"account_id": account_id},
    )
    assert row is not None
    return int(row["count"])


async def count_since(db: Connection, account_id: int, moment: datetime, *, most: int) -> int:
    """The number of requests since a moment, of the newest ones. Queries: one."""
    row = await db.fetch_one(
        """
        SELECT count(*) AS count
        FROM (
            SELECT created_at
            FROM subscriber_request
            WHERE account_id = :account_id
            ORDER BY id DESC
            LIMIT :most
        ) newest
        WHERE created_at > :moment
        """,
        {"account_id": account_id, "moment": moment, "most": most},
    )
    assert row is not None
    return int(row["count"])


async def get_request(db: Connection, account_id: int, id: str) -> SubscriberRequest:
    """A request by id. Raises: NotFound."""
    row = await db.fetch_one(_SELECT + " AND r.id = :id", {"account_id": account_id, "id": id})
    if row is None:
        raise NotFound("request", id)
    return _from_row(row)


async def find_waiting(
    db: Connection, account_id: int, subscribers: Collection[str], action: str, copy_id: int | None
) -> str | None:
    """The id of a request of a subscriber that a user still has to decide. Queries: one."""
    row = await db.fetch_one(
        """
        SELECT id
        FROM subscriber_request
        WHERE account_id = :account_id
          AND subscriber_id IN (:subscribers...)
          AND action = :action
          AND coalesce(copy_id, 0) = :copy
          AND status = 'waiting'
        LIMIT 1
        """,
        {
            "account_id": account_id,
            "subscribers": list(subscribers),
            "action": action,
            "copy": copy_id or 0,
        },
    )
    return str(row["id"]) if row else None


async def list_claimed(
    db: Connection, account_id: int, copy_ids: Collection[int]
) -> Collection[int]:
    """Of these copies, those that did not arrive, and are sent again or looked into. Queries: one.

    Indexes: claim_by_copy, subscriber_request_waiting.
    """
    if not copy_ids:
        return ()
    rows = await db.fetch_all(
        """
        SELECT copy_id
        FROM claim
        WHERE account_id = :account_id
          AND copy_id IN (:copies... AS bigint)
          AND (status IN ('open', 'held')) IS TRUE
        UNION
        SELECT copy_id
        FROM subscriber_request
        WHERE account_id = :account_id
          AND copy_id IN (:copies... AS bigint)
          AND status = 'waiting'
        """,
        {"account_id": account_id, "copies": list(copy_ids)},
    )
    return frozenset(row["copy_id"] for row in rows)


async def update_closed(
    tx: Transaction, account_id: int, id: str, *, kind: str, actor: str
) -> bool:
    """Record that a user decided about a request; False if one did before. Queries: one."""
    closed = await tx.execute(
        """
        UPDATE subscriber_request
        SET status = :closed, closed_at = :now, actor_kind = :kind, actor_id = :actor
        WHERE account_id = :account_id AND id = :id AND status = 'waiting'
        """,
        {
            "account_id": account_id,
            "id": id,
            "closed": RequestStatus.CLOSED.value,
            "now": now(),
            "kind": kind,
            "actor": actor,
        },
    )
    return closed == 1
