"""The files of an invoice: PDF, Factur-X and XRechnung."""

from starlette.responses import Response

from masthead.model.billing.printing import InvoiceFile
from masthead.services.billing.files.deliver import write_file
from masthead.store.billing import invoices
from masthead.web.kit.context import PageContext


async def download_pdf(context: PageContext) -> Response:
    """The invoice as a PDF. Raises: NotFound, Busy."""
    return await _download(context, InvoiceFile.PDF)


async def download_facturx(context: PageContext) -> Response:
    """The invoice as a PDF with its e-invoice. Raises: NotFound, Invalid, Busy."""
    return await _download(context, InvoiceFile.FACTURX)


async def download_xrechnung(context: PageContext) -> Response:
    """The e-invoice alone, as XML. Raises: NotFound, Invalid, Busy."""
    return await _download(context, InvoiceFile.XRECHNUNG)


async def _download(context: PageContext, kind: InvoiceFile) -> Response:
    id = context.path["id"]
    invoice = await invoices.get_invoice(context.db, context.account_id, id)
    content = await write_file(context.db, context.account_id, id, kind)
    name = kind.name_of(invoice.document.number)
    await context.record_download(name)
    return context.download(content, name, kind.media_type)
