"""Accounts on which a new day changes nothing: found and moved to the day together.

The statements ask all accounts at once, on purpose, so that a day of many accounts without work
takes few statements. Each account has the number of its `writes` when it was found: a write since
then may have given it work.
"""

from collections.abc import Collection, Mapping
from datetime import date

from masthead.model.clock import now
from masthead.store.engine.interface import Connection, Transaction

Writes = dict[int, int]  # of each account, by its id

_DAYS = ("release_date_actual", "date_as_start_issue")  # on which a trend may change
# The pairs are texts, because a list parameter has one value for each element
_IS_UNCHANGED = """
        account_id IN (:ids... AS bigint)
          AND CAST(account_id AS text) || ' ' || CAST(writes AS text) IN (:pairs...)
"""


async def list_without_pass(db: Connection, day: date, zones: Collection[str]) -> Writes:
    """The accounts before a day whose daily pass would only change their date.

    zones: their time zones. They are no sandboxes, and have no membership with a period that has
    ended and is not marked complete, and no planned change of an address, and renew nothing by
    direct debit.
    Queries: one; it looks at the ended periods of all accounts.
    """
    rows = await db.fetch_all(
        """
        SELECT s.account_id, s.writes
        FROM account_state s
        JOIN account a ON a.id = s.account_id
        WHERE s.daily_date < :day
          AND a.time_zone IN (:zones...)
          AND NOT a.is_sandbox
          AND NOT EXISTS (
              SELECT 1
              FROM period p
              WHERE p.account_id = s.account_id AND p.period_end < :day AND NOT p.is_complete
          )
          AND NOT EXISTS (
              SELECT 1
              FROM address_change c
              WHERE c.account_id = s.account_id AND c.status = 'planned'
          )
          AND NOT EXISTS (
              SELECT 1
              FROM debit_settings d
              WHERE d.account_id = s.account_id
          )
        """,
        {"day": day, "zones": list(zones)},
    )
    return {row["account_id"]: row["writes"] for row in rows}


async def update_daily_dates(tx: Transaction, seen: Mapping[int, int], day: date) -> int:
    """Store the date of the daily pass of accounts without writes since they were found.

    Returns how many they are. Queries: one.
    """
    return await tx.execute(
        f"UPDATE account_state SET daily_date = :day WHERE {_IS_UNCHANGED} AND daily_date < :day",  # noqa: S608 - a constant
        {"day": day, **_parameters(seen)},
    )


async def list_with_right_trend(db: Connection, day: date) -> Writes:
    """The accounts whose trend is of an earlier day of the month, and right on a day, too.

    Nothing was written since then, and no issue was released or became the current one. An issue
    of the very day of the trend counts as later. Queries: one.
    """
    rows = await db.fetch_all(
        """
        SELECT
            s.account_id,
            s.writes,
            s.trend_date,
            max(CASE WHEN i.release_date_actual <= :day THEN i.release_date_actual END)
                AS release_date_actual,
            max(CASE WHEN i.date_as_start_issue <= :day THEN i.date_as_start_issue END)
                AS date_as_start_issue
        FROM account_state s
        LEFT JOIN issue i ON i.account_id = s.account_id
        WHERE s.trend_date >= :month AND s.trend_date < :day AND s.trend_writes = s.writes
        GROUP BY s.account_id, s.writes, s.trend_date
        """,
        {"day": day, "month": day.replace(day=1)},
    )
    return {
        row["account_id"]: row["writes"]
        for row in rows
        if max(row[name] or date.min for name in _DAYS) < row["trend_date"]
    }


async def update_trend_days(tx: Transaction, seen: Mapping[int, int], day: date) -> int:
    """Store that a trend is right on a day, for accounts without writes since they were found.

    Returns how many they are. Queries: one.
    """
    return await tx.execute(
        f"UPDATE account_state SET trend_date = :day, trend_at = :now WHERE {_IS_UNCHANGED}",  # noqa: S608 - a constant
        {"day": day, "now": now(), **_parameters(seen)},
    )


def _parameters(seen: Mapping[int, int]) -> dict[str, object]:
    return {
        "ids": list(seen),
        "pairs": [f"{account_id} {writes}" for account_id, writes in seen.items()],
    }
