"""The invoice of an order is emailed as the order is saved, or a link leads to it."""

import re

import pytest

from tests.conftest import Cast
from tests.support.billing import newest_invoices, turn_on_billing
from tests.support.letters import emails_of
from tests.web.conftest import Person
from tests.web.orders.conftest import TYPED
from tests.web.orders.test_billing import BILLED, order


@pytest.mark.usefixtures("mail_server")
async def test_the_invoice_is_emailed_at_once_if_it_is_ticked(owner: Person, acme: Cast) -> None:
    await turn_on_billing(acme)
    page = await order(owner, BILLED | {"sends_invoice": "y"})
    assert "It goes to ada@example.test in a minute." in page
    [invoice] = await newest_invoices(acme)
    [mail] = await emails_of(acme)
    assert mail["recipient"] == "ada@example.test"
    assert mail["invoice_id"] == invoice.id
    other = {"email": "", "first_name": "Bob", "address1": "Ring 7", "sends_invoice": "y"}
    refused = await order(owner, BILLED | other)
    assert "The payer has no email address. Type one, or untick" in refused
    assert len(await newest_invoices(acme)) == 1


@pytest.mark.usefixtures("mail_server")
async def test_an_invoice_that_is_not_sent_has_a_link_to_send_it(owner: Person, acme: Cast) -> None:
    await turn_on_billing(acme)
    response = await owner.send(owner.address("subscriptions", "new"), {**TYPED, **BILLED})
    page = await owner.http.get(response.headers["Location"])
    [invoice] = await newest_invoices(acme)
    address = owner.address("money", "invoices", invoice.id)
    assert f'<a href="{address}">Send it by email or print it</a>' in page.text


@pytest.mark.usefixtures("mail_server")
async def test_an_invoice_to_a_payer_without_an_email_can_be_printed(
    owner: Person, acme: Cast
) -> None:
    await turn_on_billing(acme)
    page = await order(owner, {**BILLED, "email": ""})
    [invoice] = await newest_invoices(acme)
    pdf = owner.address("money", "invoices", invoice.id, "pdf")
    assert "post it, then mark it as sent by post: Print it (PDF) Mark as sent by post" in page
    assert "Send it by email" not in page
    assert pdf in (await owner.text("subscribers", invoice.payer_id, "account"))


async def test_without_a_mail_server_no_invoice_is_emailed_at_once(
    owner: Person, acme: Cast
) -> None:
    await turn_on_billing(acme)
    typed = {**TYPED, **BILLED, "do": "bill"}
    summary = await owner.post(owner.address("subscriptions", "new"), typed)
    assert "Email the invoice now" not in summary.text
    response = await owner.send(owner.address("subscriptions", "new"), {**TYPED, **BILLED})
    shown = (await owner.http.get(response.headers["Location"])).text
    [invoice] = await newest_invoices(acme)
    pdf = owner.address("money", "invoices", invoice.id, "pdf")
    assert re.search(
        f'<a href="{pdf}" data-prepares="[^"]+" download>Print it \\(PDF\\)</a>', shown
    )
    file = await owner.http.get(pdf)
    assert file.content.startswith(b"%PDF-")
    assert "Invoices not sent yet" in await owner.text()
    posted = owner.address("money", "invoices", invoice.id, "posted")
    assert f'action="{posted}"' in shown
    assert (await owner.post(posted, {})).is_redirect
    assert "Invoices not sent yet" not in await owner.text()
