"""Renewal lists: subscriptions and memberships that end soon, and those that have ended.

`model.renewals.ending` defines "soon". Indexes: subscription_by_last, period_by_end.
"""

from datetime import date

from masthead.model.pagination import Page, PageRequest, cut_page
from masthead.model.renewals.ending import ISSUES_AHEAD, Ending, EndingRange, last_day_ahead
from masthead.store.engine.interface import Connection, Parameters
from masthead.store.engine.rows import fetch_all
from masthead.store.issues.records import find_current
from masthead.store.renewals.lapsed import (
    IS_LAST_PERIOD,
    NEEDS_RENEWAL,
    NO_NEWER_THAN_ISSUES,
    NO_NEWER_THAN_MEMBERSHIP,
)
from masthead.store.reports.forecasts import list_coming_issues
from masthead.store.subscriptions.bundles import FIRST_OF_GROUP

# The rows of a page are selected in index order before anything else is looked up
_SELECT = """
    SELECT
        s.id,
        s.status,
        s.first_name,
        s.last_name,
        s.company,
        s.subscriber_id,
        s.medium,
        s.country,
        s.last_issue,
        u.email,
        u.is_placeholder,
        (
            SELECT p.period_end
            FROM period p
            WHERE p.account_id = :account_id AND p.subscription_id = s.id
            ORDER BY p.id DESC
            LIMIT 1
        ) AS period_end
"""
_JOIN = """
    JOIN subscription s ON s.account_id = :account_id AND s.id = soonest.id
    JOIN subscriber u ON u.account_id = s.account_id AND u.id = s.subscriber_id
"""
_IS_LIVE = """(
              s.status = 'Active - Renewals stopped'
              OR (s.status = 'Active' AND s.is_recurring = false)
          )"""


def _by_last_issue(condition: str, *, is_backward: bool = False) -> str:
    comparison, direction = ("<", "DESC") if is_backward else (">", "ASC")
    return f"""
        SELECT s.id, s.last_issue AS sort_key
        FROM subscription s
        WHERE s.account_id = :account_id
          AND s.last_issue <= :last
          AND (s.last_issue, s.id) {comparison} (:number, :id)
          AND {condition}
          AND {FIRST_OF_GROUP}
        ORDER BY s.last_issue {direction}, s.id {direction}
        LIMIT :fetch
    """  # noqa: S608 - the constants of these modules


def _by_last_day(*, is_backward: bool) -> str:
    # CROSS JOIN keeps SQLite from reading all subscriptions while an index has no statistics
    comparison, direction = ("<", "DESC") if is_backward else (">", "ASC")
    return f"""
        SELECT s.id, p.period_end AS sort_key
        FROM period p
        CROSS JOIN subscription s
        WHERE p.account_id = :account_id
          AND s.account_id = p.account_id
          AND s.id = p.subscription_id
          AND p.period_end <= :last
          AND p.period_end >= :today
          AND (p.period_end, s.id) {comparison} (:day, :id)
          AND {NEEDS_RENEWAL}
          AND {IS_LAST_PERIOD}
          AND {NO_NEWER_THAN_MEMBERSHIP}
          AND {FIRST_OF_GROUP}
        ORDER BY p.period_end {direction}, s.id {direction}
        LIMIT :fetch
    """  # noqa: S608 - as above


def _with_details(soonest: str, *, is_backward: bool = False) -> str:
    direction = "DESC" if is_backward else "ASC"
    return f"""
    {_SELECT}
    FROM ({soonest}) AS soonest
    {_JOIN}
    ORDER BY soonest.sort_key {direction}, s.id {direction}
    """


_SUBSCRIPTIONS = _by_last_issue(f"{NEEDS_RENEWAL} AND {NO_NEWER_THAN_ISSUES}")
# By whether they are read backwards
_ENDED = {each: _by_last_issue(_IS_LIVE, is_backward=each) for each in (False, True)}
_MEMBERSHIPS = {each: _by_last_day(is_backward=each) for each in (False, True)}


async def find_soon(db: Connection, account_id: int, today: date) -> EndingRange | None:
    """The last issues of subscriptions that end soon, None without issues. Queries: one to six."""
    current = await find_current(db, account_id, today)
    if current is not None:
        return EndingRange(current.number, current.number + ISSUES_AHEAD)
    coming = await list_coming_issues(db, account_id, today)
    return EndingRange(coming[0][0], coming[0][0] + ISSUES_AHEAD) if coming else None


async def list_ending(
    db: Connection, account_id: int, page: PageRequest, soon: EndingRange
) -> Page[Ending]:
    """Subscriptions that end soon, soonest first. Queries: one, read aside."""
    return await _list(db, _with_details(_SUBSCRIPTIONS), account_id, page, _after(page, soon))


async def list_ended(
    db: Connection, account_id: int, page: PageRequest, soon: EndingRange
) -> Page[Ending]:
    """Subscriptions that have ended but are not Complete, also backwards. Queries: one."""
    sql = _with_details(_ENDED[page.is_backward], is_backward=page.is_backward)
    return await _list(db, sql, account_id, page, _after(page, soon.ended))


def _after(page: PageRequest, wanted: EndingRange) -> dict[str, object]:
    number, _, id = (page.after or f"{wanted.first} ").partition(" ")
    return {"last": wanted.last, "number": int(number), "id": id}


async def count_ended(db: Connection, account_id: int, soon: EndingRange) -> int:
    """Count subscriptions that have ended but are not Complete. Queries: one, read aside."""
    row = await db.fetch_one(
        f"""
        SELECT count(*) AS count
        FROM subscription s
        WHERE s.account_id = :account_id
          AND s.last_issue < :first
          AND {_IS_LIVE}
          AND {FIRST_OF_GROUP}
        """,  # noqa: S608 - as above
        {"account_id": account_id, "first": soon.first},
    )
    assert row is not None
    return int(row["count"])


async def list_ending_memberships(
    db: Connection, account_id: int, page: PageRequest, *, today: date
) -> Page[Ending]:
    """Memberships that end soon, soonest first, also backwards. Queries: one, read aside."""
    sql = _with_details(_MEMBERSHIPS[page.is_backward], is_backward=page.is_backward)
    return await _list(db, sql, account_id, page, _after_day(page, today))


async def count_ending_memberships(
    db: Connection, account_id: int, *, today: date, most: int
) -> int:
    """Count memberships that end soon, at most `most`. Queries: one, read aside."""
    row = await db.fetch_one(
        f"SELECT count(*) AS count FROM ({_MEMBERSHIPS[False]}) AS soonest",  # noqa: S608 - as above
        {**_after_day(None, today), **_scope(account_id, most)},
    )
    assert row is not None
    return int(row["count"])


def _after_day(page: PageRequest | None, today: date) -> dict[str, object]:
    day, _, id = ((page and page.after) or f"{date.min} ").partition(" ")
    return {
        "today": today,
        "last": last_day_ahead(today),
        "day": date.fromisoformat(day),
        "id": id,
    }


def _scope(account_id: int, fetch: int) -> dict[str, object]:
    return {"account_id": account_id, "fetch": fetch, "has_recurring": False}


async def _list(
    db: Connection,
    sql: str,
    account_id: int,
    page: PageRequest,
    parameters: Parameters,
    *,
    key: str = "key",
) -> Page[Ending]:
    found = await fetch_all(db, sql, {**parameters, **_scope(account_id, page.fetch)}, into=Ending)
    return cut_page(found, page, key=key)
