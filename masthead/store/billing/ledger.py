"""What the journal and the receivables are made from: documents, payments and paid orders."""

from collections import Counter, defaultdict
from datetime import date

from msgspec import Struct

from masthead.model.billing.documents import DocumentKind
from masthead.model.billing.journal import Receivables
from masthead.model.billing.sales import PaidOrders
from masthead.model.billing.vat import VatCategory
from masthead.model.types.enums import PaymentMethod
from masthead.store.billing.open_sums import PAYER_NAME
from masthead.store.engine.interface import Connection
from masthead.store.engine.rows import fetch_all
from masthead.store.revenue.days import DATED, DAY_OF_MOMENT, UNDATED, day_range


class BilledSale(Struct, frozen=True, kw_only=True):
    """Lines of a document with one country and rate.

    net, vat: negative for a credit note. corrects: the number of the invoice that it corrects.
    """

    kind: DocumentKind
    issue_date: date
    number: str
    payer_name: str
    customer: int
    currency: str
    country: str
    category: VatCategory
    rate: int
    net: int
    vat: int
    corrects: str


class PaidAmount(Struct, frozen=True, kw_only=True):
    """A payment. text: its reference. amount: negative if it went back."""

    day: date
    document: str
    text: str
    payer_name: str
    method: PaymentMethod
    customer: int | None
    currency: str
    amount: int


async def list_billed_sales(
    db: Connection, account_id: int, first: date, last: date
) -> list[BilledSale]:
    """What invoices and credit notes of some days have sold. Index: invoice_by_date."""
    return await fetch_all(
        db,
        """
        SELECT
            i.kind,
            i.issue_date,
            i.number,
            i.payer_name,
            y.number AS customer,
            i.currency,
            l.country,
            l.category,
            l.rate,
            CAST(sum(CASE WHEN i.kind = 'credit_note' THEN -l.net ELSE l.net END) AS bigint) AS net,
            CAST(sum(CASE WHEN i.kind = 'credit_note' THEN -l.vat ELSE l.vat END) AS bigint) AS vat,
            coalesce(c.number, '') AS corrects
        FROM invoice i
        JOIN invoice_line l ON l.account_id = i.account_id AND l.invoice_id = i.id
        JOIN payer y ON y.account_id = i.account_id AND y.subscriber_id = i.payer_id
        LEFT JOIN invoice c ON c.account_id = i.account_id AND c.id = i.corrects_id
        WHERE i.account_id = :account_id AND i.issue_date BETWEEN :first AND :last
        GROUP BY
            i.issue_date,
            i.id,
            i.kind,
            i.number,
            i.payer_name,
            y.number,
            i.currency,
            l.country,
            l.category,
            l.rate,
            c.number
        ORDER BY i.issue_date, i.id, l.country, l.rate
        """,
        {"account_id": account_id, "first": first, "last": last},
        into=BilledSale,
    )


async def list_payments(
    db: Connection, account_id: int, first: date, last: date
) -> list[PaidAmount]:
    """The payments of some days, without those that were undone. Index: payment_by_date."""
    return await fetch_all(
        db,
        f"""
        SELECT
            m.payment_date AS day,
            m.id AS document,
            m.reference AS text,
            {PAYER_NAME},
            m.method,
            y.number AS customer,
            m.currency,
            m.amount
        FROM payment m
        LEFT JOIN payer y ON y.account_id = m.account_id AND y.subscriber_id = m.payer_id
        LEFT JOIN subscriber u ON u.account_id = m.account_id AND u.id = m.payer_id
        WHERE m.account_id = :account_id
          AND m.payment_date BETWEEN :first AND :last
          AND m.undone_at IS NULL
        ORDER BY m.payment_date, m.id
        """,  # noqa: S608 - our own names
        {"account_id": account_id, "first": first, "last": last},
        into=PaidAmount,
    )


# CROSS JOIN keeps SQLite from reading the orders again for each product.
# `{sold}`: what was left of the price of the orders before and after what they count for
_PAID = """
    SELECT
        {day} AS day,
        {order_day} AS order_day,
        {source} AS source_name,
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
# Of any day and source, in any order: PostgreSQL sorts all orders, not their groups
_ADDED_UP = """
    GROUP BY d.id, d.name, s.medium, s.country, p.currency, p.price
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
    common = {"sold": orders, "rows": "period p", "source": "o.name" if by_day else "''"}
    dated, undated = (
        {"day": day, "order_day": day, "those": those}
        for day, those in (
            ("p.order_date" if by_day else "min(p.order_date)", DATED),
            (recorded if by_day else f"min({recorded})", UNDATED),
        )
    )
    grouped = _PAID + (_GROUPED if by_day else _ADDED_UP)
    refunds = {
        "source": "o.name",
        "day": "r.refund_date",
        "order_day": f"coalesce(p.order_date, {recorded})",
        "sold": _OF_REFUND,
        "rows": _REFUNDS,
        "those": "r.amount > 0",
    }
    statements = (
        grouped.format(**common, **dated),
        grouped.format(**common, **undated),
        _PAID.format(**refunds) + " ORDER BY r.refund_date, o.name, d.id, r.id",
    )
    parameters = {"account_id": account_id, **day_range(first, last)}
    found = []
    for statement in statements:
        found += await fetch_all(db, statement, parameters, into=PaidOrders)
    return found


async def sum_receivables(db: Connection, account_id: int, day: date) -> list[Receivables]:
    """What payers owe at the end of a day, by currency. Queries: three.

    Payments that were undone later count as if they had never been.
    """
    parameters = {"account_id": account_id, "day": day}
    documents = await db.fetch_all(
        """
        SELECT
            currency,
            CAST(sum(CASE WHEN kind = 'invoice' THEN total ELSE 0 END) AS bigint) AS invoiced,
            CAST(sum(CASE WHEN kind = 'credit_note' THEN total ELSE 0 END) AS bigint) AS credited,
            CAST(sum(CASE WHEN kind = 'fee' THEN total ELSE 0 END) AS bigint) AS fees
        FROM invoice
        WHERE account_id = :account_id AND issue_date <= :day
        GROUP BY currency
        """,
        parameters,
    )
    payments = await db.fetch_all(
        """
        SELECT currency, CAST(sum(amount) AS bigint) AS paid
        FROM payment
        WHERE account_id = :account_id AND payment_date <= :day AND undone_at IS NULL
        GROUP BY currency
        """,
        parameters,
    )
    lost = await db.fetch_all(
        """
        SELECT
            i.currency,
            CAST(sum(CASE WHEN i.kind = 'fee' THEN 0 ELSE t.amount END) AS bigint) AS written_off,
            CAST(sum(CASE WHEN i.kind = 'fee' THEN t.amount ELSE 0 END) AS bigint) AS waived
        FROM settlement t
        JOIN invoice i ON i.account_id = t.account_id AND i.id = t.invoice_id
        WHERE t.account_id = :account_id
          AND t.settled_date <= :day
          AND t.payment_id IS NULL
          AND t.credit_note_id IS NULL
        GROUP BY i.currency
        """,
        parameters,
    )
    sums: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for row in (*documents, *payments, *lost):
        found = dict(row)
        sums[found.pop("currency")].update(found)
    return [
        Receivables(
            currency=code,
            invoiced=found["invoiced"],
            credited=found["credited"],
            fees=found["fees"],
            paid=found["paid"],
            written_off=found["written_off"],
            waived=found["waived"],
        )
        for code, found in sorted(sums.items())
    ]
