"""Letterheads, and the files of stored invoices."""

from io import BytesIO

import pytest
from PIL import Image
from pypdf import PdfReader

from masthead.model.errors import Invalid, NotFound
from masthead.services.billing.files import deliver
from masthead.services.billing.letterhead import BOX, make_letterhead, set_letterhead
from tests.conftest import BY, Cast
from tests.services.test_audit import count
from tests.support.billing import bill_one, turn_on_billing
from tests.support.pictures import picture


def test_a_logo_stays_a_png_and_a_photo_a_jpeg_that_fit_into_the_box() -> None:
    logo = make_letterhead(picture(2_000, 1_000, mode="RGBA", color=(0, 0, 0, 0)))
    assert logo.media_type == "image/png"
    assert (logo.width, logo.height) == (800, BOX[1])
    made = Image.open(BytesIO(logo.content))
    assert (made.mode, made.getpixel((5, 5))) == ("RGB", (255, 255, 255))
    assert make_letterhead(picture(300, 100, format="JPEG")).media_type == "image/jpeg"


@pytest.mark.parametrize("content", [b"", b"<script>", picture(20, 20)])
def test_other_files_are_refused(content: bytes) -> None:
    with pytest.raises(Invalid) as refusal:
        make_letterhead(content)
    assert refusal.value.field == "file"


async def test_a_letterhead_needs_settings(acme: Cast) -> None:
    with pytest.raises(Invalid, match="writes no invoices yet"):
        await set_letterhead(acme.db, acme.account_id, None, by=BY)


async def test_no_letterhead_is_removed_without_an_entry_in_the_audit_trail(acme: Cast) -> None:
    await turn_on_billing(acme)
    before = await count(acme)
    await set_letterhead(acme.db, acme.account_id, None, by=BY)
    assert await count(acme) == before


@pytest.mark.usefixtures("pdfs_in_processes")
async def test_invoices_of_one_pdf_keep_their_own_letterhead(acme: Cast) -> None:
    await turn_on_billing(acme)
    invoices = [await bill_one(acme, order_id="A", email="a@example.org")]
    for each, color in (("B", "red"), ("C", "green")):
        made = make_letterhead(picture(400, 100, color=color))
        await set_letterhead(acme.db, acme.account_id, made, by=BY)
        invoices.append(await bill_one(acme, order_id=each, email=f"{each}@example.org"))
    ids = [each.id for each in invoices]
    content = await deliver.write_many(acme.db, acme.account_id, ids, by=BY)
    pages = list(PdfReader(BytesIO(content)).pages)
    numbers = {each.document.number: each.document.seller.letterhead for each in invoices}
    found = {
        number: len(page.images)
        for page in pages
        for number in numbers
        if number in page.extract_text()
    }
    assert found == {number: int(bool(letterhead)) for number, letterhead in numbers.items()}
    assert sorted(numbers.values()) == [0, 1, 2]


@pytest.mark.parametrize("ids, error", [([], Invalid), (["X"], Invalid), (["X"] * 501, Invalid)])
async def test_no_invoices_or_too_many_are_refused(
    ids: list[str], error: type[Exception], acme: Cast
) -> None:
    with pytest.raises(error):
        await deliver.write_many(acme.db, acme.account_id, ids, by=BY)


async def test_an_unknown_invoice_among_others_is_named(acme: Cast) -> None:
    await turn_on_billing(acme)
    invoice = await bill_one(acme)
    with pytest.raises(NotFound):
        await deliver.write_many(acme.db, acme.account_id, [invoice.id, "X"], by=BY)
