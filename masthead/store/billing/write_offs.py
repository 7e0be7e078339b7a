"""What was written off of invoices, by country and rate of VAT, for the journal."""

from datetime import date
from itertools import groupby

from msgspec import Struct

from masthead.model.billing.documents import DocumentKind
from masthead.model.billing.journal import TaxedAmount, WriteOff
from masthead.model.billing.vat import TaxedPart, VatCategory
from masthead.store.engine.interface import Connection
from masthead.store.engine.rows import fetch_all


class _LostPart(Struct, frozen=True, kw_only=True):
    """What was written off of an invoice, with what was left of it for a country at a rate."""

    id: str
    day: date
    document: str
    kind: DocumentKind
    text: str
    customer: int
    currency: str
    amount: int
    country: str
    category: VatCategory
    rate: int
    net: int
    vat: int


async def list_write_offs(
    db: Connection, account_id: int, first: date, last: date
) -> list[WriteOff]:
    """What was written off on some days, and what was left of the invoice by country and rate.

    Left are its lines less those of its credit notes before. Indexes:
    settlement_written_off, invoice_by_corrected.
    """
    rows = await fetch_all(
        db,
        """
        WITH lost AS MATERIALIZED (
            SELECT
                t.id,
                t.settled_date AS day,
                i.id AS invoice_id,
                i.number AS document,
                i.kind,
                t.reason AS text,
                y.number AS customer,
                i.currency,
                t.amount
            FROM settlement t
            JOIN invoice i ON i.account_id = t.account_id AND i.id = t.invoice_id
            JOIN payer y ON y.account_id = i.account_id AND y.subscriber_id = i.payer_id
            WHERE t.account_id = :account_id
              AND t.settled_date BETWEEN :first AND :last
              AND t.payment_id IS NULL
              AND t.credit_note_id IS NULL
        ),
        counted AS (
            SELECT lost.*, invoice_id AS document_id, 1 AS sign FROM lost
            UNION ALL
            SELECT lost.*, d.id, -1
            FROM lost
            CROSS JOIN invoice d
            WHERE d.account_id = :account_id
              AND d.corrects_id = lost.invoice_id
              AND (
                  d.issue_date < lost.day
                  OR (d.issue_date = lost.day AND d.id < lost.id)
              ) IS TRUE
        )
        SELECT
            counted.id,
            counted.day,
            counted.document,
            counted.kind,
            counted.text,
            counted.customer,
            counted.currency,
            counted.amount,
            l.country,
            l.category,
            l.rate,
            CAST(sum(counted.sign * l.net) AS bigint) AS net,
            CAST(sum(counted.sign * l.vat) AS bigint) AS vat
        FROM counted
        CROSS JOIN invoice_line l
        WHERE l.account_id = :account_id AND l.invoice_id = counted.document_id
        GROUP BY
            counted.id,
            counted.day,
            counted.document,
            counted.kind,
            counted.text,
            counted.customer,
            counted.currency,
            counted.amount,
            l.country,
            l.category,
            l.rate
        ORDER BY counted.day, counted.id, l.country, l.rate
        """,
        {"account_id": account_id, "first": first, "last": last},
        into=_LostPart,
    )
    return [
        WriteOff(
            day=own[0].day,
            document=own[0].document,
            text=own[0].text,
            customer=own[0].customer,
            currency=own[0].currency,
            amount=own[0].amount,
            is_fee=own[0].kind is DocumentKind.FEE,
            left=[
                TaxedAmount(
                    country=each.country,
                    tax=TaxedPart(each.category, each.rate),
                    net=each.net,
                    vat=each.vat,
                )
                for each in own
            ],
        )
        for _id, group in groupby(rows, key=lambda row: row.id)
        if (own := list(group))
    ]


async def sum_written_off(db: Connection, account_id: int, invoice_id: str) -> int:
    """What was written off of an invoice, less what was taken back. Queries: one."""
    row = await db.fetch_one(
        """
        SELECT CAST(coalesce(sum(amount), 0) AS bigint) AS amount
        FROM settlement
        WHERE account_id = :account_id
          AND invoice_id = :id
          AND payment_id IS NULL
          AND credit_note_id IS NULL
        """,
        {"account_id": account_id, "id": invoice_id},
    )
    return int(row["amount"]) if row else 0
