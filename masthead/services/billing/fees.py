"""Fees that a payer owes beside their invoices: documents of their own, without VAT."""

from datetime import timedelta

from msgspec import structs

from masthead.model.actors import Actor
from masthead.model.billing.documents import DocumentKind, DocumentLine
from masthead.model.billing.settings import BillingSettings
from masthead.model.billing.vat import VatCategory
from masthead.services.billing.issue import write_document
from masthead.store.accounts import Account
from masthead.store.billing import invoices
from masthead.store.engine.interface import Transaction

FEE_SERIES = "FEE-"  # before that of the invoices


async def charge_fee(
    tx: Transaction,
    account: Account,
    settings: BillingSettings,
    *,
    invoice_id: str,
    payer_id: str,
    amount: int,
    text: str,
    detail: str,
    by: Actor,
) -> str:
    """Charge a fee; returns its id. It names the payer as the invoice does. The account is locked.

    amount: in minor units of the currency of the invoice. text, detail: of its line.
    """
    invoice = await invoices.get_invoice(tx, account.id, invoice_id)
    series = FEE_SERIES + settings.series_on(account.daily_date)
    last = await invoices.find_last_date(tx, account.id, series)
    day = max(account.daily_date, last or account.daily_date)
    line = DocumentLine(
        period_id=0,
        order_id="",
        text=text,
        detail=detail,
        quantity=1,
        country=settings.country,
        category=VatCategory.OUTSIDE,
        rate=0,
        net=amount,
        vat=0,
    )
    document = structs.replace(
        invoice.document,
        kind=DocumentKind.FEE,
        number="",
        issue_date=day,
        due_date=day + timedelta(days=settings.due_days),
        seller=settings.seller,
        payer=structs.replace(invoice.document.payer, subscriber_id=payer_id),
        lines=[line],
        debit=None,
        converted=None,
        supplied_from=None,
        supplied_to=None,
    )
    return await write_document(tx, account, settings, document, series=series, by=by)
