"""The process that writes the files of invoices, because the libraries for it load slowly."""

from collections.abc import Sequence
from enum import StrEnum

from msgspec import Struct

from masthead.model.billing.documents import Document
from masthead.services.child_process import run_in_child


class InvoiceFile(StrEnum):
    """The files of a document."""

    PDF = "pdf"
    FACTURX = "facturx"
    XRECHNUNG = "xrechnung"

    @property
    def media_type(self) -> str:
        """As HTTP names it."""
        return "application/xml" if self is InvoiceFile.XRECHNUNG else "application/pdf"

    def name_of(self, number: str) -> str:
        """The name of the file of an invoice. number: as it is printed."""
        suffix = {"facturx": "-factur-x.pdf", "xrechnung": "-xrechnung.xml"}.get(self, ".pdf")
        return number.replace("/", "-") + suffix


class LetterheadPicture(Struct, frozen=True):
    """The picture at the top of a page. width, height: in pixels."""

    content: bytes
    width: int
    height: int


class PrintedDocument(Struct, frozen=True):
    """A document to print."""

    document: Document
    picture: LetterheadPicture | None = None


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
