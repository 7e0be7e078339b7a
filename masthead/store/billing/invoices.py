"""Invoices and credit notes: rows that never change, except for what is open of them."""

from collections.abc import Collection
from datetime import date, datetime

import msgspec
from msgspec import Struct

from masthead.model.actors import Actor
from masthead.model.billing.documents import Document, DocumentKind
from masthead.model.billing.exchange_rates import ConvertedVat
from masthead.model.billing.payments import OpenInvoice
from masthead.model.clock import now
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.engine.rows import fetch_all, get_one, insert_row
from masthead.store.update_statement import update_row

_encode = msgspec.json.Encoder().encode
_COLUMNS = "id, number, payer_id, issue_date, due_date, currency, open_amount"


class StoredInvoice(Struct, frozen=True, kw_only=True):
    """An invoice or a credit note with its document. open_amount: negative for a credit note."""

    id: str
    kind: DocumentKind
    payer_id: str
    open_amount: int
    corrects_id: str | None
    document: Document
    created_at: datetime


async def insert_invoice(
    tx: Transaction,
    account_id: int,
    id: str,
    document: Document,
    *,
    series: str,
    series_number: int,
    corrects_id: str | None,
    open_amount: int,
    by: Actor,
) -> None:
    """Store a document, and a row for each of its lines. Queries: two."""
    await insert_row(
        tx,
        "invoice",
        account_id=account_id,
        id=id,
        kind=document.kind,
        series=series,
        series_number=series_number,
        number=document.number,
        payer_id=document.payer.subscriber_id,
        payer_name=document.payer.name,
        issue_date=document.issue_date,
        due_date=document.due_date,
        currency=document.currency,
        net=document.net,
        vat=document.vat,
        total=document.total,
        open_amount=open_amount,
        corrects_id=corrects_id,
        document=_encode(document).decode(),
        created_at=now(),
        actor_kind=by.kind,
        actor_id=by.id,
    )
    await tx.insert_rows(
        "invoice_line",
        [
            {
                "account_id": account_id,
                "invoice_id": id,
                "line": place,
                "period_id": line.period_id,
                "country": line.country,
                "category": line.category,
                "rate": line.rate,
                "net": line.net,
                "vat": line.vat,
            }
            for place, line in enumerate(document.lines, 1)
        ],
    )


async def update_document(tx: Transaction, account_id: int, id: str, document: Document) -> None:
    """Replace what an invoice says, when it is old enough to forget people. Queries: one."""
    await update_row(
        tx,
        account_id,
        "invoice",
        id,
        document=_encode(document).decode(),
        payer_name=document.payer.name,
    )


_INVOICE = """
    SELECT id, kind, payer_id, open_amount, corrects_id, document, created_at
    FROM invoice
    WHERE account_id = :account_id
"""


async def get_invoice(db: Connection, account_id: int, id: str) -> StoredInvoice:
    """An invoice or a credit note. Queries: one. Raises: NotFound."""
    return await get_one(
        db, account_id, id, _INVOICE + " AND id = :id", into=StoredInvoice, noun="invoice"
    )


async def list_invoices(
    db: Connection, account_id: int, ids: Collection[str]
) -> list[StoredInvoice]:
    """Some invoices, oldest first. Queries: one."""
    return await fetch_all(
        db,
        _INVOICE + " AND id IN (:ids...) ORDER BY id",
        {"account_id": account_id, "ids": list(ids)},
        into=StoredInvoice,
    )


class CheckedInvoice(Struct, frozen=True, kw_only=True):
    """What an invoice and its document say."""

    id: str
    number: str
    net: int
    vat: int
    document: Document


async def list_after(
    db: Connection, account_id: int, *, after: str, limit: int
) -> list[CheckedInvoice]:
    """The invoices and credit notes after an id, with their documents. Queries: one."""
    return await fetch_all(
        db,
        """
        SELECT id, number, net, vat, document
        FROM invoice
        WHERE account_id = :account_id AND id > :after
        ORDER BY id
        LIMIT :limit
        """,
        {"account_id": account_id, "after": after, "limit": limit},
        into=CheckedInvoice,
    )


async def list_credit_notes(
    db: Connection, account_id: int, invoice_id: str
) -> list[StoredInvoice]:
    """The credit notes that correct an invoice, oldest first. Index: invoice_by_corrected."""
    return await fetch_all(
        db,
        _INVOICE + " AND corrects_id = :corrected ORDER BY id",
        {"account_id": account_id, "corrected": invoice_id},
        into=StoredInvoice,
    )


async def find_converted(
    db: Connection, account_id: int, ids: Collection[str]
) -> dict[str, ConvertedVat]:
    """The VAT of some invoices in the currency of the country, if they have it. Queries: one."""
    found = await fetch_all(
        db,
        _INVOICE + " AND id IN (:ids...) AND document LIKE :has_it",
        {"account_id": account_id, "ids": list(ids), "has_it": '%"converted":{%'},
        into=StoredInvoice,
    )
    return {each.id: each.document.converted for each in found if each.document.converted}


async def find_by_number(
    db: Connection, account_id: int, numbers: Collection[str]
) -> dict[str, OpenInvoice]:
    """What is open of invoices, by their number. Index: invoice_number."""
    return {each.number: each for each in await _find(db, account_id, "number", numbers)}


async def find_open(
    db: Connection, account_id: int, ids: Collection[str]
) -> dict[str, OpenInvoice]:
    """What is open of some invoices, by id. Queries: one."""
    return {each.id: each for each in await _find(db, account_id, "id", ids)}


async def _find(
    db: Connection, account_id: int, column: str, values: Collection[str]
) -> list[OpenInvoice]:
    return await fetch_all(
        db,
        f"""
        SELECT {_COLUMNS}
        FROM invoice
        WHERE account_id = :account_id AND {column} IN (:values...)
        """,  # noqa: S608 - names of columns
        {"account_id": account_id, "values": list(values)},
        into=OpenInvoice,
    )


async def list_open_of_payer(
    db: Connection, account_id: int, payer_id: str, *, currency: str
) -> list[OpenInvoice]:
    """The open invoices and credit notes of a payer, oldest first. Index: invoice_by_payer."""
    return await fetch_all(
        db,
        f"""
        SELECT {_COLUMNS}
        FROM invoice
        WHERE account_id = :account_id
          AND payer_id = :payer_id
          AND currency = :currency
          AND open_amount <> 0
        ORDER BY id
        """,  # noqa: S608 - names of columns
        {"account_id": account_id, "payer_id": payer_id, "currency": currency},
        into=OpenInvoice,
    )


async def find_last_date(db: Connection, account_id: int, series: str) -> date | None:
    """The date of the last number of a series; None for the first one. Index: invoice_series."""
    row = await db.fetch_one(
        """
        SELECT issue_date
        FROM invoice
        WHERE account_id = :account_id AND series = :series
        ORDER BY series_number DESC
        LIMIT 1
        """,
        {"account_id": account_id, "series": series},
    )
    return row["issue_date"] if row else None


async def has_since(db: Connection, account_id: int, day: date) -> bool:
    """Whether any invoice was issued on a day or later. Index: invoice_by_date."""
    row = await db.fetch_one(
        """
        SELECT 1 AS found
        FROM invoice
        WHERE account_id = :account_id AND issue_date >= :day
        LIMIT 1
        """,
        {"account_id": account_id, "day": day},
    )
    return row is not None


async def has_seller_iban(db: Connection, account_id: int, iban: str) -> bool:
    """Whether a document names this bank account of the publisher. Queries: one, of all documents.

    iban: without blanks. That of a payer is masked in documents.
    """
    row = await db.fetch_one(
        """
        SELECT 1 AS found
        FROM invoice
        WHERE account_id = :account_id AND document LIKE :named
        LIMIT 1
        """,
        {"account_id": account_id, "named": f'%"iban":"{iban}"%'},
    )
    return row is not None


async def list_of_days(
    db: Connection, account_id: int, first: date, last: date, *, limit: int
) -> list[StoredInvoice]:
    """The invoices and credit notes of some days, oldest first. Index: invoice_by_date."""
    return await fetch_all(
        db,
        _INVOICE + " AND issue_date BETWEEN :first AND :last AND kind <> 'fee'"
        " ORDER BY issue_date, id LIMIT :limit",
        {"account_id": account_id, "first": first, "last": last, "limit": limit},
        into=StoredInvoice,
    )
