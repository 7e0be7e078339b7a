"""Sums of some days for the bookkeeper's page: what was sold, and how what is owed changed."""

from collections import Counter, defaultdict
from datetime import date

from msgspec import Struct

from masthead.model.billing.journal import OwedChange
from masthead.model.billing.vat import VatCategory
from masthead.store.billing import daily_sums
from masthead.store.billing.owed import sum_open
from masthead.store.billing.taken_lines import WITH_LINE, WITH_NET, WITHOUT_LINE, taken_lines
from masthead.store.engine.interface import Connection
from masthead.store.engine.rows import fetch_all


class SoldSum(Struct, frozen=True, kw_only=True):
    """What documents sold into a country at a rate. net, vat: less what was credited."""

    currency: str
    country: str
    category: VatCategory
    rate: int
    net: int
    vat: int


async def sum_billed_sales(
    db: Connection, account_id: int, first: date, last: date
) -> list[SoldSum]:
    """What invoices and credit notes of some days have sold, without fees.

    Queries: two, read aside. They read the sums of these days, and the newest documents.
    """
    return await fetch_all(
        db,
        f"""
        SELECT
            t.currency,
            t.country,
            t.category,
            t.rate,
            CAST(sum(CASE WHEN t.kind = 'credit_note' THEN -t.net ELSE t.net END) AS bigint) AS net,
            CAST(sum(CASE WHEN t.kind = 'credit_note' THEN -t.vat ELSE t.vat END) AS bigint) AS vat
        FROM ({daily_sums.SOLD}) AS t
        WHERE t.kind <> 'fee'
          AND CASE WHEN t.day BETWEEN :first AND :last THEN 1 ELSE 0 END = 1
        GROUP BY t.currency, t.country, t.category, t.rate
        ORDER BY t.currency, t.country, t.category, t.rate
        """,  # noqa: S608 - our own names
        await daily_sums.summed_parameters(db, account_id, first, last),
        into=SoldSum,
    )


async def sum_taken(db: Connection, account_id: int, first: date, last: date) -> list[SoldSum]:
    """What payments settled on some days of invoices, by country and rate; less what went back.

    The settlements of a document fill its lines together, so that those of a paid document are,
    to the cent, what its lines say. Fees have lines, too.
    Queries: one, read aside. Indexes: settlement_by_date, settlement_by_invoice,
    settlement_by_credit_note.
    """
    return await fetch_all(
        db,
        f"""
        SELECT
            p.currency,
            p.country,
            p.category,
            p.rate,
            CAST(sum(p.sign * ({WITH_NET} - {WITHOUT_LINE})) AS bigint) AS net,
            CAST(sum(p.sign * ({WITH_LINE} - {WITH_NET})) AS bigint) AS vat
        FROM ({taken_lines()}) AS p
        GROUP BY p.currency, p.country, p.category, p.rate
        ORDER BY p.currency, p.country, p.category, p.rate
        """,  # noqa: S608 - our own names
        {"account_id": account_id, "first": first, "last": last},
        into=SoldSum,
    )


async def sum_payments(db: Connection, account_id: int, first: date, last: date) -> dict[str, int]:
    """What came in some days for invoices, less what was paid back, by currency.

    Queries: one, read aside. Index: payment_by_date.
    """
    rows = await db.fetch_all(
        """
        SELECT currency, CAST(sum(amount) AS bigint) AS amount
        FROM payment
        WHERE account_id = :account_id
          AND payment_date BETWEEN :first AND :last
          AND undone_at IS NULL
        GROUP BY currency
        ORDER BY currency
        """,
        {"account_id": account_id, "first": first, "last": last},
    )
    return {row["currency"]: row["amount"] for row in rows}


_CHANGES = f"""
    SELECT
        t.currency,
        t.kind,
        CASE WHEN t.day <= :last THEN 1 ELSE 0 END AS is_within,
        CAST(sum(t.amount) AS bigint) AS amount
    FROM (
        {daily_sums.BILLED}
        UNION ALL
        SELECT day, currency, 'payment', amount
        FROM ({daily_sums.PAID}) AS paid
        UNION ALL
        SELECT
            w.settled_date,
            i.currency,
            CASE WHEN i.kind = 'fee' THEN 'waived' ELSE 'written_off' END,
            w.amount
        FROM settlement w
        JOIN invoice i ON i.account_id = w.account_id AND i.id = w.invoice_id
        WHERE w.account_id = :account_id
          AND w.settled_date >= :first
          AND w.payment_id IS NULL
          AND w.credit_note_id IS NULL
    ) AS t
    WHERE CASE WHEN t.day >= :first THEN 1 ELSE 0 END = 1
    GROUP BY t.currency, t.kind, CASE WHEN t.day <= :last THEN 1 ELSE 0 END
"""  # noqa: S608 - our own names
_SIGNS = {"invoice": 1, "fee": 1, "credit_note": -1, "payment": -1, "written_off": -1, "waived": -1}


async def list_changes(
    db: Connection, account_id: int, first: date, last: date
) -> list[OwedChange]:
    """How what payers owe changed over some days, by currency.

    It is counted back from what is open now, so that only what happened since the first day is
    read. Payments that were undone later count as if they had never been.
    Queries: four, read aside. They read the sums of the days since the first one, the newest
    documents and payments, and what is open. Indexes: settlement_written_off, payment_undone.
    """
    parameters = await daily_sums.summed_parameters(db, account_id, first, last)
    rows = await db.fetch_all(_CHANGES, parameters)
    within = defaultdict[str, Counter[str]](Counter)
    before = Counter(await sum_open(db, account_id))
    for row in rows:
        before[row["currency"]] -= _SIGNS[row["kind"]] * row["amount"]
        if row["is_within"]:
            within[row["currency"]][row["kind"]] += row["amount"]
    return [
        OwedChange(
            currency=currency,
            before=before[currency],
            invoiced=within[currency]["invoice"],
            credited=within[currency]["credit_note"],
            fees=within[currency]["fee"] - within[currency]["waived"],
            paid=within[currency]["payment"],
            written_off=within[currency]["written_off"],
        )
        for currency in sorted(before)
        if before[currency] or within[currency]
    ]
