"""The copies that no run holds: by what a run can be limited to, and by issue."""

from datetime import date

from msgspec import Struct

from masthead.store.addresses.in_force import COUNTRY
from masthead.store.dispatch.candidates import IS_ON_HOLD, JOIN_CHANGE
from masthead.store.dispatch.grace_candidates import is_grace_due
from masthead.store.engine.interface import Connection
from masthead.store.engine.rows import fetch_all
from masthead.store.issues.records import IS_RELEASED
from masthead.store.reports.fulfilment import UNSENT_COPIES

# IS TRUE keeps SQLite from reading all copies without a run, and CROSS JOIN from counting for each
# source
_COUNT = f"""
    SELECT
        t.country,
        t.medium,
        t.source_id,
        o.name AS source_name,
        CAST(sum(t.count) AS bigint) AS count
    FROM (
        SELECT {COUNTRY} AS country, s.medium, s.source_id, count(*) AS count
        FROM copy c
        JOIN subscription s ON s.account_id = c.account_id AND s.id = c.subscription_id
        {JOIN_CHANGE}
        WHERE c.account_id = :account_id
          AND c.issue_number = :issue_number
          AND c.status NOT IN ('Sent', 'Cancelled')
          AND (c.dispatch_id IS NULL) IS TRUE
          AND NOT {IS_ON_HOLD}
        GROUP BY {COUNTRY}, s.medium, s.source_id
        UNION ALL
        SELECT {COUNTRY}, s.medium, s.source_id, count(*)
        FROM subscription s
        {JOIN_CHANGE}
        WHERE s.account_id = :account_id
          AND {is_grace_due("CAST(:issue_number AS bigint)")}
          AND NOT {IS_ON_HOLD}
        GROUP BY {COUNTRY}, s.medium, s.source_id
    ) AS t
    CROSS JOIN source o
    WHERE o.account_id = :account_id AND o.id = t.source_id
    GROUP BY t.country, t.medium, t.source_id, o.name
    ORDER BY t.country, t.medium, t.source_id
"""  # noqa: S608 - the condition is a constant


class FreeCopies(Struct, frozen=True):
    """How many copies, with grace copies, of a country, a medium and a source are free."""

    country: str
    medium: str
    source_id: str
    source_name: str
    count: int


async def count_free(db: Connection, account_id: int, issue_number: int) -> list[FreeCopies]:
    """The free copies and grace copies of an issue by country, medium and source.

    A copy is free if a run of everything takes it. Queries: one, about 5 µs for each unsent copy:
    read aside.
    """
    values = {"account_id": account_id, "issue_number": issue_number}
    return await fetch_all(db, _COUNT, values, into=FreeCopies)


class IssueThatIsOut(Struct, frozen=True):
    """An issue that is out."""

    issue_id: str
    issue_number: int
    issue_name: str


async def list_released(
    db: Connection, account_id: int, *, today: date, current: int
) -> list[IssueThatIsOut]:
    """The released issues, newest first. Queries: one.

    current: the number of the current issue, or 0; without a release date, the issues up to it
    are released.
    """
    return await fetch_all(
        db,
        f"""
        SELECT i.id AS issue_id, i.number AS issue_number, i.name AS issue_name
        FROM issue i
        WHERE i.account_id = :account_id
          AND {IS_RELEASED}
        ORDER BY i.number DESC
        """,  # noqa: S608 - the condition is a constant
        {"account_id": account_id, "day": today, "current": current},
        into=IssueThatIsOut,
    )


class OwedCopies(Struct, frozen=True):
    """The unsent copies of released issues. owed_date: the earliest release date of such an issue.

    It is None if those issues have no release date, or if nothing is owed.
    """

    copies: int
    owed_date: date | None


async def count_owed(db: Connection, account_id: int, *, today: date, current: int) -> OwedCopies:
    """The numbers of owed copies. current: as in `list_released`.

    Queries: one, about 0.2 µs for each unsent copy: read aside.
    """
    [found] = await fetch_all(
        db,
        f"""
        SELECT CAST(coalesce(sum(copies), 0) AS bigint) AS copies, min(owed_date) AS owed_date
        FROM (
            SELECT i.release_date_actual AS owed_date, {UNSENT_COPIES} AS copies
            FROM issue i
            WHERE i.account_id = :account_id
              AND {IS_RELEASED}
        ) AS issues
        WHERE copies > 0
        """,  # noqa: S608 - the condition is a constant
        {"account_id": account_id, "day": today, "current": current},
        into=OwedCopies,
    )
    return found
