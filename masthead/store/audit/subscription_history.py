"""The audit entries of subscriptions and their copies."""

from collections.abc import Collection
from datetime import datetime
from typing import Any

from msgspec import Struct

from masthead.store.engine.interface import Connection, Row
from masthead.store.engine.rows import fetch_all, to_struct
from masthead.store.history.entries import NEWEST
from masthead.store.history.subjects import ACTIONS


class SubscriptionEntry(Struct, frozen=True, kw_only=True):
    """An entry about a subscription, one of its copies, a claim or a run that sent one.

    subject_id: of the subscription, copy, claim or run. subscription_id, issue_number: if they are
    asked for; the number is None for a subscription. run, is_replacement, is_grace: of an entry
    about a run.
    """

    id: int
    happened_at: datetime
    actor_kind: str
    actor_id: str
    action: str
    subject_id: str
    after: dict[str, Any]
    subscription_id: str = ""
    issue_number: int | None = None
    run: int | None = None
    is_replacement: bool = False
    is_grace: bool = False


async def list_newest(
    db: Connection, account_id: int, subscription_ids: Collection[str], *, before: int, limit: int
) -> list[SubscriptionEntry]:
    """Entries about subscriptions, their copies, claims and runs that sent them, newest first.

    An entry about a run is repeated for each line of the run.
    before: only entries with a smaller id. limit: of the entries, to which those with the same id
    as the last one are added. Queries: seven at most.
    Index: audit_by_subject, copy_once, dispatch_line_by_copy, claim_by_copy.
    """
    sent = await db.fetch_all(
        # IS TRUE, because for "= 'Sent'" alone SQLite reads all sent copies of the account
        """
        SELECT id, subscription_id, issue_number
        FROM copy
        WHERE account_id = :account_id
          AND subscription_id IN (:ids...)
          AND (status = 'Sent') IS TRUE
        UNION ALL
        SELECT id, subscription_id, issue_number
        FROM grace_copy
        WHERE account_id = :account_id AND subscription_id IN (:ids...) AND status = 'sent'
        """,
        {"account_id": account_id, "ids": list(subscription_ids)},
    )
    sent_ids = [row["id"] for row in sent]
    found_lines = await _list_lines(db, account_id, sent_ids) if sent else []
    claims = await _list_claims(db, account_id, sent_ids) if sent else []
    owners: dict[str, dict[str, Any]] = {
        str(row["id"]): {name: row[name] for name in ("subscription_id", "issue_number")}
        for row in [*sent, *claims]
    }
    owners |= {id: {"subscription_id": id, "issue_number": None} for id in subscription_ids}
    entries = []
    for subject_type, ids in (
        ("subscription", list(subscription_ids)),
        ("copy", list(map(str, sent_ids))),
        ("claim", [row["id"] for row in claims]),
        ("dispatch", sorted({line["dispatch_id"] for line in found_lines})),
    ):
        if ids:
            entries += await db.fetch_all(
                NEWEST,
                {
                    "account_id": account_id,
                    "subject_type": subject_type,
                    "ids": ids,
                    "before": before,
                    "limit": limit,
                    "actions": ACTIONS.get(subject_type, []),
                    "all_actions": subject_type not in ACTIONS,
                },
            )
    lines_of: dict[str, list[Row]] = {}
    for line in found_lines:
        lines_of.setdefault(line["dispatch_id"], []).append(line)
    return [
        to_struct({**row, **subject}, SubscriptionEntry)
        for row in sorted(entries, key=lambda row: -row["id"])[:limit]
        for subject in lines_of.get(row["subject_id"]) or [owners[row["subject_id"]]]
    ]


async def _list_claims(db: Connection, account_id: int, copy_ids: Collection[int]) -> list[Row]:
    """The claims of copies. Queries: one."""
    return await db.fetch_all(
        """
        SELECT id, subscription_id, issue_number
        FROM claim
        WHERE account_id = :account_id AND copy_id IN (:ids... AS bigint)
        """,
        {"account_id": account_id, "ids": list(copy_ids)},
    )


async def _list_lines(db: Connection, account_id: int, copy_ids: Collection[int]) -> list[Row]:
    """The lines by which copies and their replacements were sent in runs. Queries: one."""
    rows = await db.fetch_all(
        """
        SELECT
            l.subscription_id,
            l.issue_number,
            l.claim_id,
            coalesce(l.is_grace, false) AS is_grace,
            d.id AS dispatch_id,
            d.number AS run
        FROM dispatch_line l
        CROSS JOIN dispatch d
        WHERE l.account_id = :account_id
          AND l.copy_id IN (:ids... AS bigint)
          AND (l.status = 'sent' OR l.left_reason = 'changed')
          AND d.account_id = l.account_id
          AND d.id = l.dispatch_id
        ORDER BY l.id
        """,
        {"account_id": account_id, "ids": list(copy_ids)},
    )
    return [
        {
            "subscription_id": row["subscription_id"],
            "issue_number": row["issue_number"],
            "dispatch_id": row["dispatch_id"],
            "run": row["run"],
            "is_replacement": bool(row["claim_id"]),
            "is_grace": row["is_grace"],
        }
        for row in rows
    ]


async def list_by_action(
    db: Connection, account_id: int, subscription_ids: Collection[str], actions: Collection[str]
) -> list[SubscriptionEntry]:
    """Entries about subscriptions with one of these entry types, oldest first.

    Index: audit_by_subject.
    """
    return await fetch_all(
        db,
        # IS TRUE keeps both databases from reading all entries of these entry types, and +id from
        # reading the whole trail
        """
        SELECT id, happened_at, actor_kind, actor_id, action, subject_id, after
        FROM audit
        WHERE account_id = :account_id
          AND subject_type = 'subscription'
          AND subject_id IN (:ids...)
          AND (action IN (:actions...)) IS TRUE
        ORDER BY +id
        """,
        {"account_id": account_id, "ids": list(subscription_ids), "actions": list(actions)},
        into=SubscriptionEntry,
    )
