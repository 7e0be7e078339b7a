"""Dispatch runs: the rows. Their copies and claims are in `run_copies`."""

from collections.abc import Collection, Mapping
from typing import Any

from masthead.model.clock import now
from masthead.model.dispatch.runs import Dispatch, DispatchStatus
from masthead.model.pagination import Page, PageRequest, cut_page
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.engine.rows import fetch_all, get_one, insert_row
from masthead.store.update_statement import update_row

NO_LAYOUT = '{"home":null,"countries":{}}'  # of a run without lines, inside its transaction

DISPATCH = """
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
        d.grace_copies,
        d.fingerprint,
        d.date_sent,
        d.created_at,
        d.actor_kind,
        d.actor_id,
        d.marked_at,
        d.undone_at,
        d.discarded_at,
        d.group_id
    FROM dispatch d
    JOIN issue i ON i.account_id = d.account_id AND i.id = d.issue_id
    WHERE d.account_id = :account_id
"""


async def get_dispatch(db: Connection, account_id: int, id: str) -> Dispatch:
    """A run. Queries: one. Raises: NotFound."""
    return await get_one(
        db, account_id, id, DISPATCH + "AND d.id = :id", into=Dispatch, noun="dispatch run"
    )


async def list_dispatches(
    db: Connection,
    account_id: int,
    page: PageRequest,
    *,
    issue_id: str | None = None,
    status: DispatchStatus | None = None,
) -> Page[Dispatch]:
    """The runs of an account, newest first: all, or those of an issue or with a status.

    Queries: one.
    """
    found = await fetch_all(
        db,
        DISPATCH
        + """
        AND d.id < :after
        AND (:all_issues OR d.issue_id = :issue)
        AND (:all_statuses OR d.status = :status)
        ORDER BY d.id DESC
        LIMIT :fetch
        """,
        {
            "account_id": account_id,
            "after": page.after_id,
            "all_issues": issue_id is None,
            "issue": issue_id or "",
            "all_statuses": status is None,
            "status": status or "",
            "fetch": page.fetch,
        },
        into=Dispatch,
    )
    return cut_page(found, page)


async def list_of_issues(
    db: Connection, account_id: int, numbers: Collection[int]
) -> list[Dispatch]:
    """The runs of some issues, in the order of their numbers. Queries: one."""
    return await fetch_all(
        db,
        DISPATCH + "AND d.issue_number IN (:numbers... AS bigint) ORDER BY d.number",
        {"account_id": account_id, "numbers": sorted(numbers)},
        into=Dispatch,
    )


async def is_marked_after(db: Connection, account_id: int, run: Dispatch) -> bool:
    """Whether another run of the same issue was marked as sent after this one. Queries: one."""
    row = await db.fetch_one(
        """
        SELECT 1 AS found
        FROM dispatch
        WHERE account_id = :account_id
          AND issue_number = :issue_number
          AND status = 'marked'
          AND id <> :id
          AND (marked_at > :marked_at OR (marked_at = :marked_at AND number > :number))
        LIMIT 1
        """,
        {
            "account_id": account_id,
            "issue_number": run.issue_number,
            "id": run.id,
            "marked_at": run.marked_at,
            "number": run.number,
        },
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
    empty = dict.fromkeys(("first_line", "lines", "copies", "replacements", "grace_copies"), 0)
    await insert_row(
        tx,
        "dispatch",
        **columns,
        **empty,
        account_id=account_id,
        number=row["next"],
        status=DispatchStatus.FROZEN.value,
        layout=NO_LAYOUT,
        fingerprint="",
        created_at=now(),
    )
    return int(row["next"])


async def update_dispatch(
    tx: Transaction, account_id: int, id: str, columns: Mapping[str, object]
) -> None:
    """Set columns of a run."""
    await update_row(tx, account_id, "dispatch", id, **columns)
