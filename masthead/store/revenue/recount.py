"""The figures of a day, added up by the database: `masthead check` compares them with statements.

Nothing here is shared with `model.revenue`, so that a mistake in one does not hide in the other.
"""

from collections.abc import Mapping
from datetime import date

from msgspec import Struct

from masthead.store.engine.interface import Connection, Dialect
from masthead.store.engine.rows import fetch_all
from masthead.store.revenue.recounted_orders import parameters_of, with_counted


class IssueSum(Struct, frozen=True, kw_only=True):
    """What orders in a currency paid for an issue, either sent or not, and cancelled or not."""

    currency: str
    number: int
    sent: bool
    cancelled: bool
    copies: int
    amount: int


class OrderSum(Struct, frozen=True, kw_only=True):
    """Orders in a currency, either cancelled or not.

    gross, net: what is left after refunds, with VAT and without. earned: by the days of
    memberships, without VAT.
    """

    currency: str
    cancelled: bool
    orders: int
    price: int
    gross: int
    net: int
    earned: int = 0


_OF_ISSUES = "p.first_issue IS NOT NULL"
_OF_MONTHS = "p.first_issue IS NULL"
# price * place / length without numbers that are too large for 64 bits
_CARRIED = "n.price / n.length * {k} + n.price % n.length * {k} / n.length"
_UPPER = _CARRIED.format(k="(n.place + 1)")
_LOWER = _CARRIED.format(k="n.place")
# net * part / gross, in the same way: no amount has more than 12 digits
_NET = """
    CASE
        WHEN n.gross = 0 THEN 0
        WHEN {part} >= n.gross THEN n.net
        ELSE n.net * ({part} / 1000000) / n.gross * 1000000
            + (n.net * ({part} / 1000000) % n.gross * 1000000 + n.net * ({part} % 1000000))
            / n.gross
    END
"""

_DAYS: Mapping[Dialect, str] = {
    "sqlite": "CAST(julianday({last}) - julianday({first}) + 1 AS bigint)",
    "postgres": "(CAST({last} AS date) - CAST({first} AS date) + 1)",
}


async def sum_issues(db: Connection, account_id: int, day: date) -> list[IssueSum]:
    """What issue subscriptions paid for each issue, without VAT, by currency, sent and cancelled.

    Queries: one, about 3 µs for each copy.
    """
    return await fetch_all(
        db,
        f"""
        {with_counted(db.dialect, _OF_ISSUES)},
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
        ),
        reached AS (SELECT n.*, {_UPPER} AS upper, {_LOWER} AS lower FROM placed n)
        SELECT
            n.currency,
            n.number,
            c.id IS NOT NULL AS sent,
            n.cancelled_date IS NOT NULL AS cancelled,
            count(*) AS copies,
            CAST(sum({_NET.format(part="n.upper")} - {_NET.format(part="n.lower")}) AS bigint)
                AS amount
        FROM reached n
        LEFT JOIN copy c
            ON c.account_id = :account_id
            AND c.subscription_id = n.subscription_id
            AND c.issue_number = n.number
            AND c.status NOT IN ('Not sent', 'Cancelled')
            AND coalesce(c.date_sent, n.release_date_actual, :day) <= :day
        GROUP BY 1, 2, 3, 4
        """,  # noqa: S608 - our own names
        parameters_of(account_id, day),
        into=IssueSum,
    )


async def sum_subscriptions(db: Connection, account_id: int, day: date) -> list[OrderSum]:
    """Price of issue subscriptions and what is left, by currency and cancelled. Queries: one."""
    return await fetch_all(
        db,
        f"""
        {with_counted(db.dialect, _OF_ISSUES)}
        SELECT
            n.currency,
            n.cancelled_date IS NOT NULL AS cancelled,
            count(*) AS orders,
            CAST(sum(n.price) AS bigint) AS price,
            CAST(sum(n.gross) AS bigint) AS gross,
            CAST(sum(n.net) AS bigint) AS net
        FROM counted n
        GROUP BY 1, 2
        """,  # noqa: S608 - our own names
        parameters_of(account_id, day),
        into=OrderSum,
    )


async def sum_memberships(db: Connection, account_id: int, day: date) -> list[OrderSum]:
    """Price of memberships and what their days earned, by currency and cancelled. Queries: one."""
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
        {with_counted(db.dialect, _OF_MONTHS)},
        counted_days AS (SELECT n.*, {passed} AS passed, {length} AS days FROM counted n),
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
            CAST(sum(n.gross) AS bigint) AS gross,
            CAST(sum(n.net) AS bigint) AS net,
            CAST(sum({_NET.format(part="n.reached")}) AS bigint) AS earned
        FROM earning n
        GROUP BY 1, 2
        """,  # noqa: S608 - our own names
        parameters_of(account_id, day),
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
