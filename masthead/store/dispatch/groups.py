"""Groups of dispatch runs: runs of several issues that go out together, with one file."""

from collections.abc import Sequence

from msgspec import Struct

from masthead.model.dispatch.runs import Dispatch, DispatchLine
from masthead.store.dispatch.lines import LINES
from masthead.store.dispatch.runs import DISPATCH
from masthead.store.engine.interface import Connection
from masthead.store.engine.rows import fetch_all


def leader_of(members: Sequence[Dispatch]) -> Dispatch:
    """The run of a group that has the files: the first one, or another if that was deleted."""
    return next((run for run in members if run.id == run.group_id), members[0])


class FrozenGroup(Struct, frozen=True):
    """A group with runs that are not marked as sent.

    id: of its first run. issues: how many. held: its lines that are to be marked. files: ready
    ones.
    """

    id: str
    issues: int
    held: int
    files: int


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
