"""The letters that tell payers of a direct debit, as a PDF to print."""

from starlette.responses import Response

from masthead.model.errors import Invalid
from masthead.model.file_names import file_name
from masthead.services.debits.notice_letters import print_notices
from masthead.store.billing import invoices
from masthead.web.kit.attachments import PDF
from masthead.web.kit.context import PageContext


async def download_one(context: PageContext) -> Response:
    """The notice for the payer of an invoice. Raises: NotFound, Busy."""
    id = context.path["id"]
    async with context.db.read() as db:
        invoice = await invoices.get_invoice(db, context.account_id, id)
    number = invoice.document.number.replace("/", "-")
    name = file_name("direct-debit-{number}.pdf", number=number)
    return await _download(context, name, id, context.url("money", "invoices", id))


async def download_all(context: PageContext) -> Response:
    """The notices of all payers without an email address. Raises: Busy."""
    name = file_name("direct-debits-{day}.pdf", day=context.membership.daily_date)
    return await _download(context, name, None, context.url("money", "debits"))


async def _download(context: PageContext, name: str, invoice_id: str | None, back: str) -> Response:
    """The PDF; or the page that it was asked for on, which says why there is none."""
    try:
        content = await print_notices(context.db, context.account_id, invoice_id)
    except Invalid as reason:
        return context.redirect(back, message=str(reason))
    await context.record_download(name)
    return context.download(content, name, PDF, {"Cache-Control": "no-store"})
