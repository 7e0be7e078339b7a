"""The orders of an account as they stand at the end of a day."""

from datetime import date

from masthead.model.clock import end_of
from masthead.model.revenue.recognition import OrderState
from masthead.store.engine.interface import Connection, Row
from masthead.store.engine.rows import to_struct

# A copy that was sent without a date counts from the release date of its issue, or always. Its
# status is not compared by "= 'Sent'": SQLite would read all copies with that status
_STATES = """
    SELECT
        p.id AS period_id,
        p.subscription_id,
        p.order_id,
        p.order_date,
        p.created_at,
        p.currency,
        p.price,
        p.first_issue,
        p.last_issue,
        p.period_start,
        p.period_end,
        (
            SELECT group_concat(CAST(k.issue_number AS text), ' ')
            FROM skipped_issue k
            WHERE k.account_id = :account_id
              AND k.subscription_id = p.subscription_id
              AND k.issue_number BETWEEN p.first_issue AND p.last_issue
        ) AS skipped,
        (
            SELECT count(*)
            FROM skipped_issue k
            WHERE k.account_id = :account_id
              AND k.subscription_id = p.subscription_id
              AND k.issue_number BETWEEN p.first_issue AND p.last_issue
              AND k.instead = 'added'
        ) AS added,
        (
            SELECT CAST(
                coalesce(sum(CASE WHEN r.refund_date <= :day THEN r.amount ELSE 0 END), 0) AS bigint
            )
            FROM refund r
            WHERE r.account_id = :account_id AND r.period_id = p.id
        ) AS refunds,
        (
            SELECT min(x.cancelled_date)
            FROM cancellation x
            WHERE x.account_id = :account_id
              AND x.subscription_id = p.subscription_id
              AND x.cancelled_date <= :day
              AND (x.reopened_date IS NULL OR x.reopened_date > :day)
        ) AS cancelled_date,
        (
            SELECT group_concat(CAST(c.issue_number AS text), ' ')
            FROM copy c
            LEFT JOIN issue i
                ON c.date_sent IS NULL AND i.account_id = c.account_id AND i.id = c.issue_id
            WHERE c.account_id = :account_id
              AND c.subscription_id = p.subscription_id
              AND c.issue_number BETWEEN p.first_issue AND p.last_issue
              AND c.status NOT IN ('Not sent', 'Cancelled')
              AND coalesce(c.date_sent, i.release_date_actual, :day) <= :day
        ) AS sent
    FROM period p
    WHERE p.account_id = :account_id
      AND p.id > :after
      AND coalesce(p.order_date <= :day, p.created_at < :end)
    ORDER BY p.id
    LIMIT :limit
"""


async def list_order_states(
    db: Connection, account_id: int, day: date, *, after: int, limit: int
) -> list[OrderState]:
    """The orders that count on a day, by period id. Queries: one. Indexes: keys, copy_once.

    after: the last period id of the page before. About 15 µs for each copy.
    """
    rows = await db.fetch_all(
        _STATES,
        {
            "account_id": account_id,
            "day": day,
            "end": end_of(day),
            "after": after,
            "limit": limit,
        },
    )
    return [_state_from_row(row) for row in rows]


def _state_from_row(row: Row) -> OrderState:
    return to_struct(
        {
            **row,
            "order_date": row["order_date"] or row["created_at"].date(),
            "refunds": min(row["refunds"], row["price"]),
            "skipped": frozenset(map(int, (row["skipped"] or "").split())),
            "sent": frozenset(map(int, (row["sent"] or "").split())),
        },
        OrderState,
    )


async def list_issue_names(db: Connection, account_id: int) -> dict[int, str]:
    """The names of all issues, by number, lowest first. Queries: one."""
    rows = await db.fetch_all(
        "SELECT number, name FROM issue WHERE account_id = :account_id ORDER BY number",
        {"account_id": account_id},
    )
    return {row["number"]: row["name"] for row in rows}


async def count_orders_up_to(db: Connection, account_id: int, limit: int) -> int:
    """The number of orders of an account, at most `limit`. Queries: one."""
    row = await db.fetch_one(
        """
        SELECT count(*) AS count
        FROM (SELECT 1 AS one FROM period WHERE account_id = :account_id LIMIT :limit) AS first
        """,
        {"account_id": account_id, "limit": limit},
    )
    assert row is not None
    return int(row["count"])
