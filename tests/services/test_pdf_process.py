"""Files as PDF: one that cannot be written does not stop the others."""

from collections.abc import Callable
from io import BytesIO
from typing import Any

import pytest
from msgspec import structs
from pypdf import PdfReader

from masthead.model.billing.printing import PrintedDocument
from masthead.model.errors import Invalid, Unavailable
from masthead.services.pdf_process import write_each, write_invoice
from tests.conftest import Cast
from tests.services.billing.files.test_archival_pdf import attached_xml
from tests.support.billing import bill_one, turn_on_billing


def write(text: str) -> bytes:
    return text.encode("ascii")


def refuse(reason: Exception) -> bytes:
    raise reason


def test_each_file_is_written_or_says_why_not(capsys: pytest.CaptureFixture[str]) -> None:
    invalid, away = Invalid("no town"), Unavailable()
    works: list[tuple[Callable[[Any], bytes], object]] = [
        (write, "a"),
        (refuse, invalid),
        (write, "ä"),
        (refuse, away),
        (write, "b"),
    ]
    first, second, third, fourth, last = write_each(works)
    assert (first, second, fourth, last) == (b"a", invalid, away, b"b")
    assert isinstance(third, RuntimeError)
    assert "UnicodeEncodeError: 'ascii' codec" in str(third)
    assert "Traceback" in capsys.readouterr().err


def test_a_process_without_memory_writes_none_of_them() -> None:
    with pytest.raises(MemoryError):
        write_each([(write, "a"), (refuse, MemoryError())])


async def test_an_invoice_that_is_no_e_invoice_is_a_plain_pdf(acme: Cast) -> None:
    await turn_on_billing(acme, email="abo@example.org", phone="+49 30 1")
    document = (await bill_one(acme)).document
    assert b"CrossIndustryInvoice" in attached_xml(write_invoice(PrintedDocument(document)))
    in_fils = structs.replace(document, currency="KWD")  # e-invoices have two decimals
    written = write_invoice(PrintedDocument(in_fils))
    pdf = PdfReader(BytesIO(written))
    assert document.number in pdf.pages[0].extract_text()
    assert not pdf.attachments
