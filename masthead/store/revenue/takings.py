"""What came in and what went back, by month, source, product and currency.

Orders were paid on their date, except those that are billed: their payments count instead.
"""

from collections.abc import Iterable, Mapping

from msgspec import Struct

from masthead.model.revenue.takings import MonthRange, TakingsGroup, TakingsLine
from masthead.model.types.source_names import shown_source
from masthead.store.billing.daily_sums import PAID, summed_parameters
from masthead.store.engine.interface import Connection, Parameters, Row
from masthead.store.revenue.days import DATED, MONTH_OF_DATE, MONTH_OF_MOMENT, UNDATED, day_range

# Orders from before they had a source and a product count for those of the subscription. As
# sub-selects: these are read only for such orders
SOURCE = """
    coalesce(p.source_id, (
        SELECT s.source_id
        FROM subscription s
        WHERE s.account_id = :account_id AND s.id = p.subscription_id
    ))
"""
PRODUCT = """
    coalesce(p.product_id, (
        SELECT s.product_id
        FROM subscription s
        WHERE s.account_id = :account_id AND s.id = p.subscription_id
    ))
"""

# Which orders `p` count
PAID_AT_ONCE = "AND p.is_billed IS NOT TRUE"
ALL_ORDERS = ""
UNKNOWN = "unknown"  # in place of the id of a source or a product: of payments that settled nothing
_AMOUNTS = ("orders", "price", "discounts", "refunded", "received")


async def list_takings(
    db: Connection, account_id: int, months: MonthRange, *, currency: str = ""
) -> list[TakingsLine]:
    """What came in some months, and what went back, in groups as small as possible.

    A group may occur several times, as for its orders and for its refunds. currency: empty for
    all. Queries: six, read aside, about 0.5 µs for each order that was paid at once. Payments
    are read as sums of days. Indexes: period_paid_at_once, period_by_order_date, refund_by_date.
    """
    first, last = months.first_day, months.last_day
    parameters = {
        **await summed_parameters(db, account_id, first, last),
        **day_range(first, last),
        "currency": currency,
    }
    month_of = MONTH_OF_DATE[db.dialect]
    refunds = f"""
        SELECT
            {month_of.format("r.refund_date")} AS month,
            {SOURCE} AS source_id,
            {PRODUCT} AS product_id,
            p.currency,
            CAST(sum(r.amount) AS bigint) AS refunded
        FROM refund r
        JOIN period p ON p.account_id = r.account_id AND p.id = r.period_id
        WHERE r.account_id = :account_id
          AND r.refund_date BETWEEN :first AND :last
          AND (:currency = '' OR p.currency = :currency)
          AND p.is_billed IS NOT TRUE
        GROUP BY 1, 2, 3, 4
    """  # noqa: S608 - our own names
    payments = f"""
        SELECT
            {month_of.format("t.day")} AS month,
            coalesce(nullif(t.source_id, ''), '{UNKNOWN}') AS source_id,
            coalesce(nullif(t.product_id, ''), '{UNKNOWN}') AS product_id,
            t.currency,
            CAST(sum(t.amount) AS bigint) AS received
        FROM ({PAID}) AS t
        WHERE CASE WHEN t.day BETWEEN :first AND :last THEN 1 ELSE 0 END = 1
          AND (:currency = '' OR t.currency = :currency)
        GROUP BY 1, 2, 3, 4
        HAVING sum(t.amount) <> 0
    """  # noqa: S608 - our own names
    statements = (*_order_statements(db, PAID_AT_ONCE), refunds, payments)
    return await read_lines(db, account_id, statements, parameters)


async def list_ordered(
    db: Connection, account_id: int, months: MonthRange, *, currency: str = ""
) -> list[TakingsLine]:
    """All orders of some months, paid or not, in groups as small as possible.

    currency: empty for all. Queries: three, read aside, about 0.5 µs for each order. Index:
    period_by_order_date.
    """
    parameters = {**day_range(months.first_day, months.last_day), "currency": currency}
    statements = _order_statements(db, ALL_ORDERS)
    return await read_lines(db, account_id, statements, parameters)


async def read_lines(
    db: Connection, account_id: int, statements: Iterable[str], parameters: Parameters
) -> list[TakingsLine]:
    """The lines of some statements. Queries: one for each."""
    return [
        _line_from_row(row)
        for statement in statements
        for row in await db.fetch_all(statement, {**parameters, "account_id": account_id})
    ]


class Names(Struct, frozen=True):
    """The names of sources and products, by id."""

    sources: Mapping[str, str]
    products: Mapping[str, str]


async def list_names(db: Connection, account_id: int) -> Names:
    """The names of all sources, in the current language, and of all products. Queries: two."""
    parameters = {"account_id": account_id}
    sources = await db.fetch_all(
        "SELECT id, name FROM source WHERE account_id = :account_id", parameters
    )
    products = await db.fetch_all(
        "SELECT id, name FROM product WHERE account_id = :account_id", parameters
    )
    return Names(
        {row["id"]: shown_source(row["name"]) for row in sources},
        {row["id"]: row["name"] for row in products},
    )


def _order_statements(db: Connection, which: str) -> list[str]:
    """The statements that add up orders. which: `PAID_AT_ONCE` or `ALL_ORDERS`."""
    month_of = MONTH_OF_DATE[db.dialect]
    recorded = MONTH_OF_MOMENT[db.dialect].format("p.created_at")
    is_old = f"{DATED} AND (p.source_id IS NULL OR p.product_id IS NULL)"
    return [
        _sum_by_day(month_of, which),
        _sum_orders(month_of.format("p.order_date"), f"{is_old} {which}"),
        _sum_orders(recorded, f"{UNDATED} {which}"),
    ]


def _sum_by_day(month_of: str, which: str) -> str:
    """The statement that adds up dated orders. month_of: of a date, in SQL. which: as above.

    By day first: the index has the orders in this order, so that they need no sort.
    """
    return f"""
        SELECT
            {month_of.format("by_day.order_date")} AS month,
            by_day.source_id,
            by_day.product_id,
            by_day.currency,
            CAST(sum(by_day.orders) AS bigint) AS orders,
            CAST(sum(by_day.price) AS bigint) AS price,
            CAST(sum(by_day.discounts) AS bigint) AS discounts
        FROM (
            SELECT
                p.order_date,
                p.currency,
                p.source_id,
                p.product_id,
                count(*) AS orders,
                sum(p.price) AS price,
                sum(p.discount_amount) AS discounts
            FROM period p
            WHERE p.account_id = :account_id
              AND {DATED}
              AND (:currency = '' OR p.currency = :currency)
              {which}
              AND p.source_id IS NOT NULL
              AND p.product_id IS NOT NULL
            GROUP BY p.order_date, p.currency, p.source_id, p.product_id
        ) AS by_day
        GROUP BY 1, 2, 3, 4
    """  # noqa: S608 - our own names


def _sum_orders(month: str, condition: str) -> str:
    """The statement that adds up the orders of a condition.

    month: of an order, in SQL.
    """
    return f"""
        SELECT
            {month} AS month,
            {SOURCE} AS source_id,
            {PRODUCT} AS product_id,
            p.currency,
            count(*) AS orders,
            CAST(sum(p.price) AS bigint) AS price,
            CAST(sum(p.discount_amount) AS bigint) AS discounts
        FROM period p
        WHERE p.account_id = :account_id
          AND {condition}
          AND (:currency = '' OR p.currency = :currency)
        GROUP BY 1, 2, 3, 4
    """  # noqa: S608 - our own names


def _line_from_row(row: Row) -> TakingsLine:
    amounts = {name: row[name] for name in _AMOUNTS if name in row}
    group = {name: row[name] for name in TakingsGroup.__struct_fields__ if name in row}
    return TakingsLine(
        group=TakingsGroup(**group),
        currency=row["currency"],
        **amounts,
    )
