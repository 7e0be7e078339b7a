"""Periods: the orders of a subscription, and the issues or days that each covers."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from datetime import date
from operator import itemgetter
from typing import TypeVar

from msgspec import Struct

from masthead.model.subscriptions.skips import PeriodRange
from masthead.model.subscriptions.stored import StoredPeriod
from masthead.model.types.enums import SubscriptionStatus, SubscriptionType
from masthead.store.engine.interface import Connection, Ids, Parameters, Row, Transaction
from masthead.store.engine.rows import fetch_all
from masthead.store.subscriptions.skips import SKIPPED_OF_PERIOD


class PeriodCompletion(Struct, frozen=True, kw_only=True):
    """What decides whether a period and its subscription are complete.

    missing_issues: how many issues of the period do not exist yet; None for memberships.
    """

    id: int
    subscription_id: str
    is_complete: bool
    period_end: date | None
    type: SubscriptionType
    status: SubscriptionStatus
    is_recurring: bool
    missing_issues: int | None
    unsent_copies: int


# Whether the period `p` is the last order of its subscription: each later one has a higher id
IS_LAST_ORDER = """NOT EXISTS (
              SELECT 1
              FROM period l
              WHERE l.account_id = :account_id
                AND l.subscription_id = p.subscription_id
                AND l.id > p.id
          )"""
# FILTER makes the database read the few copies of the subscription, not all that are Not sent
_COMPLETION = """
    SELECT
        p.id,
        p.subscription_id,
        p.is_complete,
        p.period_end,
        s.type,
        s.status,
        s.is_recurring,
        p.length - (
            SELECT count(*)
            FROM issue i
            WHERE i.account_id = :account_id AND i.number BETWEEN p.first_issue AND p.last_issue
        ) AS missing_issues,
        (
            SELECT count(*) FILTER (WHERE c.status = 'Not sent')
            FROM copy c
            WHERE c.account_id = :account_id
              AND c.subscription_id = p.subscription_id
              AND c.period_id = p.id
        ) AS unsent_copies
    FROM period p
    JOIN subscription s ON s.account_id = p.account_id AND s.id = p.subscription_id
    WHERE p.account_id = :account_id AND p.subscription_id IN (:ids...)
    ORDER BY p.subscription_id, p.id
"""


P = TypeVar("P", StoredPeriod, PeriodCompletion)


async def list_periods(
    db: Connection, account_id: int, subscription_ids: Collection[str]
) -> dict[str, list[StoredPeriod]]:
    """The periods of subscriptions, oldest first, by subscription. Queries: one."""
    rows = await fetch_all(
        db,
        # in the order of the index; by id alone, all periods of the account would be read
        f"""
        SELECT
            p.id,
            p.subscription_id,
            p.order_id,
            p.transaction_id,
            p.order_date,
            p.is_complete,
            p.first_issue,
            p.last_issue,
            p.length,
            p.interval_months,
            p.period_start,
            p.period_end,
            p.price,
            p.discount_amount,
            p.refunded,
            p.currency,
            p.promo_code,
            p.source_id,
            o.name AS source_name,
            {SKIPPED_OF_PERIOD}
        FROM period p
        LEFT JOIN source o ON o.account_id = p.account_id AND o.id = p.source_id
        WHERE p.account_id = :account_id AND p.subscription_id IN (:ids...)
        ORDER BY p.subscription_id, p.id
        """,  # noqa: S608 - a constant
        {"account_id": account_id, "ids": list(subscription_ids)},
        into=StoredPeriod,
    )
    return _grouped(rows)


async def list_issue_numbers(
    db: Connection, account_id: int, subscription_ids: Collection[str]
) -> dict[int, list[int]]:
    """The numbers of the issues that memberships have copies of, by period. Queries: one."""
    rows = await db.fetch_all(
        """
        SELECT period_id, issue_number
        FROM copy
        WHERE account_id = :account_id AND subscription_id IN (:ids...)
        """,
        {"account_id": account_id, "ids": list(subscription_ids)},
    )
    numbers: defaultdict[int, list[int]] = defaultdict(list)
    # not sorted in SQL: SQLite would read all copies of the account by their numbers
    for row in sorted(rows, key=itemgetter("issue_number")):
        numbers[row["period_id"]].append(row["issue_number"])
    return numbers


async def list_completion(
    db: Connection, account_id: int, subscription_ids: Collection[str]
) -> dict[str, list[PeriodCompletion]]:
    """What decides whether periods and their subscriptions are complete, by subscription.

    Queries: one, with two counts for each period.
    """
    rows = await fetch_all(
        db,
        _COMPLETION,
        {"account_id": account_id, "ids": list(subscription_ids)},
        into=PeriodCompletion,
    )
    return _grouped(rows)


def _grouped(rows: Collection[P]) -> dict[str, list[P]]:
    groups: defaultdict[str, list[P]] = defaultdict(list)
    for row in rows:
        groups[row.subscription_id].append(row)
    return groups


async def find_orders(
    db: Connection, account_id: int, order_ids: Collection[str]
) -> dict[str, str]:
    """The subscriptions of the order ids that exist, by order id. Queries: one."""
    rows = await db.fetch_all(
        """
        SELECT order_id, subscription_id
        FROM period
        WHERE account_id = :account_id AND order_id IN (:order_ids...)
        """,
        {"account_id": account_id, "order_ids": list(order_ids)},
    )
    return {row["order_id"]: row["subscription_id"] for row in rows}


async def insert_periods(tx: Transaction, account_id: int, rows: Sequence[Row]) -> None:
    """Add periods. rows: by column name. Queries: one, for any number of rows."""
    await tx.insert_rows("period", [{**row, "account_id": account_id} for row in rows])


async def find_ended_memberships(db: Connection, account_id: int, day: date) -> Ids:
    """The memberships with a period that has ended by `day` and is not marked complete."""
    return await _find_ids(
        db,
        """
        SELECT count(*) AS count, json_group_array(DISTINCT subscription_id) AS ids
        FROM period
        WHERE account_id = :account_id AND period_end < :day AND NOT is_complete
        """,
        {"account_id": account_id, "day": day},
    )


async def find_open_memberships(db: Connection, account_id: int, day: date) -> Ids:
    """The memberships with a period that has not ended by `day` but is marked complete."""
    return await _find_ids(
        db,
        """
        SELECT count(*) AS count, json_group_array(DISTINCT subscription_id) AS ids
        FROM period
        WHERE account_id = :account_id AND period_end >= :day AND is_complete
        """,
        {"account_id": account_id, "day": day},
    )


async def find_cancelled_covering(db: Connection, account_id: int, number: int) -> Ids:
    """The cancelled subscriptions with a period that covers this issue number."""
    return await _find_ids(
        db,
        """
        SELECT count(*) AS count, json_group_array(p.subscription_id) AS ids
        FROM period p
        JOIN subscription s ON s.account_id = p.account_id AND s.id = p.subscription_id
        WHERE p.account_id = :account_id
          AND s.status = 'Cancelled'
          AND :number BETWEEN p.first_issue AND p.last_issue
        """,
        {"account_id": account_id, "number": number},
    )


async def _find_ids(db: Connection, sql: str, parameters: Parameters) -> Ids:
    """The `ids` of a query as one JSON text; an empty list if its `count` is 0."""
    row = await db.fetch_one(sql, parameters)
    return str(row["ids"]) if row and row["count"] else []


async def count_currencies(db: Connection, account_id: int) -> dict[str, int]:
    """The number of orders in each currency. Index: period_by_currency."""
    rows = await db.fetch_all(
        """
        SELECT currency, count(*) AS orders
        FROM period
        WHERE account_id = :account_id
        GROUP BY currency
        ORDER BY currency
        """,
        {"account_id": account_id},
    )
    return {row["currency"]: row["orders"] for row in rows}


async def shift_periods(tx: Transaction, account_id: int, id: str, by: int) -> None:
    """Let all periods of a subscription start and end later, or earlier. Queries: one.

    by: how many issues later; negative for earlier.
    """
    await tx.execute(
        """
        UPDATE period
        SET first_issue = first_issue + :by, last_issue = last_issue + :by
        WHERE account_id = :account_id AND subscription_id = :subscription
        """,
        {"account_id": account_id, "subscription": id, "by": by},
    )


async def update_ranges(tx: Transaction, account_id: int, ranges: Sequence[PeriodRange]) -> None:
    """Set the issues of periods. Queries: one for each period."""
    await tx.execute_many(
        """
        UPDATE period
        SET first_issue = :first_issue, last_issue = :last_issue, length = :length
        WHERE account_id = :account_id AND id = :period
        """,
        [
            {
                "account_id": account_id,
                "period": each.id,
                "first_issue": each.first,
                "last_issue": each.last,
                "length": each.length,
            }
            for each in ranges
        ],
    )


async def update_length(tx: Transaction, account_id: int, period_id: int, length: int) -> None:
    """Set how many issues a period has; it starts as before. Queries: one."""
    await tx.execute(
        """
        UPDATE period
        SET length = :length, last_issue = first_issue + :length - 1
        WHERE account_id = :account_id AND id = :period
        """,
        {"account_id": account_id, "period": period_id, "length": length},
    )
