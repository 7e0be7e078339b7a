"""What came in and what was ordered, by month, country and currency.

The country of an order is that of its subscription; that of a payment is in the invoice that it
settles, as in the takings by rate of VAT.
"""

from masthead.model.revenue.takings import MonthRange, TakingsGroup, TakingsLine
from masthead.store.billing.daily_sums import PAID, summed_parameters
from masthead.store.billing.taken_lines import (
    PAID_BACK_SIDE,
    PAID_SIDE,
    WITH_LINE,
    WITHOUT_LINE,
    taken_lines,
)
from masthead.store.engine.interface import Connection
from masthead.store.revenue.days import DATED, MONTH_OF_DATE, MONTH_OF_MOMENT, UNDATED, day_range
from masthead.store.revenue.takings import ALL_ORDERS, PAID_AT_ONCE, read_lines

_SEVERAL = "*"  # in place of the country of a document that has several

# CROSS JOIN keeps SQLite from beginning with the documents. The amounts are compared first, because
# most documents have one line, so that others are looked for only if there are some
_SETTLED = """
    SELECT
        {month} AS month,
        CASE
            WHEN l.net + l.vat <> i.total AND EXISTS (
                SELECT 1
                FROM invoice_line m
                WHERE m.account_id = :account_id
                  AND m.invoice_id = i.id
                  AND m.line > 1
                  AND m.country <> l.country
            ) THEN '*'
            ELSE l.country
        END AS country,
        i.currency,
        {sign} * CAST(sum(s.amount) AS bigint) AS received
    FROM settlement s
    CROSS JOIN invoice i
    CROSS JOIN invoice_line l
    WHERE s.account_id = :account_id
      AND s.settled_date BETWEEN :first AND :last
      AND s.{payment} IS NOT NULL
      AND s.{document} IS NOT NULL
      AND i.account_id = :account_id
      AND i.id = s.{document}
      AND i.total <> 0
      AND (:currency = '' OR i.currency = :currency)
      AND l.account_id = :account_id
      AND l.invoice_id = i.id
      AND l.line = 1
    GROUP BY 1, 2, 3
"""


async def list_takings_by_country(
    db: Connection, account_id: int, months: MonthRange, *, currency: str = ""
) -> list[TakingsLine]:
    """What came in some months, and what went back, by month, country and currency.

    A payment counts for the countries of the invoices that it settles, in the month from which it
    does. What settles no invoice yet has no country; it is below zero in a month in which earlier
    payments were used. So the sum of a month is the same as in `list_takings`.
    Queries: eight at most, read aside, about 1 µs for each order that was paid at once, and 2 µs
    for each payment of an invoice. Indexes: period_by_order_date, refund_by_date,
    settlement_by_date, invoice_line_pk.
    """
    first, last = months.first_day, months.last_day
    parameters = {
        **await summed_parameters(db, account_id, first, last),
        **day_range(first, last),
        "currency": currency,
    }
    month_of = MONTH_OF_DATE[db.dialect]
    statements = [
        _SETTLED.format(month=month_of.format("s.settled_date"), **side)
        for side in (PAID_SIDE, PAID_BACK_SIDE)
    ]
    found = await read_lines(db, account_id, statements, parameters)
    settled = [each for each in found if each.group.country != _SEVERAL]
    if len(settled) < len(found):
        settled += await read_lines(db, account_id, [_split(month_of)], parameters)
    refunds = f"""
        SELECT
            {month_of.format("r.refund_date")} AS month,
            s.country,
            p.currency,
            CAST(sum(r.amount) AS bigint) AS refunded
        FROM refund r
        JOIN period p ON p.account_id = r.account_id AND p.id = r.period_id
        JOIN subscription s ON s.account_id = p.account_id AND s.id = p.subscription_id
        WHERE r.account_id = :account_id
          AND r.refund_date BETWEEN :first AND :last
          AND (:currency = '' OR p.currency = :currency)
          AND p.is_billed IS NOT TRUE
        GROUP BY 1, 2, 3
    """  # noqa: S608 - our own names
    payments = f"""
        SELECT
            {month_of.format("t.day")} AS month,
            t.currency,
            CAST(sum(t.amount) AS bigint) AS received
        FROM ({PAID}) AS t
        WHERE CASE WHEN t.day BETWEEN :first AND :last THEN 1 ELSE 0 END = 1
          AND (:currency = '' OR t.currency = :currency)
        GROUP BY 1, 2
    """  # noqa: S608 - our own names
    unsettled = (*_order_statements(db, PAID_AT_ONCE), refunds, payments)
    others = await read_lines(db, account_id, unsettled, parameters)
    return [*others, *settled, *map(_used, settled)]


async def list_ordered_by_country(
    db: Connection, account_id: int, months: MonthRange, *, currency: str = ""
) -> list[TakingsLine]:
    """All orders of some months, paid or not, by month, country and currency.

    Queries: two, read aside, about 1 µs for each order. Index: period_by_order_date.
    """
    parameters = {**day_range(months.first_day, months.last_day), "currency": currency}
    statements = _order_statements(db, ALL_ORDERS)
    return await read_lines(db, account_id, statements, parameters)


def _used(line: TakingsLine) -> TakingsLine:
    """What a settlement takes from the payments without a country."""
    group = TakingsGroup(month=line.group.month)
    return TakingsLine(group=group, currency=line.currency, received=-line.received)


def _split(month_of: str) -> str:
    """The statement of documents with several countries. month_of: of a date, in SQL."""
    return f"""
        SELECT
            {month_of.format("p.day")} AS month,
            p.country,
            p.currency,
            CAST(sum(p.sign * ({WITH_LINE} - {WITHOUT_LINE})) AS bigint) AS received
        FROM ({taken_lines(of_several_countries=True)}) AS p
        WHERE (:currency = '' OR p.currency = :currency)
        GROUP BY 1, 2, 3
    """  # noqa: S608 - our own names


def _order_statements(db: Connection, which: str) -> list[str]:
    """The statements that add up orders. which: `PAID_AT_ONCE` or `ALL_ORDERS`.

    CROSS JOIN keeps SQLite from beginning with the subscriptions.
    """
    dated = MONTH_OF_DATE[db.dialect].format("p.order_date")
    recorded = MONTH_OF_MOMENT[db.dialect].format("p.created_at")
    return [
        f"""
        SELECT
            {month} AS month,
            s.country,
            p.currency,
            count(*) AS orders,
            CAST(sum(p.price) AS bigint) AS price,
            CAST(sum(p.discount_amount) AS bigint) AS discounts
        FROM period p
        CROSS JOIN subscription s
        WHERE p.account_id = :account_id
          AND {days}
          {which}
          AND (:currency = '' OR p.currency = :currency)
          AND s.account_id = p.account_id
          AND s.id = p.subscription_id
        GROUP BY 1, 2, 3
        """  # noqa: S608 - our own names
        for month, days in ((dated, DATED), (recorded, UNDATED))
    ]
