"""The invoices and payments of a subscriber: the list, one invoice and how to pay it, its PDF."""

from functools import partial

from msgspec import structs
from starlette.responses import Response

from masthead.model.billing.documents import DocumentKind, join_copies
from masthead.model.billing.printing import InvoiceFile
from masthead.services.billing.files.pay_code import make_pay_code
from masthead.services.billing.files.wording import (
    correction_of,
    facts_of,
    payment_lines,
    title_of,
    totals_of,
    vat_sentences,
)
from masthead.services.pdf_process import expect_pdf
from masthead.services.self_service import invoices as service
from masthead.store.billing.credit_notes import find_fully_credited
from masthead.web.billing.words import entry_words
from masthead.web.subscriber_pages.amounts import amount_in
from masthead.web.subscriber_pages.context import MyContext


async def list_invoices(context: MyContext) -> Response:
    """The invoices, credit notes and payments, newest first."""
    async with context.db.read(aside=True) as db:
        own = await service.list_own_invoices(db, context.caller)
        ids = [each.id for each in own.entries if each.kind == "invoice"]
        credited = await find_fully_credited(db, context.caller.account_id, ids)
    return context.render(
        "subscriber_pages/invoices.html",
        own=own,
        credited=credited,
        today=context.account.daily_date,
        amount=partial(amount_in, context),
        kind_of=entry_words,
    )


async def show_invoice(context: MyContext) -> Response:
    """What an invoice says, what is paid of it, and how to pay the rest. Raises: NotFound."""
    id = context.path["id"]
    async with context.db.read(aside=True) as db:
        invoice = await service.get_own_invoice(db, context.caller, id)
        paid = await service.list_own_payments(db, context.caller, id)
    document = structs.replace(invoice.document, language=context.locale)
    is_open = invoice.open_amount > 0
    code = make_pay_code(document, invoice.open_amount) if is_open else None
    expect_pdf()
    return context.render(
        "subscriber_pages/invoice.html",
        id=id,
        title=title_of(document),
        facts=facts_of(document),
        lines=join_copies(document.lines),
        totals=totals_of(document),
        sentences=[each for each in (correction_of(document), *vat_sentences(document)) if each],
        paid=paid,
        is_invoice=document.kind is DocumentKind.INVOICE,
        open_amount=amount_in(context, invoice.open_amount, document.currency) if is_open else "",
        is_late=is_open and document.due_date < context.account.daily_date,
        payment_lines=payment_lines(document) if is_open else [],
        code=code.svg_data_uri(scale=4, light="white") if code else "",
        amount=lambda number: amount_in(context, number, document.currency),
    )


async def download_invoice(context: MyContext) -> Response:
    """The invoice as a PDF. Raises: NotFound, Busy, TooManyAttempts."""
    id = context.path["id"]
    async with context.db.read() as db:
        number = (await service.get_own_invoice(db, context.caller, id)).document.number
    content = await service.write_own_invoice(context.db, context.caller, id)
    context.log_access("subscriber invoice downloaded", account=context.account.subdomain)
    name = InvoiceFile.PDF.name_of(number)
    return context.download(content, name, InvoiceFile.PDF.media_type)
