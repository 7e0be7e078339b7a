"""Groups of dispatch runs: runs of several issues that go out together, with one file."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from datetime import date

from msgspec import Struct, structs

from masthead.model.dispatch.runs import Dispatch, DispatchLine, DispatchStatus
from masthead.model.pagination import Page, PageRequest, cut_page
from masthead.store.dispatch.lines import LINES
from masthead.store.dispatch.runs import DISPATCH
from masthead.store.engine.interface import Connection
from masthead.store.engine.rows import fetch_all


def leader_of(members: Sequence[Dispatch]) -> Dispatch:
    """The run of a group that has the files: the first one, or another if that was deleted."""
    return next((run for run in members if run.id == run.group_id), members[0])


class Mailing(Struct, frozen=True):
    """A run, or a group of runs.

    run: the first one; in a group, with the numbers and the status of all. issues: how many.
    """

    run: Dispatch
    issues: int = 1


def status_of(statuses: Collection[DispatchStatus]) -> DispatchStatus:
    """The status of a group: frozen if one of its runs is; otherwise marked, or discarded."""
    return next(status for status in DispatchStatus if status in statuses)


def date_of(members: Sequence[Dispatch]) -> date | None:
    """The day on which a group was sent; None if its runs have none, or several."""
    days = {run.date_sent for run in members if run.status is DispatchStatus.MARKED}
    return days.pop() if len(days) == 1 else None


class FrozenGroup(Struct, frozen=True):
    """A group with runs that are not marked as sent.

    id: of its first run. issues: how many. held: its lines that are to be marked. files: ready
    ones.
    """

    id: str
    issues: int
    held: int
    files: int


_MAILINGS = f"""
    {DISPATCH}
    AND d.id < :after
    AND (
        d.group_id IS NULL
        OR NOT EXISTS (
            SELECT 1
            FROM dispatch o
            WHERE o.account_id = :account_id
              AND o.group_id = d.group_id
              AND o.id < d.id
        )
    )
    ORDER BY d.id DESC
    LIMIT :fetch
"""  # noqa: S608 - a constant


async def list_mailings(db: Connection, account_id: int, page: PageRequest) -> Page[Mailing]:
    """The runs, with those of a group as one, newest first. Queries: two at most."""
    found = await fetch_all(
        db,
        _MAILINGS,
        {"account_id": account_id, "after": page.after_id, "fetch": page.fetch},
        into=Dispatch,
    )
    runs = cut_page(found, page)
    members = await _list_groups(db, account_id, [run.group_id for run in runs.items])
    items = [_mailing(run, members.get(run.group_id or "", ())) for run in runs.items]
    return Page(items=items, cursor=runs.cursor, has_more=runs.has_more)


def _mailing(run: Dispatch, members: Sequence[Dispatch]) -> Mailing:
    if not members:
        return Mailing(run)
    whole = structs.replace(
        run,
        status=status_of({each.status for each in members}),
        date_sent=date_of(members),
        lines=sum(each.lines for each in members),
        copies=sum(each.copies for each in members),
        replacements=sum(each.replacements for each in members),
        grace_copies=sum(each.grace_copies for each in members),
    )
    return Mailing(whole, len(members))


async def _list_groups(
    db: Connection, account_id: int, ids: Sequence[str | None]
) -> dict[str, list[Dispatch]]:
    """The runs of some groups. Queries: one, or none. Index: dispatch_by_group."""
    wanted = [id for id in ids if id is not None]
    found: dict[str, list[Dispatch]] = defaultdict(list)
    if wanted:
        for run in await fetch_all(
            db,
            DISPATCH + "AND d.group_id IN (:groups...) ORDER BY d.id",
            {"account_id": account_id, "groups": wanted},
            into=Dispatch,
        ):
            found[run.group_id or ""].append(run)
    return found


async def list_group(db: Connection, account_id: int, group_id: str) -> list[Dispatch]:
    """The runs of a group, by issue. Queries: one. Index: dispatch_by_group."""
    return await fetch_all(
        db,
        DISPATCH + "AND d.group_id = :group ORDER BY d.issue_number",
        {"account_id": account_id, "group": group_id},
        into=Dispatch,
    )


async def list_members(db: Connection, account_id: int, run: Dispatch) -> list[Dispatch]:
    """The runs that go out together with a run, and the run itself. Queries: one, or none."""
    return await list_group(db, account_id, run.group_id) if run.group_id else [run]


_GROUP_LINES = f"""
    {LINES}
    AND dispatch_id IN (
        SELECT d.id
        FROM dispatch d
        WHERE d.account_id = :account_id AND d.group_id = :group
    )
    ORDER BY
        CASE medium WHEN 'Digital' THEN 1 ELSE 0 END,
        country,
        coalesce(postcode, ''),
        coalesce(last_name, ''),
        coalesce(first_name, ''),
        subscriber_id,
        coalesce(address1, ''),
        coalesce(address2, ''),
        coalesce(company, ''),
        issue_number,
        id
"""  # noqa: S608 - a constant


async def list_group_lines(db: Connection, account_id: int, group_id: str) -> list[DispatchLine]:
    """All lines of the runs of a group, by address. Queries: one.

    The order is that of the lines of a run, so the lines for one address follow each other.
    """
    return await fetch_all(
        db,
        _GROUP_LINES,
        {"account_id": account_id, "group": group_id},
        into=DispatchLine,
    )


async def list_frozen_groups(db: Connection, account_id: int, *, limit: int) -> list[FrozenGroup]:
    """The groups that are not marked as sent, newest first. Queries: one, read aside."""
    return await fetch_all(
        db,
        """
        SELECT
            d.group_id AS id,
            count(*) AS issues,
            CAST(sum((
                SELECT count(*)
                FROM dispatch_line l
                WHERE l.account_id = :account_id
                  AND l.dispatch_id = d.id
                  AND l.status = 'held'
            )) AS bigint) AS held,
            CAST(sum((
                SELECT count(*)
                FROM dispatch_file f
                WHERE f.account_id = :account_id
                  AND f.dispatch_id = d.id
                  AND f.status = 'ready'
            )) AS bigint) AS files
        FROM dispatch d
        WHERE d.account_id = :account_id AND d.status = 'frozen' AND d.group_id IS NOT NULL
        GROUP BY d.group_id
        ORDER BY d.group_id DESC
        LIMIT :limit
        """,
        {"account_id": account_id, "limit": limit},
        into=FrozenGroup,
    )
