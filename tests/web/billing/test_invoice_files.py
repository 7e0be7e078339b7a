"""Invoices as files, by email, and many at once."""

import re
from io import BytesIO
from typing import Any
from urllib.parse import quote

import pytest
from pypdf import PdfReader

from masthead.services import pdf_process
from masthead.services.child_process import SpareProcess
from masthead.services.pdf_process import load_libraries
from masthead.store.accounts import get_account
from masthead.web.kit.idempotency import new_idempotency_key
from tests.conftest import Cast
from tests.services.billing.files.test_archival_pdf import attached_xml
from tests.services.billing.test_payments import pay
from tests.support.billing import bill_one, turn_on_billing
from tests.web.conftest import Person, fields_of
from tests.web.subscribers.test_pages import words

PHONE: dict[str, Any] = {"email": "abo@example.org", "phone": "+49 30 1"}


def number_of_pages(content: bytes) -> int:
    return len(PdfReader(BytesIO(content)).pages)


async def queued(cast: Cast) -> list[tuple[str, str, str | None]]:
    """Recipient, subject and invoice of the emails in the outbox."""
    rows = await cast.db.fetch_all(
        """
        SELECT recipient, subject, invoice_id
        FROM outbox
        WHERE account_id = :account_id AND invoice_id IS NOT NULL
        ORDER BY id
        """,
        {"account_id": cast.account_id},
    )
    return [(row["recipient"], row["subject"], row["invoice_id"]) for row in rows]


async def test_an_invoice_is_downloaded_as_each_file(staff: Person, acme: Cast) -> None:
    await turn_on_billing(acme, **PHONE)
    invoice = await bill_one(acme, email="payer@example.org")
    here = ("money", "invoices", invoice.id)
    pdf = await staff.see(*here, "pdf")
    number = invoice.document.number
    assert pdf.headers["Content-Disposition"] == f'attachment; filename="{number}.pdf"'
    assert number in PdfReader(BytesIO(pdf.content)).pages[0].extract_text()
    facturx = await staff.see(*here, "factur-x")
    assert number.encode() in attached_xml(facturx.content)
    xrechnung = await staff.see(*here, "xrechnung")
    assert xrechnung.headers["Content-Type"].startswith("application/xml")
    assert b"xrechnung_3.0" in xrechnung.content


@pytest.mark.usefixtures("pdfs_in_processes")
async def test_a_process_gets_ready_for_the_pdf_while_its_page_is_shown(
    staff: Person, acme: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    spare = SpareProcess(load_libraries)
    monkeypatch.setattr(pdf_process, "_spare_process", spare)
    await turn_on_billing(acme, **PHONE)
    invoice = await bill_one(acme, email="payer@example.org")
    here = ("money", "invoices", invoice.id)
    await staff.see(*here)
    ready = spare._process
    assert ready is not None
    await staff.see(*here, "pdf")
    assert ready.returncode == 0  # it has written the PDF
    assert spare._process is not ready
    spare.close()


@pytest.mark.parametrize("series", ["Ü/{year}-", "FŻ/{year}-"])
async def test_a_number_may_have_letters_of_any_language(
    staff: Person, acme: Cast, series: str
) -> None:
    await turn_on_billing(acme, **PHONE, series=series)
    invoice = await bill_one(acme, email="payer@example.org")
    pdf = await staff.see("money", "invoices", invoice.id, "pdf")
    name = invoice.document.number.replace("/", "-")
    assert pdf.headers["Content-Disposition"] == f"attachment; filename*=UTF-8''{quote(name)}.pdf"


async def test_what_an_xrechnung_lacks_is_said(staff: Person, acme: Cast) -> None:
    await turn_on_billing(acme)
    invoice = await bill_one(acme)
    answer = await staff.see("money", "invoices", invoice.id, "xrechnung")
    assert answer.status_code == 400
    assert "your email address is missing" in words(answer)


async def test_the_invoice_of_another_account_is_not_found(outsider: Person, acme: Cast) -> None:
    await turn_on_billing(acme)
    invoice = await bill_one(acme)
    for file in ("pdf", "factur-x", "xrechnung", "email"):
        assert (await outsider.see("money", "invoices", invoice.id, file)).status_code == 404


@pytest.mark.usefixtures("mail_server")
async def test_an_invoice_is_emailed_after_a_look_at_it(staff: Person, acme: Cast) -> None:
    await turn_on_billing(acme)
    invoice = await bill_one(acme, email="payer@example.org")
    here = ("money", "invoices", invoice.id, "email")
    page = await staff.text(*here)
    assert f"Attached is invoice {invoice.document.number}" in page
    assert fields_of(page)["recipient"] == "payer@example.org"
    await staff.send(staff.address(*here), {"recipient": "office@example.org"})
    assert await queued(acme) == [
        ("office@example.org", f"Invoice {invoice.document.number} of Acme", invoice.id)
    ]
    page = await staff.text(*here)
    assert "It was emailed already" in page
    assert "is still to pay" not in page
    await pay(acme, amount="20.00", payer=invoice.payer_id)
    page = words(await staff.see(*here))
    assert "€40.00 of it is still to pay, as the email says." in page
    assert "Of €60.00, €20.00 is already settled, and €40.00 is still open." in page


@pytest.mark.usefixtures("mail_server")
async def test_a_test_of_one_invoice_leaves_it_to_be_emailed(staff: Person, acme: Cast) -> None:
    await turn_on_billing(acme)
    invoice = await bill_one(acme, email="payer@example.org")
    here = ("money", "invoices", invoice.id, "email")
    assert f"Send a test to {staff.email}" in words(await staff.see(*here))
    answer = await staff.send(staff.address(*here), {"do": "test", "recipient": ""})
    assert answer.headers["location"] == staff.address(*here)
    page = await staff.text(*here)
    assert f"Sending a test to {staff.email}." in page
    assert "It was emailed already" not in page
    assert [each[0] for each in await queued(acme)] == [staff.email]
    assert "To be emailed" in await staff.text("money", "invoices", "send")


async def test_nothing_is_queued_without_a_mail_server(staff: Person, acme: Cast) -> None:
    await turn_on_billing(acme)
    invoice = await bill_one(acme, email="payer@example.org")
    page = words(await staff.see("money", "invoices", invoice.id))
    assert "It cannot be sent by email, because there is no mail server" in page
    assert "Send by email" not in page
    address = staff.address("money", "invoices", invoice.id, "email")
    page = words(await staff.http.get(address))
    assert "Ask the operator of this server, the person who installed masthead, to set up" in page
    assert "No test to yourself is possible without a mail server: look at the preview, or" in page
    assert "Send the email" not in page
    fields = {"recipient": "payer@example.org", "idempotency_key": new_idempotency_key()}
    answer = await staff.post(address, fields)
    assert answer.status_code == 400
    assert "No mail server is set up" in words(answer)
    send = staff.address("money", "invoices", "send", "email")
    test = await staff.post(send, {"do": "test"})
    assert (test.status_code, "No mail server is set up" in words(test)) == (400, True)
    assert await queued(acme) == []


@pytest.mark.usefixtures("mail_server")
async def test_the_invoices_of_a_day_go_out_once(staff: Person, acme: Cast) -> None:
    await turn_on_billing(acme)
    first = await bill_one(acme, order_id="A", email="a@example.org")
    await bill_one(acme, order_id="B", email="b@example.org")
    page = await staff.see("money", "invoices", "send")
    assert "To send: 2 by email. Nothing has been sent yet." in words(page)
    send = staff.address("money", "invoices", "send", "email")
    today = (await get_account(acme.db, acme.account_id)).daily_date.isoformat()
    days = {"first_day": today, "last_day": today}
    kept = re.findall(r'name="keep" value="(\w+)" checked', page.text)
    for _time in range(2):
        assert (await staff.post(send, days | {"keep": kept})).status_code == 303
    assert sorted(each[0] for each in await queued(acme)) == ["a@example.org", "b@example.org"]
    assert "by email." not in words(await staff.see("money", "invoices", "send"))
    every = await staff.see("money", "invoices", "send", "print", which="all", **days)
    assert number_of_pages(every.content) == 2
    assert first.document.number in await staff.text("money", "invoices", "send")


async def test_invoices_that_are_paid_in_part_are_marked_before_they_are_sent(
    staff: Person, acme: Cast
) -> None:
    await turn_on_billing(acme)
    invoice = await bill_one(acme, email="a@example.org")
    settled = await bill_one(acme, order_id="B", email="b@example.org")
    assert "paid in part" not in words(await staff.see("money", "invoices", "send"))
    await pay(acme, amount="20.00", payer=invoice.payer_id)
    page = words(await staff.see("money", "invoices", "send"))
    assert "1 invoice is paid in part, or settled. Its email says what is still to pay" in page
    assert "To be emailed €40.00 still to pay" in page
    await pay(acme, amount="60.00", payer=settled.payer_id)
    page = words(await staff.see("money", "invoices", "send"))
    assert "2 invoices are paid in part, or settled." in page
    assert "To be emailed nothing left to pay" in page


@pytest.mark.usefixtures("mail_server")
async def test_only_ticked_invoices_are_emailed_after_a_look_at_one(
    staff: Person, acme: Cast
) -> None:
    await turn_on_billing(acme)
    first = await bill_one(acme, order_id="A", email="a@example.org")
    second = await bill_one(acme, order_id="B", email="b@example.org")
    page = words(await staff.see("money", "invoices", "send"))
    assert f"Attached is invoice {first.document.number}" in page
    send = staff.address("money", "invoices", "send", "email")
    today = (await get_account(acme.db, acme.account_id)).daily_date.isoformat()
    days = {"first_day": today, "last_day": today}
    await staff.post(send, days)
    assert "No invoice was ticked" in await staff.text("money", "invoices", "send")
    assert await queued(acme) == []
    await staff.post(send, days | {"keep": [second.id, "0" * 31]})
    page = await staff.text("money", "invoices", "send")
    assert "1 invoice goes out." in page
    assert "Nothing has been sent yet." not in page
    assert [each[0] for each in await queued(acme)] == ["b@example.org"]
    page = await staff.text("money", "invoices", "send")
    assert re.findall(r'name="keep" value="(\w+)" checked', page) == [first.id]


@pytest.mark.usefixtures("mail_server")
async def test_a_test_goes_to_the_user_and_the_invoice_stays_to_be_emailed(
    staff: Person, acme: Cast
) -> None:
    await turn_on_billing(acme)
    invoice = await bill_one(acme, email="payer@example.org")
    page = words(await staff.see("money", "invoices", "send"))
    assert f"Send a test to {staff.email}" in page
    send = staff.address("money", "invoices", "send", "email")
    answer = await staff.post(send, {"do": "test"})
    assert answer.status_code == 303
    page = await staff.text("money", "invoices", "send")
    assert f"Sending a test to {staff.email}." in page
    assert re.findall(r'name="keep" value="(\w+)" checked', page) == [invoice.id]
    number = invoice.document.number
    assert await queued(acme) == [(staff.email, f"Test: Invoice {number} of Acme", invoice.id)]


@pytest.mark.usefixtures("mail_server")
async def test_emails_that_have_not_gone_out_are_stopped_and_can_be_sent_again(
    staff: Person, acme: Cast
) -> None:
    await turn_on_billing(acme)
    sent = await bill_one(acme, order_id="A", email="a@example.org")
    waiting = await bill_one(acme, order_id="B", email="b@example.org")
    send, stop = (staff.address("money", "invoices", "send", each) for each in ("email", "stop"))
    await staff.post(send, {"do": "test"})
    await staff.post(send, {"keep": [sent.id, waiting.id]})
    await acme.db.write(
        lambda tx: tx.execute(
            "UPDATE outbox SET status = 'sent' WHERE account_id = :account_id AND invoice_id = :id",
            {"account_id": acme.account_id, "id": sent.id},
        )
    )
    assert "1 email has not gone out yet. Stop it" in words(
        await staff.see("money", "invoices", "send")
    )
    assert (await staff.post(stop)).status_code == 303
    page = await staff.text("money", "invoices", "send")
    assert "1 email was stopped." in page
    assert "not gone out" not in page
    assert re.findall(r'name="keep" value="(\w+)" checked', page) == [waiting.id]
    await staff.post(send, {"keep": [sent.id, waiting.id]})
    assert [each[0] for each in await queued(acme)] == [
        staff.email,
        "a@example.org",
        "b@example.org",
        "b@example.org",
    ]


@pytest.mark.parametrize(
    "query, message",
    [
        ({"first_day": "soon"}, "Type the date like"),
        ({"first_day": "2026-02-01", "last_day": "2026-01-01"}, "The last day is before"),
        ({"first_day": "2019-01-01", "last_day": "2019-01-01"}, "No invoices were issued"),
    ],
)
async def test_days_without_invoices_are_said(
    query: dict[str, str], message: str, staff: Person
) -> None:
    assert message in await staff.text("money", "invoices", "send", **query)
