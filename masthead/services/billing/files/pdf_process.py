"""The process that writes the files of invoices, because the libraries for it load slowly."""

from collections.abc import Sequence

from masthead.model.billing.printing import InvoiceFile, PrintedDocument
from masthead.services.child_process import run_in_child


async def write_in_process(
    account_id: int, kind: InvoiceFile, documents: Sequence[PrintedDocument]
) -> bytes:
    """The file of documents; only a PDF can have several. Raises: Invalid, Busy."""
    return await run_in_child(write_with_library, kind, documents, account_id=account_id)


def write_with_library(kind: InvoiceFile, documents: Sequence[PrintedDocument]) -> bytes:
    """The file of documents, in a process that loads the libraries for it. Raises: Invalid."""
    from masthead.services.billing.files import e_invoice, invoice_pdf  # noqa: PLC0415

    if kind is InvoiceFile.PDF:
        return invoice_pdf.write_pdf(documents)
    if kind is InvoiceFile.FACTURX:
        return e_invoice.write_facturx(documents[0])
    return e_invoice.write_xrechnung(documents[0].document)
