"""The copies that no run holds, of one issue and of all."""

from datetime import date

from msgspec import Struct

from masthead.store.addresses.in_force import must_wait
from masthead.store.copies import IS_FREE
from masthead.store.engine.interface import Connection
from masthead.store.engine.rows import fetch_all
from masthead.store.issues.records import IS_RELEASED
from masthead.store.reports.fulfilment import UNSENT_COPIES


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
