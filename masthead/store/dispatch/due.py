"""Copies left to send by issue, which no run holds, and the runs that are not marked as sent."""

from collections.abc import Collection
from itertools import groupby
from operator import itemgetter

import msgspec
from msgspec import Struct

from masthead.model.dispatch.runs import DispatchSelection, DispatchStatus
from masthead.model.types.enums import CopyStatus
from masthead.store.addresses.in_force import must_wait
from masthead.store.copies import IS_FREE
from masthead.store.dispatch.open_claims import OpenClaims, count_open
from masthead.store.dispatch.waiting_copies import Counts, count_waiting
from masthead.store.engine.interface import Connection, Row
from masthead.store.engine.rows import fetch_all
from masthead.store.reports.fulfilment import count_by_status, count_unsent

EVERYTHING = DispatchSelection()


class DueCounts(Struct, frozen=True):
    """The unsent copies of an issue, and its open claims.

    in_runs: in a frozen run. waiting: because of their address or their subscription. of_held:
    those of them whose subscription is held. free: a run of all copies takes them. claims: a run
    takes them as replacements. claims_on_hold: those that wait, as copies do.
    """

    in_runs: int
    waiting: int
    of_held: int
    free: int
    claims: int
    claims_on_hold: int

    @property
    def unsent(self) -> int:
        """The number of copies that are not sent."""
        return self.in_runs + self.waiting + self.free

    @property
    def lines(self) -> int:
        """The number of copies and replacements in a run of all of them."""
        return self.free + self.claims


class FrozenRun(Struct, frozen=True):
    """A run that is not marked as sent.

    held: its lines that are to be marked: copies, replacements and grace copies. postal: those that
    go by post. shipped: lines that the carrier has reported. files: ready ones.
    """

    id: str
    number: int
    issue_id: str
    issue_number: int
    issue_name: str
    held: int
    replacements: int
    grace_copies: int
    postal: int
    shipped: int
    files: int

    @property
    def copies(self) -> int:
        """Its copies that are to be marked."""
        return self.held - self.replacements - self.grace_copies

    @property
    def is_empty(self) -> bool:
        """Whether all copies left it, so that it can only be discarded."""
        return not (self.held or self.shipped)


class IssueWithRuns(Struct, frozen=True, kw_only=True):
    """An issue. last_run: the number of its newest run, 0 if it has none.

    has_filters: whether a run that is not discarded left out copies by its filters.
    """

    issue_id: str
    issue_number: int
    issue_name: str
    last_run: int
    has_live_runs: bool
    has_filters: bool


async def count_due(
    db: Connection, account_id: int, numbers: Collection[int]
) -> dict[int, DueCounts]:
    """The copies left to send, by issue number. Queries: four.

    Takes 0.2 µs for each unsent copy, 1 µs for each in a frozen run, 5 µs if it waits: read aside.
    """
    if not numbers:
        return {}
    unsent = await count_unsent(db, account_id, numbers)
    in_runs = await _count_in_runs(db, account_id, numbers)
    waiting, of_held = await count_waiting(db, account_id, numbers)
    claims = {each.issue_number: each for each in await count_open(db, account_id)}
    none = OpenClaims("", 0)
    return {
        number: DueCounts(
            in_runs=in_runs.get(number, 0),
            waiting=waiting.get(number, 0),
            of_held=of_held.get(number, 0),
            free=unsent.get(number, 0) - in_runs.get(number, 0) - waiting.get(number, 0),
            claims=claims.get(number, none).count,
            claims_on_hold=claims.get(number, none).on_hold,
        )
        for number in numbers
    }


async def is_sent_out(db: Connection, account_id: int, number: int) -> bool:
    """Whether copies of an issue were sent, and no run would take any. Queries: five at most."""
    due = (await count_due(db, account_id, [number]))[number]
    if due.free or due.in_runs:
        return False
    sent = await count_by_status(db, account_id, number, [CopyStatus.SENT])
    return sent.get(CopyStatus.SENT, 0) > 0


async def _count_in_runs(db: Connection, account_id: int, numbers: Collection[int]) -> Counts:
    """The unsent copies in frozen runs; other runs hold none.

    As a sub-selection: with a join, PostgreSQL would read the copies of all runs.
    """
    return await _count(
        db,
        """
        SELECT
            d.issue_number,
            CAST(sum((
                SELECT count(*)
                FROM copy c
                WHERE c.account_id = :account_id
                  AND c.dispatch_id = d.id
                  AND c.status NOT IN ('Sent', 'Cancelled')
            )) AS bigint) AS count
        FROM dispatch d
        WHERE d.account_id = :account_id
          AND d.issue_number IN (:numbers... AS bigint)
          AND d.status = 'frozen'
        GROUP BY d.issue_number
        """,
        account_id,
        numbers,
    )


async def _count(db: Connection, sql: str, account_id: int, numbers: Collection[int]) -> Counts:
    """A count for each issue, by its number."""
    rows = await db.fetch_all(sql, {"account_id": account_id, "numbers": list(numbers)})
    return {row["issue_number"]: row["count"] for row in rows}


async def list_frozen_runs(
    db: Connection, account_id: int, *, number: int | None = None, limit: int
) -> list[FrozenRun]:
    """The runs that are not marked as sent, of one issue or of all, newest first; without groups.

    Queries: one, read aside.
    """
    return await fetch_all(
        db,
        """
        SELECT
            d.id,
            d.number,
            d.issue_id,
            d.issue_number,
            i.name AS issue_name,
            (
                SELECT count(*)
                FROM dispatch_line l
                WHERE l.account_id = :account_id
                  AND l.dispatch_id = d.id
                  AND l.status = 'held'
            ) AS held,
            (
                SELECT count(*)
                FROM claim k
                WHERE k.account_id = :account_id
                  AND k.dispatch_id = d.id
                  AND k.status = 'held'
            ) AS replacements,
            (
                SELECT count(*)
                FROM grace_copy g
                WHERE g.account_id = :account_id
                  AND g.dispatch_id = d.id
                  AND g.status = 'held'
            ) AS grace_copies,
            (
                SELECT count(*)
                FROM dispatch_line l
                WHERE l.account_id = :account_id
                  AND l.dispatch_id = d.id
                  AND l.status = 'held'
                  AND l.medium <> 'Digital'
            ) AS postal,
            (
                SELECT count(*)
                FROM dispatch_line l
                WHERE l.account_id = :account_id
                  AND l.dispatch_id = d.id
                  AND l.status = 'sent'
            ) AS shipped,
            (
                SELECT count(*)
                FROM dispatch_file f
                WHERE f.account_id = :account_id
                  AND f.dispatch_id = d.id
                  AND f.status = 'ready'
            ) AS files
        FROM dispatch d
        JOIN issue i ON i.account_id = d.account_id AND i.id = d.issue_id
        WHERE d.account_id = :account_id
          AND d.status = 'frozen'
          AND d.group_id IS NULL
          AND (CAST(:number AS bigint) IS NULL OR d.issue_number = :number)
        ORDER BY d.id DESC
        LIMIT :limit
        """,
        {"account_id": account_id, "number": number, "limit": limit},
        into=FrozenRun,
    )


async def list_issues_with_runs(
    db: Connection, account_id: int, *, number: int | None = None, limit: int
) -> list[IssueWithRuns]:
    """The issues of the newest runs, or one issue, if it has runs; highest number first.

    limit: of the runs. Queries: one.
    """
    rows = await db.fetch_all(
        """
        SELECT
            d.issue_id,
            d.issue_number,
            i.name AS issue_name,
            d.number,
            d.status,
            d.selection
        FROM dispatch d
        JOIN issue i ON i.account_id = d.account_id AND i.id = d.issue_id
        WHERE d.account_id = :account_id
          AND (CAST(:number AS bigint) IS NULL OR d.issue_number = :number)
        ORDER BY d.id DESC
        LIMIT :limit
        """,
        {"account_id": account_id, "number": number, "limit": limit},
    )
    number_of = itemgetter("issue_number")
    ordered = sorted(rows, key=number_of, reverse=True)
    return [_issue_from_rows(list(found)) for _, found in groupby(ordered, key=number_of)]


def _issue_from_rows(rows: list[Row]) -> IssueWithRuns:
    texts = [each["selection"] for each in rows if each["status"] != DispatchStatus.DISCARDED]
    live = [msgspec.json.decode(text, type=DispatchSelection) for text in texts]
    return IssueWithRuns(
        issue_id=rows[0]["issue_id"],
        issue_number=rows[0]["issue_number"],
        issue_name=rows[0]["issue_name"],
        last_run=max(row["number"] for row in rows),
        has_live_runs=bool(live),
        has_filters=any(selection != EVERYTHING for selection in live),
    )


async def count_free(db: Connection, account_id: int, issue_number: int) -> int:
    """The copies of an issue that a run of everything takes, without grace copies.

    Queries: one, about 1 µs for each unsent copy: read aside.
    """
    row = await db.fetch_one(
        f"""
        SELECT count(*) AS count
        FROM copy c
        WHERE c.account_id = :account_id
          AND c.issue_number = :issue_number
          AND {IS_FREE}
          AND NOT {must_wait("c.subscription_id", ":issue_number")}
        """,  # noqa: S608 - the condition is a constant
        {"account_id": account_id, "issue_number": issue_number},
    )
    assert row is not None
    return int(row["count"])
