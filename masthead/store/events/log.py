"""The events of an account: their list, oldest first, and the removal of old ones."""

from collections.abc import Collection
from datetime import datetime
from typing import Any, cast

from msgspec import Raw, Struct

from masthead.model.events.resources import Event, EventActor, EventRecord
from masthead.model.events.types import PublicEventType
from masthead.model.ids import first_copy_id
from masthead.store.engine.interface import Connection, Reader, Row, Transaction

DELETED_AT_ONCE = 1000

_SELECT = """
    SELECT number, type, record_id, happened_at, actor_kind, actor_id, data
    FROM event
    WHERE account_id = :account_id
"""


class EventSpan(Struct, frozen=True):
    """The events that exist. oldest: the number of the first one, or of the next event.

    newest: the number of the last one, 0 if there has never been one.
    """

    oldest: int
    newest: int

    def continues(self, after: int) -> bool:
        """Whether all events after one still exist, and that one has existed."""
        return self.oldest - 1 <= after <= self.newest


async def list_events(
    db: Reader,
    account_id: int,
    *,
    after: int,
    fetch: int,
    type: PublicEventType | None = None,
    record: str | None = None,
) -> tuple[EventSpan, list[Event]]:
    """The events that exist, and those after a number that match the filters, oldest first.

    record: the id of a record. fetch: how many at most. Queries: two in one snapshot.
    Index: the primary key, event_by_type or event_by_record.
    """
    of_record = "AND record_id = :record" if record is not None else ""
    # IS TRUE keeps both databases from reading by the index on types, as a record has few events
    of_type = "AND (type = :type) IS TRUE" if of_record else "AND type = :type"
    async with db.read() as snapshot:
        span = await get_span(snapshot, account_id)
        rows = await snapshot.fetch_all(
            f"""
            {_SELECT}
              {of_record}
              {of_type if type is not None else ""}
              AND number > :after
            ORDER BY number
            LIMIT :fetch
            """,
            {
                "account_id": account_id,
                "record": record,
                "type": type,
                "after": after,
                "fetch": fetch,
            },
        )
    return span, [_event_from_row(account_id, row) for row in rows]


async def list_new_events(
    db: Connection, account_id: int, *, after: int, limit: int
) -> list[Event]:
    """The events after a number, of all types, oldest first. Queries: one. Index: primary key."""
    rows = await db.fetch_all(
        f"{_SELECT} AND number > :after ORDER BY number LIMIT :limit",
        {"account_id": account_id, "after": after, "limit": limit},
    )
    return [_event_from_row(account_id, row) for row in rows]


async def find_events(
    db: Connection, account_id: int, numbers: Collection[int]
) -> dict[int, Event]:
    """The events with these numbers that still exist, by number. Queries: one at most."""
    rows = []
    if numbers:
        rows = await db.fetch_all(
            f"{_SELECT} AND number IN (:numbers... AS bigint)",
            {"account_id": account_id, "numbers": list(numbers)},
        )
    return {row["number"]: _event_from_row(account_id, row) for row in rows}


async def get_span(db: Connection, account_id: int) -> EventSpan:
    """The events that exist. Queries: one."""
    row = await db.fetch_one(
        """
        SELECT
            last_event,
            (SELECT min(number) FROM event WHERE account_id = :account_id) AS oldest
        FROM account_state
        WHERE account_id = :account_id
        """,
        {"account_id": account_id},
    )
    assert row is not None
    return EventSpan(row["oldest"] or row["last_event"] + 1, row["last_event"])


def _event_from_row(account_id: int, row: Row) -> Event:
    """The event in a row. Its record is JSON, which is not decoded."""
    type, data = PublicEventType(row["type"]), row["data"]
    return Event(
        id=first_copy_id(account_id) + row["number"],
        number=row["number"],
        type=type,
        happened_at=row["happened_at"],
        actor=EventActor(row["actor_kind"], row["actor_id"]),
        record=EventRecord(cast(Any, type.record_type), row["record_id"]),
        data=cast(Any, None if data is None else Raw(data.encode())),
    )


async def list_accounts_with_old_events(db: Connection, before: datetime) -> list[int]:
    """The accounts whose oldest event happened before a moment. Queries: one, which reads the key
    of all events. Sandboxes keep theirs until they are reset.
    """
    rows = await db.fetch_all(
        """
        SELECT e.account_id
        FROM (
            SELECT account_id, min(number) AS number
            FROM event
            GROUP BY account_id
        ) AS oldest
        JOIN event e ON e.account_id = oldest.account_id AND e.number = oldest.number
        WHERE e.happened_at < :before
          AND NOT EXISTS (SELECT 1 FROM sandbox b WHERE b.account_id = e.account_id)
        ORDER BY e.account_id
        """,
        {"before": before},
    )
    return [row["account_id"] for row in rows]


async def delete_old_events(tx: Transaction, account_id: int, before: datetime) -> int:
    """Delete the oldest events, up to the first that is not older than a moment, 1,000 at most.

    Returns how many. Those that stay have no gaps, even if the clock was set back. Queries: one.
    """
    return await tx.execute(
        f"""
        DELETE FROM event
        WHERE account_id = :account_id
          AND number < (
              SELECT coalesce(
                  min(CASE WHEN happened_at >= :before THEN number END),
                  max(number) + 1
              )
              FROM (
                  SELECT number, happened_at
                  FROM event
                  WHERE account_id = :account_id
                  ORDER BY number
                  LIMIT {DELETED_AT_ONCE}
              ) AS oldest
          )
        """,  # noqa: S608 - a constant
        {"account_id": account_id, "before": before},
    )
