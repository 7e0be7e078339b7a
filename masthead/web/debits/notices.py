"""The letters that tell payers of a direct debit, as a PDF to print."""

from starlette.responses import Response

from masthead.services.debits.notice_letters import print_notices
from masthead.services.reminders.printing import MEDIA_TYPE
from masthead.store.billing import invoices
from masthead.web.kit.context import PageContext


async def download_one(context: PageContext) -> Response:
    """The notice for the payer of an invoice. Raises: NotFound, Invalid, Busy."""
    id = context.path["id"]
    async with context.db.read() as db:
        invoice = await invoices.get_invoice(db, context.account_id, id)
    return await _download(context, f"direct-debit-{invoice.document.number}.pdf", id)


async def download_all(context: PageContext) -> Response:
    """The notices of all payers without an email address. Raises: Invalid, Busy."""
    name = f"direct-debits-{context.membership.daily_date}.pdf"
    return await _download(context, name, None)


async def _download(context: PageContext, name: str, invoice_id: str | None) -> Response:
    content = await print_notices(context.db, context.account_id, invoice_id)
    context.log_download(name)
    return Response(
        content,
        media_type=MEDIA_TYPE,
        headers={
            "Content-Disposition": f'attachment; filename="{name}"',
            "Cache-Control": "no-store",
        },
    )
