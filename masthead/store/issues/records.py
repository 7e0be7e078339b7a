"""Issues of a magazine, listed by number."""

from collections.abc import Collection, Mapping
from datetime import date, datetime

from msgspec import Struct, structs

from masthead.model.addresses.days import Release
from masthead.model.clock import now
from masthead.model.ids import new_id
from masthead.model.inputs import IssueCreate
from masthead.model.orders.period_coverage import DatedIssue
from masthead.model.pagination import Page, PageRequest, cut_page
from masthead.model.queries import IssueQuery
from masthead.model.resources import Issue
from masthead.model.types.issue_names import default_name
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.engine.rows import fetch_all, fetch_one, get_one, insert_row, to_struct
from masthead.store.pagination import PaginatedList, fetch_page
from masthead.store.update_statement import update_columns

ISSUES = PaginatedList(
    table="issue",
    alias="i",
    key="number",
    conditions={"updated_since": "coalesce(i.changed_at, i.created_at) >= :updated_since"},
    selective=("updated_since",),  # by number: an account has few issues
)

SELECT_ISSUE = """
    SELECT
        id,
        number,
        name,
        release_date_actual,
        release_date_fuzzy,
        date_as_start_issue,
        recurring_charge_date,
        newsstand_ean
"""
_ISSUE = SELECT_ISSUE + " FROM issue WHERE account_id = :account_id "

# Whether the issue `i` is released: without a date, if it is the current one or an earlier one
IS_RELEASED = """(
              i.release_date_actual <= :day
              OR (i.release_date_actual IS NULL AND i.number <= :current)
          )"""


_LATEST_START = """
    AND date_as_start_issue <= :today
    ORDER BY date_as_start_issue DESC, number DESC
    LIMIT 1
"""
_LATEST_RELEASE = """
    AND release_date_actual <= :today
    ORDER BY release_date_actual DESC, number DESC
    LIMIT 1
"""


async def list_issues(
    db: Connection, account_id: int, page: PageRequest, query: IssueQuery | None = None
) -> Page[Issue]:
    """Issues of an account, in the order of the page. query: its filters.

    Queries: one. Index: issue_number.
    """
    rows = await fetch_page(
        db,
        account_id,
        ISSUES,
        SELECT_ISSUE,
        query,
        after=page.after_number,
        fetch=page.fetch,
        is_ascending=page.is_ascending,
    )
    return cut_page([to_struct(row, Issue) for row in rows], page, key="number")


async def get_issue(db: Connection, account_id: int, id: str) -> Issue:
    """An issue by id. Raises: NotFound."""
    return await get_one(db, account_id, id, _ISSUE + "AND id = :id", into=Issue, noun="issue")


async def list_by_ids(db: Connection, account_id: int, ids: Collection[str]) -> list[Issue]:
    """The issues with these ids, in any order. Queries: one."""
    values = {"account_id": account_id, "ids": list(ids)}
    return await fetch_all(db, _ISSUE + "AND id IN (:ids...)", values, into=Issue)


async def find_current(db: Connection, account_id: int, today: date) -> Issue | None:
    """The issue that new subscriptions start with.

    It is the latest by `date_as_start_issue`, up to today. If no issue has such a date, it is the
    latest one released; None if no issue is released. Queries: one or two.
    """
    for order in (_LATEST_START, _LATEST_RELEASE):
        values = {"account_id": account_id, "today": today}
        if issue := await fetch_one(db, _ISSUE + order, values, into=Issue):
            return issue
    return None


async def get_newest_number(db: Connection, account_id: int) -> int:
    """The number of the newest issue; 0 without issues. Queries: one."""
    row = await db.fetch_one(
        "SELECT coalesce(max(number), 0) AS number FROM issue WHERE account_id = :account_id",
        {"account_id": account_id},
    )
    assert row is not None
    return int(row["number"])


async def find_released_later(
    db: Connection, account_id: int, number: int, day: date
) -> Issue | None:
    """The first issue with a lower number that is released after a day. Queries: one."""
    return await fetch_one(
        db,
        _ISSUE + "AND number < :number AND release_date_actual > :day ORDER BY number LIMIT 1",
        {"account_id": account_id, "number": number, "day": day},
        into=Issue,
    )


async def find_release_dates(
    db: Connection, account_id: int, numbers: Collection[int]
) -> dict[int, date | None]:
    """The release dates of the issues with these numbers, by number. Queries: one."""
    rows = await db.fetch_all(
        """
        SELECT number, release_date_actual
        FROM issue
        WHERE account_id = :account_id AND number IN (:numbers... AS bigint)
        """,
        {"account_id": account_id, "numbers": list(numbers)},
    )
    return {row["number"]: row["release_date_actual"] for row in rows}


async def list_releases(db: Connection, account_id: int) -> list[Release]:
    """The newest 100 issues with a release date, by number. Queries: one."""
    found = await fetch_all(
        db,
        """
        SELECT number, release_date_actual AS day
        FROM issue
        WHERE account_id = :account_id AND release_date_actual IS NOT NULL
        ORDER BY number DESC
        LIMIT 100
        """,
        {"account_id": account_id},
        into=Release,
    )
    return found[::-1]


async def find_issues(db: Connection, account_id: int, first: int, last: int) -> list[DatedIssue]:
    """The issues from one number to another, both included. Queries: one."""
    rows = await db.fetch_all(
        """
        SELECT id, number, release_date_actual
        FROM issue
        WHERE account_id = :account_id AND number BETWEEN :first AND :last
        """,
        {"account_id": account_id, "first": first, "last": last},
    )
    return [DatedIssue(row["id"], row["number"], row["release_date_actual"]) for row in rows]


async def find_issue_id(db: Connection, account_id: int, number: int) -> str | None:
    """The id of the issue with that number, or None."""
    row = await db.fetch_one(
        "SELECT id FROM issue WHERE account_id = :account_id AND number = :number",
        {"account_id": account_id, "number": number},
    )
    return str(row["id"]) if row else None


async def find_by_number(db: Connection, account_id: int, number: int) -> Issue | None:
    """The issue with that number, or None. Queries: one."""
    return await fetch_one(
        db,
        _ISSUE + "AND number = :number",
        {"account_id": account_id, "number": number},
        into=Issue,
    )


async def insert_issue(
    tx: Transaction, account_id: int, body: IssueCreate, *, moment: datetime | None = None
) -> Issue:
    """Add an issue; its number must be unused. moment: None in a rehearsal, which is undone."""
    issue = Issue(
        id=new_id(account_id),
        number=body.number,
        name=body.name or default_name(body.number),
        release_date_actual=body.release_date_actual,
        release_date_fuzzy=body.release_date_fuzzy,
        date_as_start_issue=body.date_as_start_issue,
        recurring_charge_date=body.recurring_charge_date,
        newsstand_ean=body.newsstand_ean,
    )
    columns = {**structs.asdict(issue), "created_at": now(), "changed_at": moment}
    await insert_row(tx, "issue", account_id=account_id, **columns)
    return issue


async def update_issue(
    tx: Transaction, account_id: int, id: str, columns: Mapping[str, object]
) -> None:
    """Set columns of an issue, and the moment of the change."""
    if not columns:
        return
    await tx.execute(
        update_columns("issue", columns, has_moment=True),
        {**columns, "account_id": account_id, "id": id},
    )


class ReleasedIssue(Struct, frozen=True):
    """A released issue, named as other records name theirs."""

    issue_id: str
    issue_number: int
    issue_name: str


async def list_all_released(
    db: Connection, account_id: int, *, today: date, current: int
) -> list[ReleasedIssue]:
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
        into=ReleasedIssue,
    )
