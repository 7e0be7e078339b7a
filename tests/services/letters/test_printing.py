"""The PDF of letters: the same bytes each time, with the address in the window."""

from datetime import UTC, datetime
from io import BytesIO

import pytest
from msgspec import structs
from pypdf import PageObject, PdfReader

from masthead.model.errors import Invalid, NotFound
from masthead.model.letters.outcomes import LetterChannel, LetterStatus
from masthead.model.letters.printing import LetterParts, LetterWords
from masthead.services.letters import printing as service
from masthead.services.letters.letter_pdf import write_pdf
from masthead.services.pdf_process import write_in_process, write_letters
from masthead.store.letters.facts import LetterToPrint
from masthead.store.letters.records import get_batch
from tests.conftest import BY, Cast
from tests.services.dispatch.test_pdf_files import texts_of
from tests.support.billing import turn_on_billing
from tests.support.factories import make_subscription
from tests.support.letters import ADDRESS, add_subscribers, execute, letters_of, set_up, write

MM = 72 / 25.4
HEAD = LetterParts(
    "Lantern & Tide",
    "Lantern & Tide · Kai 7 · 20457 Hamburg",
    {"": LetterWords("22 November 2026", "Your subscription online:")},
    "Letters",
    datetime(2026, 11, 22, 5, tzinfo=UTC),
)


def letter(**changes: str) -> LetterToPrint:
    fields = {
        "subject": "Your subscription ends",
        "body": "Dear Ada,\n\nit ends with issue 3.\n\nKind regards\n",
        "address": "Ada Lovelace\nHafenweg 1\n20095 Hamburg",
        "locale": "",
        **changes,
    }
    return LetterToPrint("L", LetterStatus.TO_PRINT, **fields)


def pages(content: bytes) -> list[PageObject]:
    return list(PdfReader(BytesIO(content)).pages)


def places(content: bytes, page: int = 0) -> dict[str, tuple[float, float]]:
    """Where each text of a page begins, in millimetres from the left and the top."""
    return {text: (x / MM, y / MM) for text, x, y, _ in texts_of(content, page)}


@pytest.mark.usefixtures("pdfs_in_processes")
async def test_a_process_writes_the_letters() -> None:
    written = await write_in_process(write_letters, HEAD, [letter()], account_id=1)
    assert written == write_pdf(HEAD, [letter()])


def test_the_address_is_in_the_window_of_a_dl_envelope() -> None:
    content = write_pdf(HEAD, [letter()])
    (page,) = pages(content)
    assert (round(float(page.mediabox.width) / MM), round(float(page.mediabox.height) / MM)) == (
        210,
        297,
    )
    found = places(content)
    for line in ("Ada Lovelace", "Hafenweg 1", "20095 Hamburg"):
        x, y = found[line]
        assert 20 <= x <= 30
        assert 62.7 <= y <= 90
    x, y = found["Lantern & Tide · Kai 7 · 20457 Hamburg"]
    assert 45 <= y <= 62.7
    assert found["Your subscription ends"][1] > 98
    assert found["Dear Ada,"][1] > found["Your subscription ends"][1]


@pytest.mark.slow
def test_the_same_letters_give_the_same_bytes() -> None:
    letters = [letter(), letter(address="李雷\n北京")]
    content = write_pdf(HEAD, letters)
    assert write_pdf(HEAD, letters) == content
    assert len(pages(content)) == 2


def test_a_long_text_goes_on_on_the_next_page_and_a_long_address_gets_smaller() -> None:
    long = letter(
        body="\n".join(f"line {number}" for number in range(80)),
        address="\n".join(f"A very long line of an address, number {n}, " * 3 for n in range(9)),
    )
    content = write_pdf(HEAD, [long])
    first, second = pages(content)
    assert "line 0" in first.extract_text()
    assert "line 79" in second.extract_text()
    assert all(y <= 92 for text, (_, y) in places(content).items() if "address" in text)


def test_characters_that_no_font_has_are_left_out() -> None:
    (page,) = pages(write_pdf(HEAD, [letter(subject="Hello \N{GRINNING FACE} Ada", body="x")]))
    assert "Hello  Ada" in page.extract_text()


def test_without_a_postal_address_the_window_has_no_line_of_the_sender() -> None:
    head = structs.replace(HEAD, sender="")
    (page,) = pages(write_pdf(head, [letter()]))
    assert "20457 Hamburg" not in page.extract_text()


async def prepare(cast: Cast, batch: str, part: int = 1) -> bytes:
    return await service.prepare_pdf(cast.db, cast.account_id, batch, part, by=BY)


async def test_a_batch_is_printed_with_the_sender_and_date(acme: Cast) -> None:
    await set_up(acme)
    await add_subscribers(acme, 2, email="", **ADDRESS)
    await execute(
        acme,
        "UPDATE account SET postal_address = :address WHERE id = :account_id",
        address="Acme\nKai 7\n\n20457 Hamburg\n",
    )
    batch = await write(acme, channel=LetterChannel.PRINT)
    content = await prepare(acme, batch.id)
    first, second = pages(content)
    text = first.extract_text()
    for word in ("Ada No. 0", "Hafenweg 1", "Acme · Kai 7 · 20457 Hamburg", "with issue 3"):
        assert word in text
    assert "The renewal costs €42.00 for 3 issues." in " ".join(text.split())
    assert "Ada No. 1" in second.extract_text()
    assert await prepare(acme, batch.id) == content
    assert await service.mark_printed(acme.db, acme.account_id, batch.id, by=BY) == 2
    assert await service.mark_printed(acme.db, acme.account_id, batch.id, by=BY) == 0
    assert await prepare(acme, batch.id) == content


async def test_without_a_postal_address_that_of_the_invoices_is_the_sender(acme: Cast) -> None:
    await set_up(acme)
    await add_subscribers(acme, 1, email="", **ADDRESS)
    await turn_on_billing(acme, has_issue=True)
    batch = await write(acme, channel=LetterChannel.PRINT)
    (page,) = pages(await prepare(acme, batch.id))
    assert "Acme Verlag GmbH · Lindenallee 4 · 10117 Berlin" in page.extract_text()


async def test_a_letter_about_an_order_without_a_price_names_none(acme: Cast) -> None:
    await set_up(acme)
    await add_subscribers(acme, 1, email="", price="0", **ADDRESS)
    batch = await write(acme, channel=LetterChannel.PRINT)
    (page,) = pages(await prepare(acme, batch.id))
    assert "costs" not in page.extract_text()
    assert "answer this letter" in " ".join(page.extract_text().split())


async def test_who_has_renewed_meanwhile_is_not_printed(acme: Cast) -> None:
    await set_up(acme)
    await add_subscribers(acme, 1, email="", **ADDRESS)
    await add_subscribers(acme, 1, email="", first_name="Bob", **ADDRESS)
    batch = await write(acme, channel=LetterChannel.PRINT)
    first, second = await letters_of(acme)
    await execute(
        acme,
        "UPDATE subscriber SET unsubscribed_at = created_at"
        " WHERE account_id = :account_id AND id = :id",
        id=first["subscriber_id"],
    )
    (page,) = pages(await prepare(acme, batch.id))
    assert "Dear Bob" in page.extract_text()
    await acme.post(f"/v1/subscriptions/{second['subscription_id']}/cancel/", {"mode": "cancel"})
    with pytest.raises(Invalid, match="No letters are left to print"):
        await prepare(acme, batch.id)
    assert [each["reason"] for each in await letters_of(acme)] == ["unsubscribed", "cancelled"]
    assert await service.mark_printed(acme.db, acme.account_id, batch.id, by=BY) == 0


@pytest.mark.slow
async def test_a_printed_letter_stays_in_the_pdf_after_a_renewal(acme: Cast) -> None:
    await set_up(acme)
    await add_subscribers(acme, 1, email="", **ADDRESS)
    batch = await write(acme, channel=LetterChannel.PRINT)
    content = await prepare(acme, batch.id)
    await service.mark_printed(acme.db, acme.account_id, batch.id, by=BY)
    (printed,) = await letters_of(acme)
    await make_subscription(acme, start_issue=3, length=4, email="later@example.test")
    await execute(
        acme,
        "UPDATE subscription SET subscriber_id = :id"
        " WHERE account_id = :account_id AND subscriber_id <> :id",
        id=printed["subscriber_id"],
    )
    assert await prepare(acme, batch.id) == content


@pytest.mark.slow
async def test_a_large_batch_has_several_parts(acme: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "PART", 2)
    await set_up(acme)
    await add_subscribers(acme, 3, email="", **ADDRESS)
    batch = await write(acme, channel=LetterChannel.PRINT)
    assert len(pages(await prepare(acme, batch.id))) == 2
    assert len(pages(await prepare(acme, batch.id, 2))) == 1
    assert service.count_parts(await get_batch(acme.db, acme.account_id, batch.id)) == 2


async def test_emails_are_not_sent_again_after_a_stop_or_without_a_mail_server(acme: Cast) -> None:
    await set_up(acme)
    await add_subscribers(acme, 1)
    batch = await write(acme)
    account = acme.db, acme.account_id
    with pytest.raises(Invalid, match="No mail server is set up"):
        await service.retry_batch(*account, batch.id, has_mail=False, by=BY)
    assert await service.retry_batch(*account, batch.id, by=BY) == 0  # none has failed
    await execute(
        acme,
        "UPDATE letter_batch SET stopped_at = created_at WHERE account_id = :account_id",
    )
    with pytest.raises(Invalid, match="These letters were stopped"):
        await service.retry_batch(*account, batch.id, by=BY)


async def test_an_unknown_batch_is_not_found(acme: Cast) -> None:
    for call in (service.mark_printed, service.retry_batch):
        with pytest.raises(NotFound):
            await call(acme.db, acme.account_id, "X", by=BY)


def test_a_letter_has_the_code_of_the_page_beside_the_address() -> None:
    head = structs.replace(HEAD, code_url="https://masthead.acme.test/my/acme/")
    drawn = [pages(write_pdf(each, [letter()]))[0].get_contents() for each in (HEAD, head)]
    bars = [content.get_data().count(b" re f") for content in drawn if content is not None]
    assert bars[0] == 0
    assert bars[1] > 100
    words = {"": LetterWords("22 November 2026", "See it online:")}
    head = structs.replace(head, words=words, contact="Questions? 040 1234")
    text = pages(write_pdf(head, [letter()]))[0]
    assert "Questions? 040 1234" in text.extract_text()
    assert "See it online:" in text.extract_text()
    assert "masthead.acme.test/my/acme/" in text.extract_text()
