"""The number of copies that a coming issue needs, by country and medium."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import date
from functools import cache

from masthead.model.reports.forecasts import COMING, Part, PrintRun
from masthead.model.resources import Issue
from masthead.model.types.enums import Medium
from masthead.model.types.fields import MAX_NUMBER
from masthead.store.dispatch.grace_candidates import count_grace_to_print
from masthead.store.engine.interface import Connection
from masthead.store.engine.rows import fetch_all
from masthead.store.issues.records import SELECT_ISSUE, find_current, get_newest_number
from masthead.store.subscriptions.skips import count_skipped

Counts = dict[tuple[str, str], tuple[int, int]]  # by country and medium: copies and renewals

_COMING = f"""
    {SELECT_ISSUE}
    FROM issue i
    WHERE i.account_id = :account_id
      AND (
          release_date_actual > :today
          OR (
              release_date_actual IS NULL
              AND number >= :current
              AND (
                  NOT EXISTS (
                      SELECT 1
                      FROM copy c
                      WHERE c.account_id = :account_id
                        AND c.issue_number = i.number
                        AND c.status = 'Sent'
                  )
                  OR EXISTS (
                      SELECT 1
                      FROM copy c
                      WHERE c.account_id = :account_id
                        AND c.issue_number = i.number
                        AND c.status = 'Not sent'
                  )
              )
          )
      )
    ORDER BY number
    LIMIT :most
"""  # noqa: S608 - a constant
# The copies of memberships, and those that were sent before their subscription was cancelled.
# CROSS JOIN keeps SQLite from reading all copies of the issues first
_OTHER_COPIES = """
    SELECT
        c.issue_number,
        s.country,
        s.medium,
        count(*) AS copies,
        count(*) FILTER (WHERE s.is_recurring = true AND s.status = 'Active') AS recurring
    FROM subscription s
    CROSS JOIN copy c
    WHERE s.account_id = :account_id
      AND (
          s.last_issue IS NULL
          OR (s.last_issue >= :first AND s.status IN ('Cancelled'))
      )
      AND c.account_id = s.account_id
      AND c.subscription_id = s.id
      AND c.issue_number BETWEEN :first AND :last
      AND (c.status <> 'Cancelled') IS TRUE
    GROUP BY c.issue_number, s.country, s.medium
"""
# By an expression: to group by a column, SQLite might read the rows in the order of another index
_RECURRING_MEMBERS = """
    SELECT coalesce(s.country, '') AS country, s.medium, count(*) AS copies
    FROM subscription s
    WHERE s.account_id = :account_id
      AND s.last_issue IS NULL
      AND s.is_recurring = true
      AND s.status = 'Active'
    GROUP BY coalesce(s.country, ''), s.medium
"""


async def list_coming_issues(
    db: Connection, account_id: int, today: date
) -> list[tuple[int, Issue | None]]:
    """The next issue numbers, lowest first, each with its issue if that exists already.

    An issue is coming if its release date is in the future. An issue without a release date is
    coming if its number is not below the current one, until all of its copies are sent.
    Queries: two to four, read aside. Empty if the account has no issue.
    """
    scope = {"account_id": account_id, "today": today}
    last = await get_newest_number(db, account_id)
    if not last:
        return []
    current = await find_current(db, account_id, today)
    issues = await fetch_all(
        db,
        _COMING,
        {**scope, "current": current.number if current else 0, "most": COMING},
        into=Issue,
    )
    found: list[tuple[int, Issue | None]] = [(each.number, each) for each in issues]
    beyond = range(last + 1, min(last + COMING, MAX_NUMBER) + 1)
    return [*found, *((number, None) for number in beyond)][:COMING]


async def list_print_runs(
    db: Connection,
    account_id: int,
    coming: Sequence[tuple[int, Issue | None]],
    *,
    current: Issue | None = None,
) -> list[PrintRun]:
    """The print runs of coming issues. Queries: five, read aside. Index: subscription_by_last.

    current: the current issue, to show its print run first, unless it is one of them.
    """
    if not coming:
        return []
    wanted, before = list(coming), coming[0][0] - 1
    is_added = current is not None and current.number not in dict(coming)
    if is_added:
        assert current is not None
        wanted.insert(0, (current.number, current))
    numbers = [number for number, _ in wanted]
    counts = await _count_subscriptions(db, account_id, numbers, before=before)
    for number, country, medium, skipped in await count_skipped(
        db, account_id, min(numbers), max(numbers)
    ):
        if number in counts:
            copies, renewals = counts[number][country, medium]
            counts[number][country, medium] = copies - skipped, renewals
    members = await _count_recurring_members(db, account_id)
    other_copies = await _count_other_copies(db, account_id, numbers)
    grace = await count_grace_to_print(db, account_id, numbers)
    for place, (number, issue) in enumerate(wanted):
        is_out = is_added and place == 0
        is_dated = not is_out and issue is not None and issue.release_date_actual is not None
        for group in members.keys() | other_copies[number].keys():
            copies, renewals = counts[number].get(group, (0, 0))
            existing, renewing = other_copies[number].get(group, (0, 0))
            more = members.get(group, 0) - renewing if is_dated else 0
            counts[number][group] = copies + existing, renewals + more
    return [
        PrintRun(
            number,
            issue,
            [
                Part(country, Medium(medium), *pair, more)
                for (country, medium), (pair, more) in _join(counts[number], grace[number]).items()
                if any(pair) or more
            ],
            is_current=is_added and place == 0,
        )
        for place, (number, issue) in enumerate(wanted)
    ]


def _join(
    counts: Counts, grace: Mapping[tuple[str, str], int]
) -> dict[tuple[str, str], tuple[tuple[int, int], int]]:
    """The copies and renewals, and the grace copies, of each country and medium."""
    groups = dict.fromkeys([*counts, *grace])
    return {group: (counts.get(group, (0, 0)), grace.get(group, 0)) for group in groups}


async def _count_subscriptions(
    db: Connection, account_id: int, numbers: Sequence[int], *, before: int
) -> dict[int, Counts]:
    """The copies and renewals of issue subscriptions, by issue number.

    before: the issue before the first coming one; who ended earlier does not renew.
    """
    values = {f"n{place}": number for place, number in enumerate(numbers)}
    rows = await db.fetch_all(
        _count_copies(len(numbers)),
        {
            "account_id": account_id,
            "previous": min(before, min(numbers)),
            "before": before,
            **values,
        },
    )
    return {
        number: {
            (row["country"], row["medium"]): (row[f"copies{place}"], row[f"renewals{place}"])
            for row in rows
        }
        for place, number in enumerate(numbers)
    }


async def _count_recurring_members(db: Connection, account_id: int) -> dict[tuple[str, str], int]:
    """How many memberships renew automatically, by country and medium."""
    rows = await db.fetch_all(_RECURRING_MEMBERS, {"account_id": account_id})
    return {(row["country"], row["medium"]): row["copies"] for row in rows}


async def _count_other_copies(
    db: Connection, account_id: int, numbers: Sequence[int]
) -> Mapping[int, Counts]:
    """The copies that `_count_subscriptions` leaves out, and how many renew, by issue number."""
    rows = await db.fetch_all(
        _OTHER_COPIES,
        # a list of numbers would be compared after reading all copies
        {"account_id": account_id, "first": min(numbers), "last": max(numbers)},
    )
    counts: defaultdict[int, Counts] = defaultdict(dict)
    for row in rows:
        group = (row["country"], row["medium"])
        counts[row["issue_number"]][group] = row["copies"], row["recurring"]
    return counts


@cache
def _count_copies(issues: int) -> str:
    """Counts the copies of a number of issues, by country and medium, with and without renewals."""
    counts = ", ".join(
        f"""
        count(*) FILTER (
            WHERE :n{place} BETWEEN s.start_issue AND s.last_issue AND s.status <> 'Cancelled'
        ) AS copies{place},
        count(*) FILTER (
            WHERE s.last_issue < :n{place}
              AND s.last_issue >= :before
              AND s.is_recurring = true
              AND s.status = 'Active'
        ) AS renewals{place}
        """
        for place in range(issues)
    )
    return f"""
        SELECT coalesce(s.country, '') AS country, s.medium, {counts}
        FROM subscription s
        WHERE s.account_id = :account_id AND s.last_issue >= :previous
        GROUP BY coalesce(s.country, ''), s.medium
        """  # noqa: S608 - two counts for each issue


async def count_future_copies(
    db: Connection, account_id: int, number: int, released: date | None
) -> int:
    """Count the copies that an issue would get if it were created. Queries: three at most.

    released: its release date, which decides on the memberships that get it; None if unknown.
    """
    row = await db.fetch_one(
        """
        SELECT count(*) AS count
        FROM subscription s
        WHERE s.account_id = :account_id
          AND s.last_issue >= :number
          AND s.start_issue <= :number
          AND s.status <> 'Cancelled'
        """,
        {"account_id": account_id, "number": number},
    )
    assert row is not None
    skipped = sum(each[-1] for each in await count_skipped(db, account_id, number, number))
    copies = int(row["count"]) - skipped
    if released is not None:
        members = await db.fetch_one(
            """
            SELECT count(DISTINCT s.id) AS count
            FROM period p
            JOIN subscription s ON s.account_id = p.account_id AND s.id = p.subscription_id
            WHERE p.account_id = :account_id
              AND p.period_end >= :day
              AND p.period_start <= :day
              AND s.status <> 'Cancelled'
            """,
            {"account_id": account_id, "day": released},
        )
        assert members is not None
        copies += int(members["count"])
    return copies
