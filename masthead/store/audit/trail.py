"""The audit trail: who did what and when, with what was before and after. It only grows."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec
from msgspec import Struct

from masthead.model.actors import Actor
from masthead.model.audit_events import Entry as Entry
from masthead.model.clock import now
from masthead.store.engine.interface import Connection, Parameters, Row, Transaction


class SignIn(Struct, frozen=True):
    """How a person signed in or out. browser, address: empty if they are not known."""

    happened_at: datetime
    action: str
    browser: str
    address: str
    is_new_browser: bool


async def record(tx: Transaction, account_id: int, by: Actor, entries: Sequence[Entry]) -> None:
    """Append entries in the transaction of the change that they tell of. Queries: two."""
    row = await tx.fetch_one(
        "UPDATE account_state SET last_entry = last_entry + :count"
        " WHERE account_id = :account_id RETURNING last_entry",
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
                "action": entry.action,
                "subject_type": entry.subject_type,
                "subject_id": str(entry.subject_id),
                "before": _json(entry.before),
                "after": _json(entry.after),
            }
            for id, entry in enumerate(entries, first)
        ],
    )


async def record_rows(
    tx: Transaction,
    account_id: int,
    by: Actor,
    action: str,
    subject_type: str,
    rows: str,
    parameters: Parameters,
) -> int:
    """Append an entry for each row of a query; how many. Queries: two, however many rows.

    rows: the query, with its parameters: `id` of the subject, `before` and `after` as JSON texts.
    """
    added = await tx.execute(
        "INSERT INTO audit (account_id, id, happened_at, actor_kind, actor_id, action,"  # noqa: S608 - our own texts
        " subject_type, subject_id, before, after)"
        " SELECT a.account_id, a.last_entry + row_number() OVER (ORDER BY told.id), :moment,"
        " :actor_kind, :actor_id, :action, :subject_type, CAST(told.id AS text), told.before,"
        f" told.after FROM account_state a CROSS JOIN ({rows}) AS told"
        " WHERE a.account_id = :account_id",
        {
            **parameters,
            "account_id": account_id,
            "moment": now(),
            "actor_kind": by.kind,
            "actor_id": by.id,
            "action": action,
            "subject_type": subject_type,
        },
    )
    await tx.execute(
        "UPDATE account_state SET last_entry = last_entry + :count WHERE account_id = :account_id",
        {"account_id": account_id, "count": added},
    )
    return added


def _json(fields: Mapping[str, object] | None) -> str | None:
    return None if fields is None else msgspec.json.encode(fields).decode()


async def list_entries(
    db: Connection, account_id: int, subject_type: str, subject_id: str
) -> list[dict[str, Any]]:
    """What happened to one record, oldest first. Index: audit_by_subject."""
    rows = await db.fetch_all(
        "SELECT id, happened_at, actor_kind, actor_id, action, before, after FROM audit"
        " WHERE account_id = :account_id AND subject_type = :subject_type"
        " AND subject_id = :subject_id ORDER BY id",
        {"account_id": account_id, "subject_type": subject_type, "subject_id": subject_id},
    )
    return [{**row, "before": _read(row["before"]), "after": _read(row["after"])} for row in rows]


async def list_sign_ins(db: Connection, account_id: int, user_id: str, limit: int) -> list[SignIn]:
    """How a person signed in and out, newest first. Index: audit_by_subject."""
    rows = await db.fetch_all(
        """
        SELECT happened_at, action, after FROM audit
        WHERE account_id = :account_id AND subject_type = 'user' AND subject_id = :user_id
        AND action IN (
            'user.set_password', 'user.sign_in', 'user.sign_out', 'user.sign_out_everywhere'
        )
        ORDER BY id DESC LIMIT :limit
        """,
        {"account_id": account_id, "user_id": user_id, "limit": limit},
    )
    return [_sign_in_from_row(row) for row in rows]


def _sign_in_from_row(row: Row) -> SignIn:
    facts = _read(row["after"]) or {}
    return SignIn(
        happened_at=row["happened_at"],
        action=row["action"],
        browser=facts.get("browser", ""),
        address=facts.get("address", ""),
        is_new_browser=facts.get("is_new_browser", False),
    )


def _read(text: str | None) -> dict[str, Any] | None:
    return None if text is None else msgspec.json.decode(text)


async def list_future(db: Connection, account_id: int, moment: datetime) -> list[int]:
    """The entries dated after a moment, except those before the last redone daily pass."""
    rows = await db.fetch_all(
        """
        SELECT id
        FROM audit
        WHERE account_id = :account_id
          AND happened_at > :moment
          AND id > (
              SELECT coalesce(max(r.id), 0)
              FROM audit r
              WHERE r.account_id = :account_id AND r.action = 'account.redo_daily_pass'
          )
        ORDER BY id
        """,
        {"account_id": account_id, "moment": moment},
    )
    return [row["id"] for row in rows]
