"""What orders brought in by month, source, product and currency, and what was refunded."""

from masthead.model.revenue.takings import MonthRange, TakingsGroup, TakingsLine
from masthead.store.engine.interface import Connection, Row
from masthead.store.revenue.days import ORDER_MONTH, ORDERED_IN_RANGE, day_range

REFUND_MONTH = "substr(CAST(r.refund_date AS text), 1, 7)"


async def list_takings(
    db: Connection, account_id: int, months: MonthRange, *, currency: str = ""
) -> list[TakingsLine]:
    """The orders and refunds of some months, in groups as small as possible.

    A group may occur twice: for its orders and for its refunds. currency: empty for all.
    Queries: two, read aside, about 2 µs for each order. Index: period_by_order_date,
    refund_by_date.
    """
    parameters = {
        "account_id": account_id,
        **day_range(months.first_day, months.last_day),
        "currency": currency,
    }
    # Orders from before they had a source and a product count for those of the subscription
    orders = await db.fetch_all(
        f"""
        SELECT
            {ORDER_MONTH[db.dialect]} AS month,
            coalesce(p.source_id, s.source_id) AS source_id,
            coalesce(p.product_id, s.product_id) AS product_id,
            p.currency,
            count(*) AS orders,
            CAST(sum(p.price) AS bigint) AS price,
            CAST(sum(p.discount_amount) AS bigint) AS discounts,
            0 AS refunded
        FROM period p
        JOIN subscription s ON s.account_id = p.account_id AND s.id = p.subscription_id
        WHERE p.account_id = :account_id
          AND {ORDERED_IN_RANGE}
          AND (:currency = '' OR p.currency = :currency)
        GROUP BY 1, 2, 3, 4
        """,  # noqa: S608 - our own names
        parameters,
    )
    refunds = await db.fetch_all(
        f"""
        SELECT
            {REFUND_MONTH} AS month,
            coalesce(p.source_id, s.source_id) AS source_id,
            coalesce(p.product_id, s.product_id) AS product_id,
            p.currency,
            0 AS orders,
            0 AS price,
            0 AS discounts,
            CAST(sum(r.amount) AS bigint) AS refunded
        FROM refund r
        JOIN period p ON p.account_id = r.account_id AND p.id = r.period_id
        JOIN subscription s ON s.account_id = p.account_id AND s.id = p.subscription_id
        WHERE r.account_id = :account_id
          AND r.refund_date BETWEEN :first AND :last
          AND (:currency = '' OR p.currency = :currency)
        GROUP BY 1, 2, 3, 4
        """,  # noqa: S608 - our own names
        parameters,
    )
    return [_line_from_row(row) for row in (*orders, *refunds)]


def _line_from_row(row: Row) -> TakingsLine:
    return TakingsLine(
        group=TakingsGroup(row["month"], row["source_id"], row["product_id"]),
        currency=row["currency"],
        orders=row["orders"],
        price=row["price"],
        discounts=row["discounts"],
        refunded=row["refunded"],
    )
