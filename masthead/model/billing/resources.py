"""Invoices and payments as the API and events show them."""

from collections.abc import Sequence
from datetime import date
from enum import StrEnum

from msgspec import Struct

from masthead.model.billing.documents import Document, DocumentKind
from masthead.model.billing.vat import FULL, VatCategory
from masthead.model.debits.mandates import MandateScheme, scheme_of
from masthead.model.resources import Moment
from masthead.model.types.enums import PaymentMethod
from masthead.model.types.money import money_text


class InvoiceStatus(StrEnum):
    """Whether an invoice is paid. A credit note is open until it is used up."""

    OPEN = "open"
    OVERDUE = "overdue"
    SETTLED = "settled"


class PayerRef(Struct, frozen=True):
    """Who pays.

    id: id of the subscriber.
    number: customer number.
    name: name on the invoice.
    vat_id: VAT id on the invoice; null if there is none.
    """

    id: str
    number: int
    name: str
    vat_id: str | None


class InvoiceLineResource(Struct, frozen=True):
    """A line of an invoice.

    order_id: id of the order.
    text: what it is.
    detail: for whom, and which issues or days.
    vat_category: why it has its rate.
    vat_rate: in percent, such as `7.00`.
    net: amount without VAT.
    vat: VAT.
    total: both together.
    """

    order_id: str
    text: str
    detail: str
    vat_category: VatCategory
    vat_rate: str
    net: str
    vat: str
    total: str


class InvoiceResource(Struct, frozen=True):
    """An invoice or a credit note. It never changes, except for what is open.

    id: id of the invoice.
    kind: what it is; the amounts of a credit note are positive, too.
    number: as it is printed.
    status: `overdue` after the day on which it was due.
    payer: who pays.
    issue_date: date of the invoice.
    due_date: day by which it is to be paid.
    currency: ISO 4217 currency code.
    net: amount without VAT.
    vat: VAT.
    total: both together.
    vat_converted: VAT in the currency of the publisher's country; null if the invoice is in it.
    vat_currency: ISO 4217 code of that currency; null if the invoice is in it.
    exchange_rate: by which the VAT was converted; null if it was not.
    open_amount: what is owed still; for a credit note, what is not used or paid back yet.
    order_reference: the payer's own order number; null if there is none.
    corrects: number of the invoice that a credit note corrects; else null.
    mandate_reference: of the mandate by which it is collected; null if the payer pays it.
    mandate_scheme: of SEPA, by which it is collected; null if the payer pays it.
    collect_date: day on which it is collected; null if the payer pays it.
    lines: in the order in which they are printed.
    created_at: moment at which it was issued.
    """

    id: str
    kind: DocumentKind
    number: str
    status: InvoiceStatus
    payer: PayerRef
    issue_date: date
    due_date: date
    currency: str
    net: str
    vat: str
    total: str
    vat_converted: str | None
    vat_currency: str | None
    exchange_rate: str | None
    open_amount: str
    order_reference: str | None
    corrects: str | None
    mandate_reference: str | None
    mandate_scheme: MandateScheme | None
    collect_date: date | None
    lines: Sequence[InvoiceLineResource]
    created_at: Moment


class PaymentResource(Struct, frozen=True):
    """A payment that was recorded.

    id: id of the payment.
    payer: id of the subscriber who paid; null if it is not known.
    payment_date: day on which it came.
    amount: amount; negative if it was paid back.
    currency: ISO 4217 currency code.
    method: how it came.
    reference: what the payer wrote.
    unused_amount: what has settled no invoice.
    is_undone: whether it was recorded by mistake, and undone.
    invoices: numbers of the invoices that it settled, and how much of each.
    """

    id: str
    payer: str | None
    payment_date: date
    amount: str
    currency: str
    method: PaymentMethod
    reference: str
    unused_amount: str
    is_undone: bool
    invoices: Sequence["SettledInvoice"]


class SettledInvoice(Struct, frozen=True):
    """What a payment has settled of an invoice.

    id: id of the invoice.
    number: as it is printed.
    amount: how much.
    """

    id: str
    number: str
    amount: str


def status_of(open_amount: int, due_date: date, today: date) -> InvoiceStatus:
    """The status of an invoice. open_amount: negative for a credit note."""
    if not open_amount:
        return InvoiceStatus.SETTLED
    if open_amount > 0 and due_date < today:
        return InvoiceStatus.OVERDUE
    return InvoiceStatus.OPEN


def invoice_resource(
    id: str, document: Document, *, payer_id: str, open_amount: int, created_at: Moment, today: date
) -> InvoiceResource:
    """An invoice as the API shows it. open_amount: negative for a credit note.

    payer_id: their record now, which is another one than in the document after a merge.
    """
    currency, own = document.currency, document.converted
    return InvoiceResource(
        id=id,
        kind=document.kind,
        number=document.number,
        status=status_of(open_amount, document.due_date, today),
        payer=PayerRef(
            payer_id, document.payer.number, document.payer.name, document.payer.vat_id or None
        ),
        issue_date=document.issue_date,
        due_date=document.due_date,
        currency=currency,
        net=money_text(document.net, currency),
        vat=money_text(document.vat, currency),
        total=money_text(document.total, currency),
        vat_converted=money_text(own.vat, own.currency) if own else None,
        vat_currency=own.currency if own else None,
        exchange_rate=own.rate.text if own else None,
        open_amount=money_text(abs(open_amount), currency),
        order_reference=document.order_reference or None,
        corrects=document.corrects or None,
        mandate_reference=document.debit.reference if document.debit else None,
        mandate_scheme=scheme_of(document.debit.is_b2b) if document.debit else None,
        collect_date=document.debit.day if document.debit else None,
        lines=[
            InvoiceLineResource(
                order_id=each.order_id,
                text=each.text,
                detail=each.detail,
                vat_category=each.category,
                vat_rate=percent_text(each.rate),
                net=money_text(each.net, currency),
                vat=money_text(each.vat, currency),
                total=money_text(each.total, currency),
            )
            for each in document.lines
        ],
        created_at=created_at,
    )


def percent_text(rate: int) -> str:
    """A rate in percent: `7.00`."""
    return f"{rate * 100 / FULL:.2f}"
