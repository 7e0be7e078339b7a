"""Notes on subscribers. A deleted note keeps its row, without the text."""

from collections.abc import Sequence
from datetime import datetime

from msgspec import Struct

from masthead.model.actors import Actor
from masthead.model.clock import now
from masthead.model.ids import new_ids
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.engine.rows import fetch_all, get_one

# New notes as entries of the audit trail: without the text, which can be deleted
ADDED_ENTRIES = """
    SELECT subscriber_id AS id, CAST(NULL AS text) AS before, '{"note":"' || id || '"}' AS after
    FROM subscriber_note
    WHERE account_id = :account_id AND id IN (:ids...)
"""


async def insert_notes(
    tx: Transaction, account_id: int, subscriber_ids: Sequence[str], *, text: str, by: Actor
) -> list[str]:
    """Add the same note on subscribers; returns the ids, above those of their other notes.

    Queries: two.
    """
    [row] = await tx.fetch_all(
        """
        SELECT COALESCE(MAX(id), '') AS newest
        FROM subscriber_note
        WHERE account_id = :account_id AND subscriber_id IN (:subscribers...)
        """,
        {"account_id": account_id, "subscribers": list(subscriber_ids)},
    )
    ids = new_ids(account_id, len(subscriber_ids), after=row["newest"])
    moment = now()
    await tx.insert_rows(
        "subscriber_note",
        [
            {
                "account_id": account_id,
                "id": id,
                "subscriber_id": subscriber_id,
                "text": text,
                "created_at": moment,
                "actor_kind": by.kind,
                "actor_id": by.id,
            }
            for id, subscriber_id in zip(ids, subscriber_ids, strict=True)
        ],
    )
    return ids


class StoredNote(Struct, frozen=True):
    """A note. text: empty if it is deleted."""

    id: str
    subscriber_id: str
    text: str
    created_at: datetime
    actor_kind: str
    actor_id: str
    deleted_at: datetime | None
    deleted_by_kind: str | None
    deleted_by_id: str | None


_NOTE = """
    SELECT
        id,
        subscriber_id,
        text,
        created_at,
        actor_kind,
        actor_id,
        deleted_at,
        deleted_by_kind,
        deleted_by_id
    FROM subscriber_note
    WHERE account_id = :account_id
"""


async def get_note(db: Connection, account_id: int, id: str) -> StoredNote:
    """A note that is not deleted. Queries: one. Raises: NotFound."""
    sql = _NOTE + "AND id = :id AND deleted_at IS NULL"
    return await get_one(db, account_id, id, sql, into=StoredNote, noun="note")


async def list_notes(
    db: Connection, account_id: int, subscriber_id: str, *, limit: int
) -> list[StoredNote]:
    """The notes on a subscriber, newest first, deleted ones too. Queries: one."""
    return await fetch_all(
        db,
        _NOTE + "AND subscriber_id = :subscriber ORDER BY id DESC LIMIT :limit",
        {"account_id": account_id, "subscriber": subscriber_id, "limit": limit},
        into=StoredNote,
    )


async def update_deleted(tx: Transaction, account_id: int, id: str, *, by: Actor) -> None:
    """Delete the text of a note, and keep when and by whom. Queries: one."""
    await tx.execute(
        """
        UPDATE subscriber_note
        SET text = '', deleted_at = :moment, deleted_by_kind = :kind, deleted_by_id = :actor
        WHERE account_id = :account_id AND id = :id AND deleted_at IS NULL
        """,
        {"account_id": account_id, "id": id, "moment": now(), "kind": by.kind, "actor": by.id},
    )
