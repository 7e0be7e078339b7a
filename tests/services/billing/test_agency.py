"""An agency that pays for 300 recipients, with one invoice for all."""

from io import BytesIO

from lxml import etree
from pypdf import PdfReader

from masthead.model.billing.printing import InvoiceFile, PrintedDocument
from masthead.services.billing.files.deliver import write_file
from masthead.services.billing.waiting import issue_for_payer
from masthead.services.pdf_process import write_invoice
from tests.conftest import BY, Cast
from tests.services.billing.files.test_archival_pdf import attached_xml
from tests.services.billing.files.test_e_invoice import RAM, amounts
from tests.support.billing import bill, bill_together, read_invoice, turn_on_billing

RECIPIENTS = 300


async def test_one_invoice_has_a_line_for_each_of_300_recipients(acme: Cast) -> None:
    await turn_on_billing(acme, email="abo@example.org", phone="+49 30 1")
    agency = await bill_together(
        acme, first_name="Lese", last_name="Agentur", email="agency@example.org", city="Ulm"
    )
    for number in range(1, RECIPIENTS):
        await bill(acme, email=f"r{number}@example.org", last_name=f"R{number}", payer_id=agency)
    await acme.db.analyze_grown()  # as autovacuum does, which is off in tests
    [id] = await issue_for_payer(acme.db, acme.account_id, agency, by=BY)
    invoice = await read_invoice(acme, id)
    assert len(invoice.document.lines) == RECIPIENTS
    assert invoice.document.total == invoice.open_amount == RECIPIENTS * 60_00
    assert invoice.document.vat == 117_757  # 7 % within 18,000.00, rounded once

    async def file(kind: InvoiceFile) -> bytes:
        return await write_file(acme.db, acme.account_id, id, kind)

    pages = [each.extract_text() for each in PdfReader(BytesIO(await file(InvoiceFile.PDF))).pages]
    text = "\n".join(pages)
    assert [text.count(f"for Ada R{number}\n") for number in range(1, RECIPIENTS)] == [1] * 299
    facturx = await file(InvoiceFile.FACTURX)
    assert len(PdfReader(BytesIO(facturx)).pages) == len(pages)
    for content in (attached_xml(facturx), await file(InvoiceFile.XRECHNUNG)):
        root = etree.fromstring(content)
        assert len(root.findall(f".//{RAM}IncludedSupplyChainTradeLineItem")) == RECIPIENTS
        [due] = amounts(root, "DuePayableAmount")
        assert due == RECIPIENTS * 60

    assert write_invoice(PrintedDocument(invoice.document)) == facturx  # what emails have
