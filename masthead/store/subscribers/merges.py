"""Merges of subscribers: their rows, what they move, and what a preview of them shows."""

from collections.abc import Sequence
from datetime import datetime

import msgspec

from masthead.model.actors import Actor
from masthead.model.clock import now
from masthead.model.ids import new_ids
from masthead.model.subscribers.merges import Merge, MovedRecords
from masthead.model.types.full_names import Named
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.engine.rows import fetch_all, get_one, insert_row
from masthead.store.update_statement import update_row

_COLUMNS = """
    SELECT id, kept_id, merged_id, moved, created_at, undone_at
    FROM subscriber_merge
    WHERE account_id = :account_id
"""


async def insert_merge(
    tx: Transaction,
    account_id: int,
    *,
    kept_id: str,
    merged_id: str,
    moved: MovedRecords,
    by: Actor,
) -> str:
    """Add a merge; returns its id, above those of earlier merges into them. Queries: two."""
    [row] = await tx.fetch_all(
        """
        SELECT COALESCE(MAX(id), '') AS newest
        FROM subscriber_merge
        WHERE account_id = :account_id AND kept_id = :kept
        """,
        {"account_id": account_id, "kept": kept_id},
    )
    [id] = new_ids(account_id, 1, after=row["newest"])
    await insert_row(
        tx,
        "subscriber_merge",
        account_id=account_id,
        id=id,
        kept_id=kept_id,
        merged_id=merged_id,
        moved=msgspec.json.encode(moved).decode(),
        created_at=now(),
        actor_kind=by.kind,
        actor_id=by.id,
    )
    return id


async def get_merge(db: Connection, account_id: int, id: str) -> Merge:
    """A merge by id. Queries: one. Raises: NotFound."""
    return await get_one(db, account_id, id, _COLUMNS + " AND id = :id", into=Merge, noun="merge")


async def list_later(db: Connection, account_id: int, kept_id: str, merge_id: str) -> list[Merge]:
    """The merges into a subscriber after another merge, without undone ones. Queries: one."""
    return await fetch_all(
        db,
        _COLUMNS + " AND kept_id = :kept AND id > :merge AND undone_at IS NULL ORDER BY id",
        {"account_id": account_id, "kept": kept_id, "merge": merge_id},
        into=Merge,
    )


async def list_merges(db: Connection, account_id: int, *, after: str, limit: int) -> list[Merge]:
    """The merges of an account after an id, by id, undone ones too. Queries: one."""
    return await fetch_all(
        db,
        _COLUMNS + " AND id > :after ORDER BY id LIMIT :limit",
        {"account_id": account_id, "after": after, "limit": limit},
        into=Merge,
    )


class MergedSubscriber(Named, frozen=True, kw_only=True):
    """A subscriber that was merged into another one: when and by whom."""

    id: str
    is_placeholder: bool
    merge_id: str
    created_at: datetime
    actor_kind: str
    actor_id: str


async def list_merged(
    db: Connection, account_id: int, kept_id: str, limit: int
) -> list[MergedSubscriber]:
    """The subscribers that were merged into a subscriber and still are, newest merge first.

    Queries: one. Index: subscriber_by_merged, subscriber_merge_by_merged.
    """
    return await fetch_all(
        db,
        """
        SELECT
            m.id AS merge_id,
            m.created_at,
            m.actor_kind,
            m.actor_id,
            u.id,
            u.email,
            u.is_placeholder,
            u.first_name,
            u.last_name,
            u.company
        FROM subscriber u
        JOIN subscriber_merge m ON m.account_id = u.account_id AND m.merged_id = u.id
        WHERE u.account_id = :account_id
          AND u.merged_into = :kept
          AND m.undone_at IS NULL
        ORDER BY m.id DESC
        LIMIT :limit
        """,
        {"account_id": account_id, "kept": kept_id, "limit": limit},
        into=MergedSubscriber,
    )


async def update_undone(tx: Transaction, account_id: int, id: str, *, by: Actor) -> None:
    """Mark a merge as undone. Queries: one."""
    await update_row(
        tx,
        account_id,
        "subscriber_merge",
        id,
        undone_at=now(),
        undone_by_kind=by.kind,
        undone_by_id=by.id,
    )


# --- What a merge moves --------------------------------------------------------------------------


async def move_subscriptions(
    tx: Transaction, account_id: int, ids: Sequence[str], *, from_id: str, to_id: str
) -> None:
    """Give subscriptions of a subscriber, and all records about them, to another subscriber.

    The lines of dispatch runs do not change. Those of the subscriptions that a subscriber does not
    have are skipped. Queries: six, for any number of subscriptions.
    """
    values = {"account_id": account_id, "ids": list(ids), "from_id": from_id, "to_id": to_id}
    for statement in _MOVES:
        await tx.execute(statement, values)


_MOVES = (
    """
    UPDATE subscription
    SET subscriber_id = :to_id
    WHERE account_id = :account_id AND subscriber_id = :from_id AND id IN (:ids...)
    """,
    *(
        f"""
        UPDATE {table}
        SET subscriber_id = :to_id
        WHERE account_id = :account_id AND subscriber_id = :from_id AND subscription_id IN (:ids...)
        """  # noqa: S608 - the names of tables below
        for table in ("copy", "claim", "delivery_report", "address_change", "renewal_letter")
    ),
)


# What else belongs to a subscriber by a column: what subscribers gave, notes, and who is merged
_OTHERS = {
    "subscription": "gifter_id",
    "subscriber_note": "subscriber_id",
    "subscriber": "merged_into",
}


async def list_other_ids(
    db: Connection, account_id: int, table: str, subscriber_id: str
) -> list[str]:
    """The ids of notes on a subscriber, deleted ones too, or of who is merged into them.

    table: `subscriber_note` or `subscriber`. Queries: one.
    """
    rows = await db.fetch_all(
        f"""
        SELECT id
        FROM {table}
        WHERE account_id = :account_id AND {_OTHERS[table]} = :subscriber
        ORDER BY id
        """,  # noqa: S608 - the constants above
        {"account_id": account_id, "subscriber": subscriber_id},
    )
    return [row["id"] for row in rows]


async def move_others(
    tx: Transaction, account_id: int, table: str, ids: Sequence[str], *, from_id: str, to_id: str
) -> None:
    """Move gifts, notes or merged subscribers to another subscriber. Queries: one.

    table: `subscription` for gifts, `subscriber_note`, or `subscriber` for merged ones.
    """
    column = _OTHERS[table]
    await tx.execute(
        f"""
        UPDATE {table}
        SET {column} = :to_id
        WHERE account_id = :account_id AND {column} = :from_id AND id IN (:ids...)
        """,  # noqa: S608 - the constants above
        {"account_id": account_id, "ids": list(ids), "from_id": from_id, "to_id": to_id},
    )
