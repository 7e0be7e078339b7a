"""Renewal rates: counted in the background, stored, and the lists behind its figures."""

from collections.abc import Sequence
from datetime import datetime
from functools import cache

from masthead.model.pagination import Page, PageRequest, cut_page
from masthead.model.renewals.lapsed import Candidate
from masthead.model.renewals.rates import EndedQuery, RenewalRate, Renewed
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.engine.rows import fetch_all
from masthead.store.renewals.lapsed import (
    ENDED_PERIODS,
    JOIN_CANDIDATES,
    LATER_ORDERS,
    NEWER_ORDERS,
    SELECT_CANDIDATES,
)

# The periods that ended, with the day on which they were renewed: by the next period, or else by a
# newer subscription of the subscriber, as in `lapsed`
_ENDED = f"""
    SELECT
        s.id,
        s.medium,
        coalesce(p.source_id, s.source_id) AS source_id,
        p.last_issue,
        (s.status IN ('Active') AND s.is_recurring = true) AS is_automatic,
        coalesce(
            (
                SELECT q.order_date
                {LATER_ORDERS}
                ORDER BY q.id
                LIMIT 1
            ),
            (
                SELECT min(q.order_date)
                {NEWER_ORDERS}
            )
        ) AS renewed_date
    {ENDED_PERIODS}
"""
# The days on which the next three issues came out; an issue without a day is not out
_NEXT_ISSUES = """
    LEFT JOIN issue i1
        ON i1.account_id = :account_id AND i1.number = ended.last_issue + 1
    LEFT JOIN issue i2
        ON i2.account_id = :account_id AND i2.number = ended.last_issue + 2
    LEFT JOIN issue i3
        ON i3.account_id = :account_id AND i3.number = ended.last_issue + 3
"""


def _is_within(issues: int) -> str:
    """Whether a period was renewed before the last of some issues came out."""
    day = f"coalesce(i{issues}.release_date_actual, i{issues}.date_as_start_issue)"
    return f"ended.renewed_date IS NOT NULL AND ({day} IS NULL OR ended.renewed_date < {day})"


# Without a renewal, the period is the last one of its subscription
_WILL_RENEW = "ended.renewed_date IS NULL AND ended.is_automatic"
# MATERIALIZED: SQLite would look up the day again for each condition
_COUNT = f"""
    WITH ended AS MATERIALIZED ({_ENDED})
    SELECT
        ended.last_issue AS issue_number,
        ended.medium,
        ended.source_id,
        count(*) AS ended,
        count(*) FILTER (WHERE {_is_within(1)}) AS within_1,
        count(*) FILTER (
            WHERE ({_is_within(1)}) OR ({_is_within(2)})
        ) AS within_2,
        count(*) FILTER (
            WHERE ({_is_within(1)}) OR ({_is_within(2)}) OR ({_is_within(3)})
        ) AS within_3,
        count(*) FILTER (WHERE {_WILL_RENEW}) AS automatic
    FROM ended
    {_NEXT_ISSUES}
    GROUP BY ended.last_issue, ended.medium, ended.source_id
"""  # noqa: S608 - the constants above
_WITHIN = {
    Renewed.NEXT: f"({_is_within(1)})",
    Renewed.TWO: f"(({_is_within(1)}) OR ({_is_within(2)}))",
    Renewed.THREE: f"(({_is_within(1)}) OR ({_is_within(2)}) OR ({_is_within(3)}))",
}
_CONDITIONS: dict[str, str] = {
    **{renewed.value: condition for renewed, condition in _WITHIN.items()},
    Renewed.NOT: f"NOT {_WITHIN[Renewed.THREE]}",
    Renewed.AUTOMATIC: f"({_WILL_RENEW})",
    Renewed.OPEN: f"NOT {_WITHIN[Renewed.THREE]} AND NOT ({_WILL_RENEW})",
    "medium": "ended.medium = :medium",
    "source": "ended.source_id = :source",
}


async def count_rates(
    db: Connection, account_id: int, *, first: int, last: int
) -> list[RenewalRate]:
    """The figures of some issues. Queries: one, read aside, for a second. Index: period_by_last."""
    return await fetch_all(
        db, _COUNT, {"account_id": account_id, "first": first, "last": last}, into=RenewalRate
    )


async def replace_rates(tx: Transaction, account_id: int, rows: Sequence[RenewalRate]) -> None:
    """Store the figures. Queries: two."""
    await tx.execute(
        "DELETE FROM retention WHERE account_id = :account_id", {"account_id": account_id}
    )
    if rows:
        columns = RenewalRate.__struct_fields__
        await tx.insert_rows(
            "retention",
            [
                {"account_id": account_id, **{name: getattr(row, name) for name in columns}}
                for row in rows
            ],
        )


async def list_rates(db: Connection, account_id: int) -> list[RenewalRate]:
    """The stored figures. Queries: one."""
    return await fetch_all(
        db,
        """
        SELECT
            issue_number,
            medium,
            source_id,
            ended,
            within_1,
            within_2,
            within_3,
            coalesce(automatic, 0) AS automatic
        FROM retention
        WHERE account_id = :account_id
        """,
        {"account_id": account_id},
        into=RenewalRate,
    )


async def find_counted_at(db: Connection, account_id: int) -> datetime | None:
    """The time of the last count, with the trend; None before the first."""
    row = await db.fetch_one(
        "SELECT trend_at FROM account_state WHERE account_id = :account_id",
        {"account_id": account_id},
    )
    return row["trend_at"] if row else None


@cache
def _list_sql(conditions: Sequence[str], *, is_ascending: bool) -> str:
    comparison, direction = (">", "ASC") if is_ascending else ("<", "DESC")
    matches = "".join(f" AND {_CONDITIONS[name]}" for name in conditions)
    return f"""
        WITH ended AS MATERIALIZED ({_ENDED})
        {SELECT_CANDIDATES}
        FROM (
            SELECT ended.id
            FROM ended
            {_NEXT_ISSUES}
            WHERE ended.id {comparison} :after {matches}
            ORDER BY ended.id {direction}
            LIMIT :fetch
        ) AS listed
        {JOIN_CANDIDATES}
        ORDER BY s.id {direction}
    """  # noqa: S608 - the constants of this module


async def list_ended(
    db: Connection, account_id: int, query: EndedQuery, page: PageRequest
) -> Page[Candidate]:
    """The subscriptions of a figure as they are now, in the order of the page. Queries: one."""
    filters = {"medium": query.medium, "source": query.source}
    used = {name: value for name, value in filters.items() if value is not None}
    conditions = (*([query.renewed] if query.renewed else []), *used)
    found = await fetch_all(
        db,
        _list_sql(conditions, is_ascending=page.is_ascending),
        {
            **used,
            "account_id": account_id,
            "first": query.issue,
            "last": query.issue,
            "after": page.after_id,
            "fetch": page.fetch,
        },
        into=Candidate,
    )
    return cut_page(found, page, key="subscription_id")
