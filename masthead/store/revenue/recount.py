"""The figures of a day, added up by the database: `masthead check` compares them with statements.

Nothing here is shared with `model.revenue`, so that a mistake in one does not hide in the other.
"""

from collections.abc import Mapping
from datetime import date

from msgspec import Struct

from masthead.model.clock import end_of
from masthead.store.engine.interface import Connection, Dialect
from masthead.store.engine.rows import fetch_all


class IssueSum(Struct, frozen=True, kw_only=True):
    """What orders in a currency paid for an issue, either sent or not, and cancelled or not."""

    currency: str
    number: int
    sent: bool
    cancelled: bool
    copies: int
    amount: int


class OrderSum(Struct, frozen=True, kw_only=True):
    """Orders in a currency, either cancelled or not. earned: by the days of memberships."""

    currency: str
    cancelled: bool
    orders: int
    price: int
    net: int
    earned: int = 0


# The orders that count on a day, with what they are worth after refunds. min() has another name
# on PostgreSQL, so the lower of two values is a CASE
_COUNTED = """
    WITH counted AS (
        SELECT
            p.id,
            p.subscription_id,
            p.currency,
            p.price,
            p.first_issue,
            p.last_issue,
            p.last_issue - p.first_issue + 1 - (
                SELECT count(*)
                FROM skipped_issue k
                WHERE k.account_id = :account_id
                  AND k.subscription_id = p.subscription_id
                  AND k.issue_number BETWEEN p.first_issue AND p.last_issue
                  AND k.instead = 'added'
            ) AS length,
            p.period_start,
            p.period_end,
            p.price - CASE
                WHEN coalesce(r.amount, 0) > p.price THEN p.price
                ELSE coalesce(r.amount, 0)
            END AS net,
            x.cancelled_date
        FROM period p
        LEFT JOIN (
            SELECT period_id, CAST(sum(amount) AS bigint) AS amount
            FROM refund
            WHERE account_id = :account_id AND refund_date <= :day
            GROUP BY period_id
        ) AS r ON r.period_id = p.id
        LEFT JOIN (
            SELECT subscription_id, min(cancelled_date) AS cancelled_date
            FROM cancellation
            WHERE account_id = :account_id
              AND cancelled_date <= :day
              AND (reopened_date IS NULL OR reopened_date > :day)
            GROUP BY subscription_id
        ) AS x ON x.subscription_id = p.subscription_id
        WHERE p.account_id = :account_id
          AND coalesce(p.order_date <= :day, p.created_at < :end)
    )
"""

# price * place / length without numbers that are too large for 64 bits
_CARRIED = "n.price / n.length * {k} + n.price % n.length * {k} / n.length"
_UPPER = _CARRIED.format(k="(n.place + 1)")
_LOWER = _CARRIED.format(k="n.place")

_DAYS: Mapping[Dialect, str] = {
    "sqlite": "CAST(julianday({last}) - julianday({first}) + 1 AS bigint)",
    "postgres": "(CAST({last} AS date) - CAST({first} AS date) + 1)",
}


async def sum_issues(db: Connection, account_id: int, day: date) -> list[IssueSum]:
    """The amounts that issue subscriptions paid for each issue, by currency, sent and cancelled.

    Queries: one, about 3 µs for each copy.
    """
    return await fetch_all(
        db,
        f"""
        {_COUNTED},
        placed AS (
            SELECT
                o.*,
                i.number,
                i.release_date_actual,
                i.number - o.first_issue - (
                    SELECT count(*)
                    FROM skipped_issue k
                    WHERE k.account_id = :account_id
                      AND k.subscription_id = o.subscription_id
                      AND k.issue_number >= o.first_issue
                      AND k.issue_number < i.number
                ) AS place
            FROM counted o
            JOIN issue i
                ON i.account_id = :account_id
                AND i.number BETWEEN o.first_issue AND o.last_issue
            WHERE i.account_id = :account_id
              AND NOT EXISTS (
                  SELECT 1
                  FROM skipped_issue k
                  WHERE k.account_id = :account_id
                    AND k.subscription_id = o.subscription_id
                    AND k.issue_number = i.number
              )
        )
        SELECT
            n.currency,
            n.number,
            c.id IS NOT NULL AS sent,
            n.cancelled_date IS NOT NULL AS cancelled,
            count(*) AS copies,
            CAST(sum(
                CASE WHEN {_UPPER} < n.net THEN {_UPPER} ELSE n.net END
                - CASE WHEN {_LOWER} < n.net THEN {_LOWER} ELSE n.net END
            ) AS bigint) AS amount
        FROM placed n
        LEFT JOIN copy c
            ON c.account_id = :account_id
            AND c.subscription_id = n.subscription_id
            AND c.issue_number = n.number
            AND c.status NOT IN ('Not sent', 'Cancelled')
            AND coalesce(c.date_sent, n.release_date_actual, :day) <= :day
        GROUP BY 1, 2, 3, 4
        """,  # noqa: S608 - our own names
        {"account_id": account_id, "day": day, "end": end_of(day)},
        into=IssueSum,
    )


async def sum_subscriptions(db: Connection, account_id: int, day: date) -> list[OrderSum]:
    """Price and net price of issue subscriptions, by currency and cancelled. Queries: one."""
    return await fetch_all(
        db,
        f"""
        {_COUNTED}
        SELECT
            n.currency,
            n.cancelled_date IS NOT NULL AS cancelled,
            count(*) AS orders,
            CAST(sum(n.price) AS bigint) AS price,
            CAST(sum(n.net) AS bigint) AS net
        FROM counted n
        WHERE n.first_issue IS NOT NULL
        GROUP BY 1, 2
        """,  # noqa: S608 - our own names
        {"account_id": account_id, "day": day, "end": end_of(day)},
        into=OrderSum,
    )


async def sum_memberships(db: Connection, account_id: int, day: date) -> list[OrderSum]:
    """The same of memberships, with what they earned by days. Queries: one."""
    days = _DAYS[db.dialect]
    until = (
        "CASE WHEN n.cancelled_date < :day THEN n.cancelled_date ELSE CAST(:day AS date) END"
        if db.dialect == "postgres"
        else "coalesce(min(n.cancelled_date, :day), :day)"
    )
    passed = days.format(last=until, first="n.period_start")
    length = days.format(last="n.period_end", first="n.period_start")
    return await fetch_all(
        db,
        f"""
        {_COUNTED},
        counted_days AS (
            SELECT n.*, {passed} AS passed, {length} AS days
            FROM counted n
            WHERE n.first_issue IS NULL
        ),
        earning AS (
            SELECT
                n.*,
                CASE
                    WHEN n.passed <= 0 THEN 0
                    WHEN n.passed >= n.days THEN n.price
                    ELSE n.price / n.days * n.passed + n.price % n.days * n.passed / n.days
                END AS reached
            FROM counted_days n
        )
        SELECT
            n.currency,
            n.cancelled_date IS NOT NULL AS cancelled,
            count(*) AS orders,
            CAST(sum(n.price) AS bigint) AS price,
            CAST(sum(n.net) AS bigint) AS net,
            CAST(sum(CASE WHEN n.reached < n.net THEN n.reached ELSE n.net END) AS bigint)
                AS earned
        FROM earning n
        GROUP BY 1, 2
        """,  # noqa: S608 - our own names
        {"account_id": account_id, "day": day, "end": end_of(day)},
        into=OrderSum,
    )


async def sum_takings(db: Connection, account_id: int) -> dict[str, tuple[int, int, int, int]]:
    """Price, discounts and refunds of orders that are not billed, and payments, by currency.

    Queries: three.
    """
    orders = await db.fetch_all(
        """
        SELECT
            p.currency,
            CAST(sum(p.price) AS bigint) AS price,
            CAST(sum(p.discount_amount) AS bigint) AS discounts
        FROM period p
        LEFT JOIN billed_order b ON b.account_id = p.account_id AND b.period_id = p.id
        WHERE p.account_id = :account_id AND b.period_id IS NULL
        GROUP BY p.currency
        """,
        {"account_id": account_id},
    )
    refunds = await db.fetch_all(
        """
        SELECT p.currency, CAST(sum(r.amount) AS bigint) AS amount
        FROM refund r
        JOIN period p ON p.account_id = r.account_id AND p.id = r.period_id
        LEFT JOIN billed_order b ON b.account_id = p.account_id AND b.period_id = p.id
        WHERE r.account_id = :account_id AND b.period_id IS NULL
        GROUP BY p.currency
        """,
        {"account_id": account_id},
    )
    payments = await db.fetch_all(
        """
        SELECT currency, CAST(sum(amount) AS bigint) AS amount
        FROM payment
        WHERE account_id = :account_id AND undone_at IS NULL
        GROUP BY currency
        """,
        {"account_id": account_id},
    )
    paid = {row["currency"]: (row["price"], row["discounts"]) for row in orders}
    refunded = {row["currency"]: row["amount"] for row in refunds}
    received = {row["currency"]: row["amount"] for row in payments}
    return {
        code: (*paid.get(code, (0, 0)), refunded.get(code, 0), received.get(code, 0))
        for code in paid.keys() | refunded.keys() | received.keys()
    }
