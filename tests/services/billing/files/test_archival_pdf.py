"""The PDF/A-3 of a Factur-X: what the standard asks for, read back from the file."""

from io import BytesIO
from typing import Any

from lxml import etree
from pypdf import PdfReader

from masthead.model.billing.printing import PrintedDocument
from masthead.services.billing.files.e_invoice import write_facturx
from tests.services.billing.files.documents import SELLER, document, line
from tests.services.billing.files.test_invoice_pdf import PICTURE

PDFA = "{http://www.aiim.org/pdfa/ns/id/}"
DC = "{http://purl.org/dc/elements/1.1/}"
FX = "{urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#}"


def attached_xml(content: bytes) -> bytes:
    """The e-invoice within a PDF."""
    return PdfReader(BytesIO(content)).attachments["factur-x.xml"][0]


def fonts_of(reader: PdfReader) -> list[Any]:
    """The fonts of all pages."""
    return [
        font.get_object()
        for page in reader.pages
        for font in page["/Resources"]["/Font"].values()  # type: ignore[index]
    ]


def test_the_file_is_a_pdf_a_3_with_the_invoice_as_alternative() -> None:
    content = write_facturx(PrintedDocument(document(line(1), line(2, rate=1900)), PICTURE))
    assert content.startswith(b"%PDF-1.7")
    reader = PdfReader(BytesIO(content))
    root: Any = reader.trailer["/Root"]
    assert root["/Lang"] == "de-DE"
    assert "/Encrypt" not in reader.trailer
    assert len(reader.trailer["/ID"]) == 2  # type: ignore[arg-type]

    # The colours
    (intent,) = root["/OutputIntents"]
    assert intent.get_object()["/S"] == "/GTS_PDFA1"
    profile = intent.get_object()["/DestOutputProfile"].get_object()
    assert profile["/N"] == 3
    assert profile.get_data()[36:40] == b"acsp"  # an ICC profile

    # The file
    (spec,) = (each.get_object() for each in root["/AF"])
    assert spec["/AFRelationship"] == "/Alternative"
    assert spec["/F"] == spec["/UF"] == "factur-x.xml"
    embedded = spec["/EF"]["/F"].get_object()
    assert embedded["/Subtype"] == "/text/xml"
    assert "/ModDate" in embedded["/Params"]
    names = root["/Names"]["/EmbeddedFiles"]["/Names"]
    assert names[0] == "factur-x.xml"

    # Nothing that PDF/A forbids, and all fonts within the file
    for font in fonts_of(reader):
        (descendant,) = font["/DescendantFonts"]
        assert "/FontFile2" in descendant.get_object()["/FontDescriptor"]
        assert "/ToUnicode" in font
    for page in reader.pages:
        assert "/Annots" not in page
        for picture in page["/Resources"].get("/XObject", {}).values():  # type: ignore[attr-defined]
            assert "/SMask" not in picture.get_object()


def test_the_metadata_say_what_the_file_is() -> None:
    content = write_facturx(PrintedDocument(document(line(1))))
    reader = PdfReader(BytesIO(content))
    root: Any = reader.trailer["/Root"]
    assert reader.metadata is None  # it could contradict
    xmp = etree.fromstring(root["/Metadata"].get_data())

    def text(name: str) -> str | None:
        found = next(xmp.iter(name), None)
        return None if found is None else "".join(found.itertext()).strip()

    assert text(f"{PDFA}part") == "3"
    assert text(f"{PDFA}conformance") == "B"
    assert text(f"{FX}DocumentFileName") == "factur-x.xml"
    assert text(f"{FX}DocumentType") == "INVOICE"
    assert text(f"{FX}ConformanceLevel") == "EN 16931"
    assert text(f"{DC}title") == "Verlag Beispiel GmbH: Rechnung 2026-00012"
    assert text(f"{DC}creator") == SELLER.name
    assert text("{http://ns.adobe.com/xap/1.0/}CreateDate") == "2026-11-27T00:00:00+00:00"


def test_the_same_document_gives_the_same_bytes() -> None:
    it = PrintedDocument(document(line(1)), PICTURE)
    assert write_facturx(it) == write_facturx(it)
