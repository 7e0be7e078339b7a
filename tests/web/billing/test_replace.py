"""Wrong invoices are replaced, also after the address of their payer was corrected."""

from tests.conftest import Cast
from tests.services.billing.test_payments import pay
from tests.support.billing import bill, bill_one, newest_invoices, read_invoice, turn_on_billing
from tests.web.addresses.test_change import change
from tests.web.conftest import Person
from tests.web.subscribers.test_pages import words


async def test_a_wrong_invoice_is_replaced_for_another_payer(owner: Person, acme: Cast) -> None:
    await turn_on_billing(acme)
    invoice = await bill_one(acme)
    address = owner.address("money", "invoices", invoice.id, "replace")
    typed = {
        "is_other_payer": "y",
        "payer_company": "Town of Ulm",
        "payer_address1": "Marktplatz 1",
        "payer_postcode": "89073",
        "payer_city": "Ulm",
        "payer_country": "DE",
        "order_reference": "PO 9",
        "reason": "Wrong payer",
    }
    page = words(await owner.http.get(address))
    assert f"The address now: {', '.join(invoice.document.payer.address.splitlines())}" in page
    assert "Reason optional" not in page
    asked = await owner.post(address, {**typed, "do": "bill"})
    assert "New payer A company, an authority or a name is required." in words(asked)
    assert "Address of the payer optional" not in words(asked)
    sent = await owner.send(address, typed)
    assert sent.status_code == 303, words(sent)
    new, note, _old = await newest_invoices(acme)
    assert (new.document.payer.name, new.document.order_reference) == ("Town of Ulm", "PO 9")
    assert note.document.corrects == invoice.document.number
    assert sent.headers["Location"] == owner.address("money", "invoices", new.id)
    page = words(await owner.http.get(sent.headers["Location"]))
    assert f"Its new invoice is {new.document.number}." in page
    assert f"Replaces {invoice.document.number}" in page
    old = await owner.see("money", "invoices", invoice.id)
    assert f"Replaced by {new.document.number}" in words(old)
    assert f'href="{owner.address("money", "invoices", new.id)}"' in old.text
    page = await owner.text("money", "invoices", new.id, "replace")
    assert f'href="{owner.address("subscribers", new.payer_id, "edit")}"' in page


async def test_a_wrong_address_is_corrected_before_its_invoice_is_replaced(
    owner: Person, acme: Cast
) -> None:
    await turn_on_billing(acme)
    invoice = await bill_one(acme)
    replace = owner.address("money", "invoices", invoice.id, "replace")
    assert f'href="{replace}"' in await owner.text("money", "invoices", invoice.id, "credit")
    page = await owner.http.get(replace)
    assert f'href="{owner.address("subscribers", invoice.payer_id, "address")}"' in page.text


async def test_after_a_correction_open_invoices_with_the_old_address_are_counted(
    owner: Person, acme: Cast
) -> None:
    await turn_on_billing(acme)
    first = await bill_one(acme)
    edit = owner.address("subscribers", first.payer_id, "edit")
    typed = {"address1": "Ring 1", "postcode": "10115", "city": "Berlin", "country": "DE"}
    await owner.send(edit, typed)
    page = await owner.see("subscribers", first.payer_id)
    replace = owner.address("money", "invoices", first.id, "replace")
    assert "1 open invoice still has the old address. Replace it" in words(page)
    assert f'<a href="{replace}">Replace it</a>' in page.text
    second = await bill_one(acme, order_id="B", payer_id=first.payer_id)
    await owner.send(edit, {"email": "other@x.test"})
    assert "old address" not in words(await owner.see("subscribers", first.payer_id))
    await owner.send(edit, {"address1": "Ring 2"})
    page = await owner.see("subscribers", first.payer_id)
    assert "2 open invoices still have the old address. Show the open invoices" in words(page)
    await pay(acme, amount="120.00", payer=first.payer_id)
    assert (await read_invoice(acme, second.id)).open_amount == 0
    await owner.send(edit, {"address1": "Ring 3"})
    assert "old address" not in words(await owner.see("subscribers", first.payer_id))


async def test_after_a_change_of_address_open_invoices_with_the_old_one_are_counted(
    owner: Person, acme: Cast
) -> None:
    await turn_on_billing(acme)
    order = await bill(acme)
    payer = (await newest_invoices(acme))[0].payer_id
    subscription = {"id": order.subscriptions[0].id, "subscriber": {"id": payer}}
    sent = await change(owner, [subscription])
    page = words(await owner.http.get(sent.headers["Location"]))
    assert "1 subscription has the new address. 1 open invoice still has the old address." in page


async def test_a_vat_id_that_was_missing_comes_with_the_new_invoice(
    owner: Person, acme: Cast
) -> None:
    await turn_on_billing(acme)
    first = await bill_one(acme)
    assert first.document.payer.vat_id == ""
    page = owner.address("money", "invoices", first.id, "replace")
    await owner.send(page, {"vat_id": "DE136695976", "reason": "VAT ID"})
    newest = (await newest_invoices(acme))[0]
    assert newest.document.payer.vat_id == "DE136695976"
    account = await owner.text("subscribers", first.payer_id, "account")
    assert "DE136695976" in account
    assert '/account/edit/#vat_id">Edit' in account
