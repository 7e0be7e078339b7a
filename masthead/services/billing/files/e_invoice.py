"""E-invoices by EN 16931: XRechnung, and Factur-X (ZUGFeRD) within a PDF/A-3.

Both are Cross Industry Invoices of UN/CEFACT. What the standard needs and a document lacks is
named, with the way to complete it. `pdf_process` runs this.
"""

from datetime import datetime, time
from xml.sax.saxutils import escape

from drafthorse.xmp_schema import XMP_SCHEMA

from masthead.model.billing.documents import Document
from masthead.model.billing.printing import PrintedDocument
from masthead.model.billing.vat import VatCategory
from masthead.model.errors import Invalid
from masthead.model.translations import gettext as _, in_language
from masthead.model.types.money import CURRENCIES
from masthead.services.billing.files import wording
from masthead.services.billing.files.cii import EN_16931, XRECHNUNG, write_cii
from masthead.services.billing.files.invoice_pdf import moment_of, write_archival_pdf
from masthead.services.dispatch.writers.label_printer import AttachedFile

FACTURX_FILE = "factur-x.xml"  # the name that the standard gives it
NEED_VAT_ID = frozenset(
    {VatCategory.REVERSE_CHARGE, VatCategory.INTRA_COMMUNITY, VatCategory.EXPORT}
)


def write_facturx(printed: PrintedDocument) -> bytes:
    """A document as PDF/A-3 with its e-invoice. Raises: Invalid."""
    document = printed.document
    _require(document)
    file = AttachedFile(
        name=FACTURX_FILE,
        media_type="text/xml",
        description="Factur-X / ZUGFeRD",
        content=write_cii(document, guideline=EN_16931),
        created_at=moment_of(document),
    )
    return write_archival_pdf(printed, file, metadata=_metadata(document))


def write_xrechnung(document: Document) -> bytes:
    """A document as XML for German authorities and companies. Raises: Invalid."""
    _require(document)
    _require_for_xrechnung(document)
    return write_cii(document, guideline=XRECHNUNG)


# --- what a document needs ------------------------------------------------------------------------


def _require(document: Document) -> None:
    """Raises: Invalid if the standard needs more than the document says."""
    own = [document.converted.currency] if document.converted else []
    for currency in (document.currency, *own):
        if CURRENCIES[currency] > 2:
            raise Invalid(
                _("An e-invoice has amounts with two decimals, but {currency} has three.").format(
                    currency=currency
                )
            )
    categories = {each.category for each in document.lines}
    if categories & NEED_VAT_ID and not document.seller.vat_id:
        raise _lacking(document, _("your VAT ID"))
    if categories & {VatCategory.REVERSE_CHARGE, VatCategory.INTRA_COMMUNITY} and not (
        document.payer.vat_id
    ):
        raise _lacking(document, _("the VAT ID of the payer"))


def _require_for_xrechnung(document: Document) -> None:
    """Raises: Invalid. The rules are BR-DE-2 to 11 and 31, and electronic addresses of Peppol."""
    seller, payer = document.seller, document.payer
    needed = [
        (seller.email, _("your email address")),
        (seller.phone, _("your phone number")),
        (seller.iban, _("your IBAN")),
        (payer.email, _("the email address of the payer")),
        (payer.postcode, _("the postcode of the payer")),
        (payer.city, _("the town of the payer")),
    ]
    for value, name in needed:
        if not value:
            raise _lacking(document, name)
    if document.debit is not None:
        raise Invalid(
            _(
                "{number} has no XRechnung, because it is collected by direct debit. An XRechnung "
                "would need the whole IBAN of the payer, which no invoice stores. Use Factur-X."
            ).format(number=document.number)
        )
    if any(
        each.category is VatCategory.INTRA_COMMUNITY and each.country != payer.country
        for each in document.lines
    ):
        raise Invalid(
            _(
                "{number} has no XRechnung, because copies go to another country than that of the "
                "payer. An XRechnung would need the town there. Use Factur-X."
            ).format(number=document.number)
        )


def _lacking(document: Document, what: str) -> Invalid:
    return Invalid(
        _(
            "{number} has no e-invoice, because {what} is missing in it. Complete the settings or "
            "the address; then correct this invoice by a credit note and a new one."
        ).format(number=document.number, what=what)
    )


# --- metadata of the PDF --------------------------------------------------------------------------


def _metadata(document: Document) -> str:
    """The XMP of a PDF with an e-invoice, without its wrapper."""
    with in_language(document.language):
        title = f"{document.seller.name}: {wording.title_of(document)}"
    packet: str = XMP_SCHEMA.format(
        title=escape(title),
        author=escape(document.seller.name),
        subject=escape(title),
        producer="masthead",
        creator_tool="masthead",
        timestamp=datetime.combine(document.issue_date, time()).isoformat() + "+00:00",
        urn="urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#",
        documenttype="INVOICE",
        xml_filename=FACTURX_FILE,
        version="1.0",
        xmp_level="EN 16931",
    )
    return packet[packet.index("<x:xmpmeta") : packet.index("<?xpacket end")].strip()
