"""Orders that were paid at once, by the day of sale, and their refunds: for the journal."""

from collections import Counter
from datetime import date

from msgspec import Struct

from masthead.model.billing.sales import PaidOrders
from masthead.model.types.enums import Medium
from masthead.store.engine.interface import Connection
from masthead.store.engine.rows import fetch_all
from masthead.store.revenue.days import DATED, DAY_OF_MOMENT, UNDATED, day_range

# CROSS JOIN keeps SQLite from reading the orders again for each product.
# `{sold}`: what was left of the price of the orders before and after what they count for
_PAID = """
    SELECT
        {day} AS day,
        {order_day} AS order_day,
        o.name AS source_name,
        d.id AS product_id,
        d.name AS product_name,
        s.medium,
        s.country,
        p.currency,
        {sold}
    FROM {rows}
    CROSS JOIN subscription s
    CROSS JOIN source o
    CROSS JOIN product d
    WHERE p.account_id = :account_id
      AND s.account_id = p.account_id
      AND s.id = p.subscription_id
      AND o.account_id = p.account_id
      AND o.id = coalesce(p.source_id, s.source_id)
      AND d.account_id = p.account_id
      AND d.id = coalesce(p.product_id, s.product_id)
      AND {those}
      AND p.is_billed IS NOT TRUE
"""
_GROUPED = """
    GROUP BY {day}, o.name, d.id, d.name, s.medium, s.country, p.currency, p.price
    ORDER BY {day}, o.name, d.id, s.medium, s.country, p.currency, p.price
"""
# Of any day and source. Orders that differ only in their price are one row, with all prices: to
# group by the price, too, would sort them once more. Products are few, and looked up last
_ADDED_UP = """
    SELECT
        t.day,
        t.product_id,
        d.name AS product_name,
        t.medium,
        t.country,
        t.currency,
        t.prices
    FROM (
        SELECT
            min({day}) AS day,
            coalesce(p.product_id, s.product_id) AS product_id,
            s.medium,
            s.country,
            p.currency,
            group_concat(CAST(p.price AS text), ' ') AS prices
        FROM period p
        CROSS JOIN subscription s
        WHERE p.account_id = :account_id
          AND s.account_id = p.account_id
          AND s.id = p.subscription_id
          AND {those}
          AND p.is_billed IS NOT TRUE
        GROUP BY coalesce(p.product_id, s.product_id), s.medium, s.country, p.currency
    ) AS t
    JOIN product d ON d.account_id = :account_id AND d.id = t.product_id
"""
_OF_REFUND = """
        p.price - r.earlier AS before,
        p.price - r.earlier - r.amount AS after
"""
# Refunds with what was refunded of the same order before
_REFUNDS = """
    (
        SELECT
            f.account_id,
            f.id,
            f.period_id,
            f.refund_date,
            f.amount,
            CAST(coalesce((
                SELECT sum(e.amount)
                FROM refund e
                WHERE e.account_id = :account_id
                  AND e.period_id = f.period_id
                  AND (
                      e.refund_date < f.refund_date
                      OR (e.refund_date = f.refund_date AND e.id < f.id)
                  ) IS TRUE
            ), 0) AS bigint) AS earlier
        FROM refund f
        WHERE f.account_id = :account_id AND f.refund_date BETWEEN :first AND :last
    ) AS r
    JOIN period p ON p.account_id = r.account_id AND p.id = r.period_id
"""


class _OrdersAtPrices(Struct, frozen=True, kw_only=True):
    """Orders that only differ in their price. prices: of each order."""

    day: date
    product_id: str
    product_name: str
    medium: Medium
    country: str
    currency: str
    prices: str

    def by_price(self) -> list[PaidOrders]:
        """The orders of each price."""
        return [
            PaidOrders(
                day=self.day,
                order_day=self.day,
                source_name="",
                product_id=self.product_id,
                product_name=self.product_name,
                medium=self.medium,
                country=self.country,
                currency=self.currency,
                before=0,
                after=int(price),
                orders=count,
            )
            for price, count in Counter(self.prices.split()).items()
        ]


async def list_paid_orders(
    db: Connection, account_id: int, first: date, last: date, *, by_day: bool = True
) -> list[PaidOrders]:
    """The orders of some days that were paid at once, then the refunds of such orders.

    An order without a date counts on the day on which it was recorded. by_day: otherwise, equal
    orders of several days and sources are one row, on their first day and without a source, and
    the orders are in no order.
    Queries: three, about 2 µs for each order, read aside. Indexes: period_paid_at_once,
    period_by_order_date, refund_by_date.
    """
    recorded = DAY_OF_MOMENT[db.dialect].format("p.created_at")
    orders = "0 AS before, p.price AS after, count(*) AS orders"
    refunds = {
        "day": "r.refund_date",
        "order_day": f"coalesce(p.order_date, {recorded})",
        "sold": _OF_REFUND,
        "rows": _REFUNDS,
        "those": "r.amount > 0",
    }
    parameters = {"account_id": account_id, **day_range(first, last)}
    found = list[PaidOrders]()
    for day, those in (("p.order_date", DATED), (recorded, UNDATED)):
        which = {"day": day, "order_day": day, "those": those}
        if by_day:
            statement = (_PAID + _GROUPED).format(**which, sold=orders, rows="period p")
            found += await fetch_all(db, statement, parameters, into=PaidOrders)
        else:
            statement = _ADDED_UP.format(**which)
            for each in await fetch_all(db, statement, parameters, into=_OrdersAtPrices):
                found += each.by_price()
    refunded = _PAID.format(**refunds) + " ORDER BY r.refund_date, o.name, d.id, r.id"
    return found + await fetch_all(db, refunded, parameters, into=PaidOrders)
