"""How many copies a coming issue needs, by country and medium."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import date

from masthead.model.reports.forecasts import COMING, Part, PrintRun
from masthead.model.resources import Issue
from masthead.model.types.enums import Medium
from masthead.model.types.fields import MAX_NUMBER
from masthead.store.engine.interface import Connection
from masthead.store.issues import SHOWN, find_current, issue_from_row

_LAST = "SELECT coalesce(max(number), 0) AS number FROM issue WHERE account_id = :account_id"
_COPY = (
    "SELECT 1 FROM copy c WHERE c.account_id = i.account_id AND c.issue_number = i.number"
    " AND c.status ="
)
_COMING = (
    SHOWN + " FROM issue i WHERE account_id = :account_id AND (release_date_actual > :today"
    " OR (release_date_actual IS NULL AND number >= :current"
    f" AND (NOT EXISTS ({_COPY} 'Sent') OR EXISTS ({_COPY} 'Not sent'))))"
    " ORDER BY number LIMIT :most"
)
_RECURRING = "is_recurring = true AND s.status = 'Active'"
_GRANTED = (
    "SELECT c.issue_number, s.country, s.medium, count(*) AS copies,"  # noqa: S608 - the constant texts here
    f" count(*) FILTER (WHERE s.{_RECURRING}) AS recurring"
    # CROSS keeps SQLite from beginning with all copies of the issues
    " FROM subscription s CROSS JOIN copy c WHERE s.account_id = :account_id"
    " AND s.last_issue IS NULL AND s.status <> 'Cancelled'"
    " AND c.account_id = s.account_id AND c.subscription_id = s.id"
    " AND c.issue_number BETWEEN :first AND :last GROUP BY c.issue_number, s.country, s.medium"
)
# By an expression, lest SQLite read the rows in the order of another index to group them
_RECURRING_MEMBERS = (
    "SELECT coalesce(s.country, '') AS country, s.medium, count(*) AS copies"  # noqa: S608 - the constant texts here
    " FROM subscription s"
    f" WHERE s.account_id = :account_id AND s.last_issue IS NULL AND s.{_RECURRING}"
    " GROUP BY coalesce(s.country, ''), s.medium"
)


async def list_coming(
    db: Connection, account_id: int, today: date
) -> list[tuple[int, Issue | None]]:
    """The next numbers to come out, lowest first, and those that are issues already.

    An issue is to come if its release date is. One without is to come from the current issue on,
    until some of its copies are sent and none waits. Queries: two to four, read aside. None if
    there is no issue at all.
    """
    scope = {"account_id": account_id, "today": today}
    last = await db.fetch_one(_LAST, scope)
    assert last is not None
    if not last["number"]:
        return []
    current = await find_current(db, account_id, today)
    rows = await db.fetch_all(
        _COMING, {**scope, "current": current.number if current else 0, "most": COMING}
    )
    found: list[tuple[int, Issue | None]] = [(row["number"], issue_from_row(row)) for row in rows]
    beyond = range(last["number"] + 1, min(last["number"] + COMING, MAX_NUMBER) + 1)
    return [*found, *((number, None) for number in beyond)][:COMING]


async def list_print_runs(
    db: Connection, account_id: int, coming: Sequence[tuple[int, Issue | None]]
) -> list[PrintRun]:
    """The print runs of numbers. Queries: three, read aside. Index: subscription_by_last."""
    if not coming:
        return []
    numbers = [number for number, _ in coming]
    parts: dict[int, dict[tuple[str, str], tuple[int, int]]] = {number: {} for number in numbers}
    scope = {"account_id": account_id}
    counts = ", ".join(
        f"count(*) FILTER (WHERE :n{place} BETWEEN s.start_issue AND s.last_issue"
        f" AND s.status <> 'Cancelled') AS copies{place},"
        f" count(*) FILTER (WHERE s.last_issue < :n{place} AND s.{_RECURRING}) AS renewals{place}"
        for place in range(len(numbers))
    )
    rows = await db.fetch_all(
        f"SELECT s.country, s.medium, {counts} FROM subscription s"  # noqa: S608 - our own texts
        " WHERE s.account_id = :account_id AND s.last_issue >= :before"
        " GROUP BY s.country, s.medium",
        {
            **scope,
            "before": numbers[0] - 1,
            **{f"n{place}": number for place, number in enumerate(numbers)},
        },
    )
    for row in rows:
        for place, number in enumerate(numbers):
            of = (row["country"], row["medium"])
            parts[number][of] = row[f"copies{place}"], row[f"renewals{place}"]
    recurring = {
        (row["country"], row["medium"]): row["copies"]
        for row in await db.fetch_all(_RECURRING_MEMBERS, scope)
    }
    granted = defaultdict[int, dict[tuple[str, str], tuple[int, int]]](dict)
    reach = {"first": numbers[0], "last": numbers[-1]}  # a list would be looked at after the copies
    for row in await db.fetch_all(_GRANTED, {**scope, **reach}):
        of = (row["country"], row["medium"])
        granted[row["issue_number"]][of] = row["copies"], row["recurring"]
    for number, issue in coming:
        is_dated = issue is not None and issue.release_date_actual is not None
        for of in recurring.keys() | granted[number].keys():
            copies, renewals = parts[number].get(of, (0, 0))
            has, renewing = granted[number].get(of, (0, 0))
            more = recurring.get(of, 0) - renewing if is_dated else 0
            parts[number][of] = copies + has, renewals + more
    return [
        PrintRun(
            number,
            issue,
            [
                Part(country, Medium(medium), *counts)
                for (country, medium), counts in parts[number].items()
                if any(counts)
            ],
        )
        for number, issue in coming
    ]


async def count_owed(db: Connection, account_id: int, number: int, released: date | None) -> int:
    """How many copies an issue would be owed if it were made. Queries: one or two, read aside.

    released: the day of its release, by which it is granted to memberships; None if it has none.
    """
    row = await db.fetch_one(
        "SELECT count(*) AS count FROM subscription s WHERE s.account_id = :account_id"
        " AND s.last_issue >= :number AND s.start_issue <= :number AND s.status <> 'Cancelled'",
        {"account_id": account_id, "number": number},
    )
    assert row is not None
    owed = int(row["count"])
    if released is not None:
        members = await db.fetch_one(
            "SELECT count(DISTINCT s.id) AS count FROM period p"
            " JOIN subscription s ON s.account_id = p.account_id AND s.id = p.subscription_id"
            " WHERE p.account_id = :account_id AND p.period_end >= :day AND p.period_start <= :day"
            " AND s.status <> 'Cancelled'",
            {"account_id": account_id, "day": released},
        )
        assert members is not None
        owed += int(members["count"])
    return owed
