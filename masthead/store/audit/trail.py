"""The audit trail: records events with the change that caused them, and lists sign-ins.

Entries are only added, never changed.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime

import msgspec
from msgspec import Struct

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.clock import now
from masthead.model.events.types import EVENTS
from masthead.store.engine.interface import Connection, Parameters, Row, Transaction
from masthead.store.engine.rows import to_struct
from masthead.store.events.write import NewEvent, add_events

_SIGN_INS = (
    EntryType.USER_SET_PASSWORD,
    EntryType.USER_SIGN_IN,
    EntryType.USER_SIGN_OUT,
    EntryType.USER_SIGN_OUT_EVERYWHERE,
)


class SignIn(Struct, frozen=True):
    """A sign-in or sign-out of a user. browser, address: empty if they are not known."""

    happened_at: datetime
    action: str
    browser: str = ""
    address: str = ""
    is_new_browser: bool = False


async def record(tx: Transaction, account_id: int, by: Actor, entries: Sequence[NewEntry]) -> None:
    """Add an entry for each event, in the transaction of the change. Queries: two.

    Those that programs may see are also written to the events of the account, at the end.
    """
    public = (event for event in entries if event.type in EVENTS)
    await add_events(
        tx, account_id, by, [NewEvent(EVENTS[each.type], str(each.subject_id)) for each in public]
    )
    row = await tx.fetch_one(
        """
        UPDATE account_state
        SET last_entry = last_entry + :count
        WHERE account_id = :account_id
        RETURNING last_entry
        """,
        {"account_id": account_id, "count": len(entries)},
    )
    assert row is not None
    first, moment = row["last_entry"] - len(entries) + 1, now()
    await tx.insert_rows(
        "audit",
        [
            {
                "account_id": account_id,
                "id": id,
                "happened_at": moment,
                "actor_kind": by.kind,
                "actor_id": by.id,
                "action": event.type.value,
                "subject_type": event.type.subject_type,
                "subject_id": str(event.subject_id),
                "before": _json(event.before),
                "after": _json(event.after),
            }
            for id, event in enumerate(entries, first)
        ],
    )


async def record_rows(
    tx: Transaction,
    account_id: int,
    by: Actor,
    type: EntryType,
    changes: str,
    parameters: Parameters,
) -> int:
    """Add an entry for each row of a query, and return how many. Queries: two.

    changes: a SELECT of `id`, the id of the record, and of `before` and `after`, as JSON texts.
    """
    added = await tx.execute(
        f"""
        INSERT INTO audit (
            account_id, id, happened_at, actor_kind, actor_id, action, subject_type, subject_id,
            before, after
        )
        SELECT
            a.account_id,
            a.last_entry + row_number() OVER (ORDER BY changes.id),
            :moment,
            :actor_kind,
            :actor_id,
            :action,
            :subject_type,
            CAST(changes.id AS text),
            changes.before,
            changes.after
        FROM account_state a
        CROSS JOIN ({changes}) AS changes
        WHERE a.account_id = :account_id
        """,  # noqa: S608 - `changes` is a constant of the calling module
        {
            **parameters,
            "account_id": account_id,
            "moment": now(),
            "actor_kind": by.kind,
            "actor_id": by.id,
            "action": type.value,
            "subject_type": type.subject_type,
        },
    )
    await tx.execute(
        """
        UPDATE account_state
        SET last_entry = last_entry + :count
        WHERE account_id = :account_id
        """,
        {"account_id": account_id, "count": added},
    )
    return added


def _json(fields: Mapping[str, object] | None) -> str | None:
    return None if fields is None else msgspec.json.encode(fields).decode()


async def list_sign_ins(db: Connection, account_id: int, user_id: str, limit: int) -> list[SignIn]:
    """The sign-ins and sign-outs of a user, newest first. Index: audit_by_subject."""
    rows = await db.fetch_all(
        # IS TRUE keeps both databases from reading the sign-ins of all users
        """
        SELECT happened_at, action, after
        FROM audit
        WHERE account_id = :account_id
          AND subject_type = 'user'
          AND subject_id = :user_id
          AND (action IN (:actions...)) IS TRUE
        ORDER BY id DESC
        LIMIT :limit
        """,
        {"account_id": account_id, "user_id": user_id, "actions": list(_SIGN_INS), "limit": limit},
    )
    return [_sign_in_from_row(row) for row in rows]


def _sign_in_from_row(row: Row) -> SignIn:
    known = msgspec.json.decode(row["after"]) if row["after"] is not None else {}
    return to_struct({**known, **row}, SignIn)


async def has_entry(db: Connection, account_id: int, type: EntryType, subject_id: str) -> bool:
    """Whether a record has an entry of a type. Queries: one. Index: audit_by_subject."""
    row = await db.fetch_one(
        """
        SELECT 1 AS found
        FROM audit
        WHERE account_id = :account_id
          AND subject_type = :subject_type
          AND subject_id = :subject_id
          AND action = :action
        LIMIT 1
        """,
        {
            "account_id": account_id,
            "subject_type": type.subject_type,
            "subject_id": subject_id,
            "action": type,
        },
    )
    return row is not None


async def get_last_entry(db: Connection, account_id: int) -> int:
    """The id of the newest entry; 0 if there is none. Queries: one."""
    row = await db.fetch_one(
        "SELECT last_entry FROM account_state WHERE account_id = :account_id",
        {"account_id": account_id},
    )
    assert row is not None
    return int(row["last_entry"])


async def list_future(db: Connection, account_id: int, moment: datetime) -> list[int]:
    """The ids of entries dated after a moment, since the last repeated daily pass."""
    rows = await db.fetch_all(
        """
        SELECT id
        FROM audit
        WHERE account_id = :account_id
          AND happened_at > :moment
          AND id > (
              SELECT coalesce(max(r.id), 0)
              FROM audit r
              WHERE r.account_id = :account_id AND r.action = :redo
          )
        ORDER BY id
        """,
        {"account_id": account_id, "moment": moment, "redo": EntryType.ACCOUNT_REDO_DAILY_PASS},
    )
    return [row["id"] for row in rows]
