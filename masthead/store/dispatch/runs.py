"""Dispatch runs: the rows, which copies a run takes, and how it marks and releases them.

A live run is named by `copy.dispatch_id` and `claim.dispatch_id`, so a copy is in one at most. Each
statement changes all copies of a run.
"""

from collections.abc import Mapping
from datetime import date
from typing import Any

import msgspec

from masthead.model.clock import now
from masthead.model.dispatch.runs import (
    Dispatch,
    DispatchSelection,
    DispatchStatus,
    Layout,
)
from masthead.model.errors import NotFound
from masthead.model.pagination import Page, PageRequest, cut_page
from masthead.store.engine.interface import Connection, Row, Transaction
from masthead.store.update_statement import update_columns

_DISPATCH = """
    SELECT
        d.id,
        d.issue_id,
        d.issue_number,
        i.name AS issue_name,
        d.number,
        d.status,
        d.selection,
        d.layout,
        d.first_line,
        d.lines,
        d.copies,
        d.replacements,
        d.fingerprint,
        d.date_sent,
        d.created_at,
        d.actor_kind,
        d.actor_id,
        d.marked_at,
        d.undone_at,
        d.discarded_at
    FROM dispatch d
    JOIN issue i ON i.account_id = d.account_id AND i.id = d.issue_id
    WHERE d.account_id = :account_id
"""


def selection_parameters(selection: DispatchSelection) -> dict[str, object]:
    """A selection as the parameters of the statements that take or count copies."""
    return {
        "countries": list(selection.countries),
        "all_countries": not selection.countries,
        "media": [str(medium) for medium in selection.media],
        "all_media": not selection.media,
        "sources": list(selection.sources),
        "all_sources": not selection.sources,
        "takes_copies": not selection.only_replacements,
    }


def dispatch_from_row(row: Row) -> Dispatch:
    """The run in a row of `_DISPATCH`."""
    return Dispatch(
        **{
            **row,
            "status": DispatchStatus(row["status"]),
            "selection": msgspec.json.decode(row["selection"], type=DispatchSelection),
            "layout": msgspec.json.decode(row["layout"], type=Layout),
        }
    )


async def get_dispatch(db: Connection, account_id: int, id: str) -> Dispatch:
    """A run. Queries: one. Raises: NotFound."""
    row = await db.fetch_one(_DISPATCH + "AND d.id = :id", {"account_id": account_id, "id": id})
    if row is None:
        raise NotFound("dispatch run", id)
    return dispatch_from_row(row)


async def list_dispatches(db: Connection, account_id: int, page: PageRequest) -> Page[Dispatch]:
    """The runs of an account, newest first. Queries: one."""
    rows = await db.fetch_all(
        _DISPATCH + "AND d.id < :after ORDER BY d.id DESC LIMIT :fetch",
        {"account_id": account_id, "after": page.after_id, "fetch": page.fetch},
    )
    return cut_page(rows, page, "id", dispatch_from_row)


async def list_of_issue(db: Connection, account_id: int, number: int) -> list[Dispatch]:
    """The runs of an issue, in the order of their numbers. Queries: one."""
    rows = await db.fetch_all(
        _DISPATCH + "AND d.issue_number = :number ORDER BY d.number",
        {"account_id": account_id, "number": number},
    )
    return [dispatch_from_row(row) for row in rows]


async def has_later_marked(db: Connection, account_id: int, run: Dispatch) -> bool:
    """Whether a later run of the same issue is marked as sent. Queries: one."""
    row = await db.fetch_one(
        """
        SELECT 1 AS found
        FROM dispatch
        WHERE account_id = :account_id
          AND issue_number = :issue_number
          AND number > :number
          AND status = 'marked'
        LIMIT 1
        """,
        {"account_id": account_id, "issue_number": run.issue_number, "number": run.number},
    )
    return row is not None


async def insert_dispatch(tx: Transaction, account_id: int, columns: Mapping[str, Any]) -> int:
    """Add a run without lines yet; returns its number within the issue. Queries: two."""
    row = await tx.fetch_one(
        """
        SELECT coalesce(max(number), 0) + 1 AS next
        FROM dispatch
        WHERE account_id = :account_id AND issue_number = :issue_number
        """,
        {"account_id": account_id, "issue_number": columns["issue_number"]},
    )
    assert row is not None
    empty = dict.fromkeys(("first_line", "lines", "copies", "replacements"), 0)
    await tx.insert_rows(
        "dispatch",
        [
            {
                **columns,
                **empty,
                "account_id": account_id,
                "number": row["next"],
                "status": DispatchStatus.FROZEN.value,
                "layout": "{}",
                "fingerprint": "",
                "created_at": now(),
            }
        ],
    )
    return int(row["next"])


async def update_dispatch(
    tx: Transaction, account_id: int, id: str, columns: Mapping[str, object]
) -> None:
    """Set columns of a run."""
    await tx.execute(
        update_columns("dispatch", columns), {**columns, "account_id": account_id, "id": id}
    )


async def take_copies(
    tx: Transaction, account_id: int, id: str, issue_number: int, selection: DispatchSelection
) -> int:
    """Let a run hold the free copies that it selects; returns how many. Queries: one.

    A copy is free if it is not sent, no live run holds it and its address is not on hold.
    """
    return await tx.execute(
        """
        UPDATE copy
        SET dispatch_id = :id
        WHERE account_id = :account_id
          AND :takes_copies
          AND issue_number = :issue_number
          AND status = 'Not sent'
          AND dispatch_id IS NULL
          AND (:all_countries OR country IN (:countries...))
          AND EXISTS (
              SELECT 1
              FROM subscription s
              WHERE s.account_id = copy.account_id
                AND s.id = copy.subscription_id
                AND (:all_media OR s.medium IN (:media...))
                AND (:all_sources OR s.source_id IN (:sources...))
          )
          AND NOT EXISTS (
              SELECT 1
              FROM delivery_report r
              WHERE r.account_id = copy.account_id
                AND r.subscription_id = copy.subscription_id
                AND r.status = 'open'
                AND r.kind = 'undeliverable'
          )
        """,
        {
            **selection_parameters(selection),
            "account_id": account_id,
            "id": id,
            "issue_number": issue_number,
        },
    )


async def take_claims(
    tx: Transaction, account_id: int, id: str, issue_number: int, selection: DispatchSelection
) -> int:
    """Let a run hold the open claims of its issue that it selects; returns how many. Queries: one.

    The replacement goes to the current address of the subscription, unless that is on hold.
    """
    return await tx.execute(
        """
        UPDATE claim
        SET dispatch_id = :id, status = 'held'
        WHERE account_id = :account_id
          AND issue_number = :issue_number
          AND status = 'open'
          AND EXISTS (
              SELECT 1
              FROM subscription s
              WHERE s.account_id = claim.account_id
                AND s.id = claim.subscription_id
                AND (:all_countries OR s.country IN (:countries...))
                AND (:all_media OR s.medium IN (:media...))
                AND (:all_sources OR s.source_id IN (:sources...))
          )
          AND NOT EXISTS (
              SELECT 1
              FROM delivery_report r
              WHERE r.account_id = claim.account_id
                AND r.subscription_id = claim.subscription_id
                AND r.status = 'open'
                AND r.kind = 'undeliverable'
          )
        """,
        {
            **selection_parameters(selection),
            "account_id": account_id,
            "id": id,
            "issue_number": issue_number,
        },
    )


async def mark_copies(tx: Transaction, account_id: int, id: str, sent_on: date | None) -> int:
    """Mark the unsent copies of a run as sent; returns how many. Queries: one."""
    return await tx.execute(
        """
        UPDATE copy
        SET status = 'Sent', date_sent = :sent_on
        WHERE account_id = :account_id
          AND dispatch_id = :id
          AND status NOT IN ('Sent', 'Cancelled')
        """,
        {"account_id": account_id, "id": id, "sent_on": sent_on},
    )


async def mark_claims(tx: Transaction, account_id: int, id: str, sent_on: date | None) -> None:
    """Mark the replacements of a run as sent. Queries: one."""
    await tx.execute(
        """
        UPDATE claim
        SET status = 'sent', date_sent = :sent_on
        WHERE account_id = :account_id AND dispatch_id = :id AND status = 'held'
        """,
        {"account_id": account_id, "id": id, "sent_on": sent_on},
    )


async def unmark_copies(tx: Transaction, account_id: int, id: str) -> int:
    """Take back the marking of a run's copies; returns how many are no longer sent. Queries: one.

    A copy of a subscription that was cancelled meanwhile becomes Cancelled. A copy that the carrier
    reported as shipped stays Sent.
    """
    return await tx.execute(
        """
        UPDATE copy
        SET
            date_sent = NULL,
            status = CASE
                WHEN EXISTS (
                    SELECT 1
                    FROM subscription s
                    WHERE s.account_id = copy.account_id
                      AND s.id = copy.subscription_id
                      AND s.status = 'Cancelled'
                ) THEN 'Cancelled'
                ELSE 'Not sent'
            END
        WHERE account_id = :account_id
          AND dispatch_id = :id
          AND status = 'Sent'
          AND NOT EXISTS (
              SELECT 1
              FROM dispatch_line l
              WHERE l.account_id = copy.account_id
                AND l.copy_id = copy.id
                AND l.dispatch_id = copy.dispatch_id
                AND l.claim_id IS NULL
                AND l.shipped_date IS NOT NULL
          )
        """,
        {"account_id": account_id, "id": id},
    )


async def unmark_claims(tx: Transaction, account_id: int, id: str) -> None:
    """Take back the marking of a run's replacements, except those that were shipped."""
    await tx.execute(
        """
        UPDATE claim
        SET status = 'held', date_sent = NULL
        WHERE account_id = :account_id
          AND dispatch_id = :id
          AND status = 'sent'
          AND NOT EXISTS (
              SELECT 1
              FROM dispatch_line l
              WHERE l.account_id = claim.account_id
                AND l.copy_id = claim.copy_id
                AND l.dispatch_id = claim.dispatch_id
                AND l.claim_id = claim.id
                AND l.shipped_date IS NOT NULL
          )
        """,
        {"account_id": account_id, "id": id},
    )


async def release_copies(tx: Transaction, account_id: int, id: str) -> None:
    """Free the copies of a run that are not sent. Queries: one."""
    await tx.execute(
        """
        UPDATE copy
        SET dispatch_id = NULL
        WHERE account_id = :account_id AND dispatch_id = :id AND status <> 'Sent'
        """,
        {"account_id": account_id, "id": id},
    )


async def release_cancelled(tx: Transaction, account_id: int, id: str) -> None:
    """Free the copies of a run that are cancelled. Queries: one."""
    await tx.execute(
        """
        UPDATE copy
        SET dispatch_id = NULL
        WHERE account_id = :account_id AND dispatch_id = :id AND status = 'Cancelled'
        """,
        {"account_id": account_id, "id": id},
    )


async def release_claims(tx: Transaction, account_id: int, id: str) -> None:
    """Free the claims of a run, so that the next run takes them. Queries: one."""
    await tx.execute(
        """
        UPDATE claim
        SET dispatch_id = NULL, status = 'open'
        WHERE account_id = :account_id AND dispatch_id = :id AND status = 'held'
        """,
        {"account_id": account_id, "id": id},
    )


async def find_subscriptions(db: Connection, account_id: int, id: str) -> str | None:
    """The subscriptions whose copies a run holds, as JSON; None if there are none. Queries: one."""
    row = await db.fetch_one(
        """
        SELECT count(*) AS count, json_group_array(DISTINCT subscription_id) AS ids
        FROM copy
        WHERE account_id = :account_id AND dispatch_id = :id
        """,
        {"account_id": account_id, "id": id},
    )
    return str(row["ids"]) if row and row["count"] else None
