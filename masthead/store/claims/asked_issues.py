"""The issues that somebody asks about: why a subscriber got them or did not."""

from collections.abc import Collection
from datetime import date, datetime

from msgspec import Struct

from masthead.store.engine.interface import Connection
from masthead.store.engine.rows import fetch_all, fetch_one


class AskedIssue(Struct, frozen=True, kw_only=True):
    """The issue of a question, and what is needed of the account. id: None if there is no issue.

    home: ISO code of the publisher's country.
    """

    home: str | None
    daily_date: date
    id: str | None
    number: int | None
    name: str | None
    release_date_actual: date | None
    created_at: datetime | None


_ASKED_ISSUE = """
    SELECT
        a.country AS home,
        t.daily_date,
        i.id,
        i.number,
        i.name,
        i.release_date_actual,
        i.created_at
    FROM account a
    JOIN account_state t ON t.account_id = a.id
"""


async def find_issue(
    db: Connection, account_id: int, *, id: str | None = None, number: int | None = None
) -> AskedIssue:
    """The issue with this id or number, and what is needed of the account. Queries: one."""
    found = await fetch_one(
        db,
        f"""
        {_ASKED_ISSUE}
        LEFT JOIN issue i
            ON i.account_id = :account_id
            AND (i.id = :id OR i.number = :number)
        WHERE a.id = :account_id
        """,
        {"account_id": account_id, "id": id or "", "number": number or 0},
        into=AskedIssue,
    )
    assert found is not None
    return found


async def list_issues(
    db: Connection, account_id: int, numbers: Collection[int]
) -> list[AskedIssue]:
    """The issues with these numbers, as `find_issue` finds them. Queries: one at most."""
    if not numbers:
        return []
    return await fetch_all(
        db,
        f"""
        {_ASKED_ISSUE}
        JOIN issue i
            ON i.account_id = :account_id
            AND i.number IN (:numbers... AS bigint)
        WHERE a.id = :account_id
        """,
        {"account_id": account_id, "numbers": sorted(numbers)},
        into=AskedIssue,
    )
