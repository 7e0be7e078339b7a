"""Entries of the journal, and receivables on a day, from documents and payments."""

from collections import Counter, defaultdict
from datetime import date

from msgspec import Struct

from masthead.model.billing.documents import DocumentKind
from masthead.model.billing.journal import Receivables
from masthead.model.billing.vat import VatCategory
from masthead.model.types.enums import PaymentMethod
from masthead.store.billing.open_sums import PAYER_NAME
from masthead.store.engine.interface import Connection
from masthead.store.engine.rows import fetch_all


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
