"""Copies of issues: counts by status, country and medium, those that are owed, and addresses."""

from collections.abc import Collection, Sequence
from datetime import date

from msgspec import Struct

from masthead.model.types.enums import CopyStatus, Medium
from masthead.model.types.postal_fields import PostalFields
from masthead.store.addresses.in_force import COLUMNS, join_past_change
from masthead.store.engine.interface import Connection, Row
from masthead.store.engine.rows import fetch_all
from masthead.store.issues.records import IS_RELEASED

# How many copies of the issue `i` are Not sent, by an index alone: in a join, PostgreSQL would read
# all such copies
UNSENT_COPIES = """(
            SELECT count(*)
            FROM copy c
            WHERE c.account_id = :account_id
              AND c.issue_number = i.number
              AND c.status = 'Not sent'
        )"""


async def count_unsent(db: Connection, account_id: int, numbers: Collection[int]) -> dict[int, int]:
    """The number of copies that are Not sent, by issue number. Queries: one, read aside."""
    rows = await db.fetch_all(
        f"""
        SELECT i.number, {UNSENT_COPIES} AS count
        FROM issue i
        WHERE i.account_id = :account_id AND i.number IN (:numbers... AS bigint)
        """,  # noqa: S608 - a constant
        {"account_id": account_id, "numbers": list(numbers)},
    )
    return dict.fromkeys(numbers, 0) | {row["number"]: row["count"] for row in rows}


class Sending(Struct, frozen=True):
    """How far an issue is sent: its copies that are to send, and those that were sent."""

    unsent: int
    sent: int

    @property
    def waits(self) -> bool:
        """Whether most of its copies are still to send: it has hardly gone out."""
        return self.unsent > self.sent


async def count_sending(db: Connection, account_id: int, number: int) -> Sending:
    """The copies of an issue that are to send, and those that were sent. Queries: one."""
    among = (CopyStatus.NOT_SENT, CopyStatus.SENT)
    counts = await count_by_status(db, account_id, number, among)
    return Sending(counts.get(CopyStatus.NOT_SENT, 0), counts.get(CopyStatus.SENT, 0))


async def count_by_status(
    db: Connection, account_id: int, number: int, among: Collection[CopyStatus] = tuple(CopyStatus)
) -> dict[CopyStatus, int]:
    """The number of copies of an issue by status. Queries: one, read aside.

    To count each status takes less time than to group all copies.
    """
    parts = (
        f"""
        SELECT '{status}' AS status, count(*) AS count
        FROM copy
        WHERE account_id = :account_id AND issue_number = :number AND status = '{status}'
        """  # noqa: S608 - names of statuses
        for status in among
    )
    rows = await db.fetch_all(
        " UNION ALL ".join(parts), {"account_id": account_id, "number": number}
    )
    return {CopyStatus(row["status"]): row["count"] for row in rows}


async def count_by_country(
    db: Connection, account_id: int, number: int
) -> dict[str, dict[CopyStatus, int]]:
    """The number of copies of an issue by country and status; most copies first.

    Queries: one, read aside.
    """
    rows = await db.fetch_all(
        """
        SELECT country, status, count(*) AS count
        FROM copy
        WHERE account_id = :account_id AND issue_number = :number
        GROUP BY country, status
        """,
        {"account_id": account_id, "number": number},
    )
    return _counts_by(rows, "country")


async def count_by_medium(
    db: Connection, account_id: int, number: int
) -> dict[str, dict[CopyStatus, int]]:
    """The number of copies of an issue by medium and status; most copies first.

    Queries: one, read aside, about 5 µs for each copy: for issues with a few thousand copies.
    """
    rows = await db.fetch_all(
        """
        SELECT s.medium, c.status, count(*) AS count
        FROM copy c
        JOIN subscription s ON s.account_id = c.account_id AND s.id = c.subscription_id
        WHERE c.account_id = :account_id AND c.issue_number = :number
        GROUP BY s.medium, c.status
        """,
        {"account_id": account_id, "number": number},
    )
    return _counts_by(rows, "medium")


def _counts_by(rows: Sequence[Row], column: str) -> dict[str, dict[CopyStatus, int]]:
    counts: dict[str, dict[CopyStatus, int]] = {}
    for row in rows:
        by_status = counts.setdefault(row[column], dict.fromkeys(CopyStatus, 0))
        by_status[CopyStatus(row["status"])] = row["count"]
    return dict(sorted(counts.items(), key=lambda item: (-sum(item[1].values()), item[0])))


class CopyAddress(PostalFields, frozen=True, kw_only=True):
    """A copy and its address. id: of the copy."""

    id: int
    subscription_id: str
    medium: Medium


async def list_addresses(
    db: Connection, account_id: int, number: int, status: CopyStatus, *, after: int, limit: int
) -> list[CopyAddress]:
    """The addresses of an issue's printed copies with a status, by copy id.

    after: the last id of the page before. Queries: one.
    """
    return await fetch_all(
        db,
        f"""
        SELECT
            c.id,
            c.subscription_id,
            s.medium,
            {COLUMNS}
        FROM copy c
        JOIN subscription s ON s.account_id = c.account_id AND s.id = c.subscription_id
        {join_past_change("c.issue_number")}
        WHERE c.account_id = :account_id
          AND c.issue_number = :number
          AND c.status = :status
          AND c.id > :after
          AND s.medium <> 'Digital'
        ORDER BY c.id
        LIMIT :limit
        """,  # noqa: S608 - names of columns
        {
            "account_id": account_id,
            "number": number,
            "status": status,
            "after": after,
            "limit": limit,
        },
        into=CopyAddress,
    )


class OwedCopies(Struct, frozen=True):
    """The unsent copies of released issues. owed_date: the earliest release date of such an issue.

    It is None if those issues have no release date, or if nothing is owed.
    """

    copies: int
    owed_date: date | None


async def count_owed(db: Connection, account_id: int, *, today: date, current: int) -> OwedCopies:
    """The numbers of owed copies. current: as in `list_all_released` of issues.

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
