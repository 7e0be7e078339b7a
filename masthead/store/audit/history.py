"""What the audit trail says of subscriptions, and who those are whom it names."""

from collections.abc import Collection
from typing import Any

import msgspec

from masthead.store.engine.interface import Connection, Row

_ENTRIES = (
    "SELECT id, happened_at, actor_kind, actor_id, action, subject_id, after FROM audit"
    " WHERE account_id = :account_id AND subject_type = :of AND subject_id IN (:ids...)"
)


async def list_newest(
    db: Connection, account_id: int, subscription_ids: Collection[str], *, before: int, limit: int
) -> list[dict[str, Any]]:
    """Entries on subscriptions and their copies, newest first, each with `subscription_id`.

    before: only smaller ids. issue_number: of a copy's entry, else None. Queries: three at most.
    Index: audit_by_subject, copy_once.
    """
    sent = await db.fetch_all(
        # not "= 'Sent'" alone, for which SQLite would read all copies of the account in that state
        "SELECT id, subscription_id, issue_number FROM copy WHERE account_id = :account_id"
        " AND subscription_id IN (:ids...) AND (status = 'Sent') IS TRUE",
        {"account_id": account_id, "ids": list(subscription_ids)},
    )
    owners: dict[str, dict[str, Any]] = {
        str(row["id"]): {name: row[name] for name in ("subscription_id", "issue_number")}
        for row in sent
    }
    owners |= {id: {"subscription_id": id, "issue_number": None} for id in subscription_ids}
    entries = []
    for of, ids in (
        ("subscription", list(subscription_ids)),
        ("copy", [str(row["id"]) for row in sent]),
    ):
        if ids:
            entries += await db.fetch_all(
                # +id keeps both databases from walking the whole trail in its order
                _ENTRIES + " AND +id < :before ORDER BY +id DESC LIMIT :limit",
                {"account_id": account_id, "of": of, "ids": ids, "before": before, "limit": limit},
            )
    newest = sorted(entries, key=lambda row: -row["id"])[:limit]
    return [_entry_from_row(row) | owners[row["subject_id"]] for row in newest]


async def list_by_action(
    db: Connection, account_id: int, subscription_ids: Collection[str], actions: Collection[str]
) -> list[dict[str, Any]]:
    """Their entries of some actions, oldest first. Index: audit_by_subject."""
    rows = await db.fetch_all(
        # IS TRUE and + keep both from reading all entries of those actions, or all there are
        _ENTRIES + " AND (action IN (:actions...)) IS TRUE ORDER BY +id",
        {
            "account_id": account_id,
            "of": "subscription",
            "ids": list(subscription_ids),
            "actions": list(actions),
        },
    )
    return [_entry_from_row(row) for row in rows]


def _entry_from_row(row: Row) -> dict[str, Any]:
    return {**row, "after": msgspec.json.decode(row["after"])}


async def find_emails(db: Connection, account_id: int, user_ids: Collection[str]) -> dict[str, str]:
    """The e-mail addresses of people, by id; also of those who have left the account."""
    rows = await db.fetch_all(
        "SELECT id, email FROM app_user WHERE id IN (:ids...)", {"ids": list(user_ids)}
    )
    return {row["id"]: row["email"] for row in rows}


async def find_keys(db: Connection, account_id: int, key_ids: Collection[str]) -> dict[str, str]:
    """The names of keys, by id."""
    rows = await db.fetch_all(
        "SELECT id, name FROM api_key WHERE account_id = :account_id AND id IN (:ids...)",
        {"account_id": account_id, "ids": list(key_ids)},
    )
    return {row["id"]: row["name"] for row in rows}
