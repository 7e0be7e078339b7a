"""The audit entries of some records, newest first, and those written together with them."""

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import msgspec
from msgspec import structs

from masthead.model.audit_entries import EntryType
from masthead.model.history.entries import TOGETHER, Entry
from masthead.store.engine.interface import Connection, Row
from masthead.store.history.subjects import Subject, Subjects

# `+id` keeps both databases from reading the whole trail in the order of its primary key
NEWEST = """
    SELECT id, happened_at, actor_kind, actor_id, action, subject_type, subject_id, before, after
    FROM audit
    WHERE account_id = :account_id
      AND subject_type = :subject_type
      AND subject_id IN (:ids...)
      AND +id < :before
      AND (:all_actions OR action IN (:actions...))
    ORDER BY +id DESC
    LIMIT :limit
"""
# Copies that were marked together have entries with consecutive ids: ranges of ids are found by an
# index alone, and then divided by time and actor. Copies that a run holds were marked by the run
_MARKED = """
    SELECT
        a.id,
        a.happened_at,
        a.actor_kind,
        a.actor_id,
        a.action,
        a.subject_type,
        a.subject_id,
        a.before,
        a.after,
        together.oldest,
        together.count
    FROM (
        SELECT min(m.id) AS oldest, max(m.id) AS newest, count(DISTINCT m.subject_id) AS count
        FROM (
            SELECT min(id) AS first, max(id) AS last
            FROM (
                SELECT a.id, a.id - row_number() OVER (ORDER BY a.id) AS range_id
                FROM copy c
                CROSS JOIN audit a
                WHERE c.account_id = :account_id
                  AND c.issue_number = :number
                  AND c.status = 'Sent'
                  AND (c.dispatch_id IS NULL) IS TRUE
                  AND a.account_id = c.account_id
                  AND a.subject_type = 'copy'
                  AND a.subject_id = CAST(c.id AS text)
                  AND a.id < :before
            ) AS marked
            GROUP BY range_id
            ORDER BY last DESC
            LIMIT :limit
        ) AS ranges
        CROSS JOIN audit m
        WHERE m.account_id = :account_id AND m.id BETWEEN ranges.first AND ranges.last
        GROUP BY m.happened_at, m.actor_kind, m.actor_id
        ORDER BY newest DESC
        LIMIT :limit
    ) AS together
    CROSS JOIN audit a
    WHERE a.account_id = :account_id AND a.id = together.newest
"""
# Statuses that were updated in the transaction of an entry come just after that of copies, and just
# before that of a run
_UPDATED = """
    WITH bounds AS MATERIALIZED (
        SELECT
            e.id,
            e.actor_id,
            CASE
                WHEN e.subject_type = 'copy' THEN e.id
                ELSE coalesce(
                    (
                        SELECT b.id
                        FROM audit b
                        WHERE b.account_id = :account_id
                          AND b.id < e.id
                          AND (b.action <> :update_status) IS TRUE
                        ORDER BY b.id DESC
                        LIMIT 1
                    ),
                    0
                )
            END AS low,
            CASE
                WHEN e.subject_type <> 'copy' THEN e.id
                ELSE coalesce(
                    (
                        SELECT n.id
                        FROM audit n
                        WHERE n.account_id = :account_id
                          AND n.id > e.id
                          AND (n.action <> :update_status) IS TRUE
                        ORDER BY n.id
                        LIMIT 1
                    ),
                    e.id + :most
                )
            END AS high
        FROM audit e
        WHERE e.account_id = :account_id AND e.id IN (:ids... AS bigint)
    )
    SELECT bounds.id AS beside, s.after, s.happened_at, count(*) AS count
    FROM bounds
    CROSS JOIN audit s
    WHERE s.account_id = :account_id
      AND s.id > bounds.low
      AND s.id < bounds.high
      AND (s.actor_id = bounds.actor_id) IS TRUE
    GROUP BY bounds.id, s.after, s.happened_at
"""
MOST = 1_000_000  # statuses that are updated at once


async def list_entries(
    db: Connection,
    account_id: int,
    subjects: Subjects,
    *,
    before: int,
    limit: int,
    only: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> list[Entry]:
    """The newest entries about records. before: only with a smaller id. limit: of the ids.

    only: the entry types of some types of records, as `ACTIONS`; of the others, all are listed.
    An entry about a run is repeated for each of its subjects. Queries: one for each type of record.
    Index: audit_by_subject.
    """
    by_type: dict[str, list[str]] = {}
    for subject_type, id in subjects:
        by_type.setdefault(subject_type, []).append(id)
    rows: list[Row] = []
    for subject_type, ids in by_type.items():
        actions = list(only.get(subject_type, []))
        rows += await db.fetch_all(
            NEWEST,
            {
                "account_id": account_id,
                "subject_type": subject_type,
                "ids": ids,
                "before": before,
                "limit": limit,
                "actions": actions,
                "all_actions": not actions,
            },
        )
    newest = sorted(rows, key=lambda row: -row["id"])[:limit]
    return [
        _entry_from_row(row, subject)
        for row in newest
        for subject in subjects[row["subject_type"], row["subject_id"]]
    ]


async def list_marked(
    db: Connection, account_id: int, issue_id: str, number: int, *, before: int, limit: int
) -> list[Entry]:
    """The copies of an issue that were marked as sent outside runs, as one entry for each time.

    Queries: one, which looks up an entry for each of these copies. Index: copy_by_issue,
    audit_by_subject.
    """
    rows = await db.fetch_all(
        _MARKED, {"account_id": account_id, "number": number, "before": before, "limit": limit}
    )
    subject = Subject(("issue", issue_id), number)
    return [_entry_from_row(row, subject) for row in sorted(rows, key=lambda row: -row["id"])]


async def list_updated_statuses(
    db: Connection, account_id: int, entries: Collection[Entry]
) -> list[Entry]:
    """The statuses of subscriptions that changed with these entries, counted. Queries: one."""
    by_id = {entry.id: entry for entry in entries}
    if not by_id:
        return []
    rows = await db.fetch_all(
        _UPDATED,
        {
            "account_id": account_id,
            "ids": list(by_id),
            "most": MOST,
            "update_status": EntryType.SUBSCRIPTION_UPDATE_STATUS,
        },
    )
    return [
        structs.replace(
            by_id[row["beside"]],
            action=EntryType.SUBSCRIPTION_UPDATE_STATUS,
            before={},
            after=_read(row["after"]),
            count=row["count"],
            issue_number=None,
            run=None,
        )
        for row in rows
        if abs(row["happened_at"] - by_id[row["beside"]].happened_at) <= TOGETHER
    ]


def _entry_from_row(row: Row, subject: Subject) -> Entry:
    return Entry(
        id=row["id"],
        happened_at=row["happened_at"],
        actor=(row["actor_kind"], row["actor_id"]),
        action=row["action"],
        record=(row["subject_type"], row["subject_id"]),
        before=_read(row["before"]),
        after=_read(row["after"]),
        subject=subject.about,
        issue_number=subject.issue_number,
        run=subject.run,
        oldest=row.get("oldest", row["id"]),
        count=row.get("count", 1),
    )


def _read(text: str | None) -> dict[str, Any]:
    return msgspec.json.decode(text) if text else {}
