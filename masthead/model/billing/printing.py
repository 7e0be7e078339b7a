"""What is printed: the files of documents, and what a page of one needs."""

from enum import StrEnum

from msgspec import Struct

from masthead.model.billing.documents import Document


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
