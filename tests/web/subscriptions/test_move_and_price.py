"""The pages that move a subscription to another subscriber, and change what an order costs."""

from masthead.model.identity.rights import Right
from masthead.store.engine.interface import Database
from tests.conftest import Cast
from tests.support.billing import HOME, bill, newest_invoices, owed, turn_on_billing
from tests.support.checks import faults
from tests.support.factories import make_issue, make_subscription
from tests.support.subscribers import make_subscriber
from tests.web.conftest import Person, fields_of
from tests.web.subscribers.test_pages import words
from tests.web.subscriptions.facts import shown
from tests.web.test_rights import give


async def test_a_subscription_moves_to_a_subscriber_who_is_found(owner: Person, acme: Cast) -> None:
    await turn_on_billing(acme)
    id = (await bill(acme)).subscriptions[0].id
    to_id = await make_subscriber(acme, "cleo@x.test", first_name="Cleopatra", **HOME)
    path = owner.address("subscriptions", id, "move")
    found = await owner.send(path, {"do": "find-payer", "payer_find": "Cleopatra"})
    assert "Use this subscriber" in words(found)
    chosen = await owner.send(path, {"do": f"payer:{to_id}"})
    assert fields_of(chosen.text)["payer_id"] == to_id
    sent = await owner.send(
        path, {"payer_id": to_id, "invoice_action": "replace", "reason": "Inherited"}
    )
    assert sent.is_redirect
    page = words(await owner.see("subscriptions", id))
    assert "belongs to the new subscriber now. The invoice was taken back" in page
    assert f"Show {(await newest_invoices(acme))[0].document.number}" in page
    assert "Moved from one subscriber to another" in page
    assert (await shown(acme, id))["subscriber"]["id"] == to_id
    assert len(await owed(acme)) == 3
    assert await faults(acme) == []


async def test_a_subscription_moves_to_a_new_subscriber(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    id = (await make_subscription(acme, first_name="Ada", **HOME))["id"]
    path = owner.address("subscriptions", id, "move")
    refused = await owner.send(path, {"payer_first_name": "Dora"})
    assert refused.status_code == 400
    assert "The address is missing" in words(refused)
    typed = {
        "payer_first_name": "Dora",
        "payer_address1": "Allee 1",
        "payer_city": "Bonn",
        "payer_postcode": "53111",
        "payer_country": "DE",
    }
    assert (await owner.send(path, typed)).is_redirect
    assert (await shown(acme, id))["shipping_address"]["city"] == "Bonn"


async def test_the_price_of_an_order_on_an_invoice_asks_what_becomes_of_it(
    owner: Person, acme: Cast
) -> None:
    await turn_on_billing(acme)
    id = (await bill(acme)).subscriptions[0].id
    path = owner.address("subscriptions", id, "price")
    assert fields_of((await owner.see("subscriptions", id, "price")).text)["price"] == "60.00"
    refused = await owner.send(path, {"price": "48.00"})
    assert refused.status_code == 400
    assert "Choose what becomes of it" in words(refused)
    assert (await owner.send(path, {"price": "48.00", "invoice_action": "replace"})).is_redirect
    seen = await owner.see("subscriptions", id)
    page = words(seen)
    assert "The price is saved. Issued: 20" in page
    assert "Price of an order changed" in page
    new = (await newest_invoices(acme))[0]
    link = f'<a href="{owner.address("money", "invoices", new.id)}">Show {new.document.number}</a>'
    assert link in seen.text
    assert [each[0] for each in await owed(acme)] == [60_00, -60_00, 48_00]


async def test_without_the_right_to_bill_invoices_stay(
    db: Database, staff: Person, acme: Cast
) -> None:
    await turn_on_billing(acme)
    id = (await bill(acme)).subscriptions[0].id
    await give(db, acme, staff, frozenset({Right.SEE_MONEY, Right.CORRECT}))
    page = words(await staff.see("subscriptions", id, "move"))
    assert "A credit note takes it back" not in page
    path = staff.address("subscriptions", id, "price")
    refused = await staff.send(path, {"price": "48.00", "invoice_action": "replace"})
    assert refused.status_code == 403
    assert "Bill and record payments" in words(refused)
    assert len(await owed(acme)) == 1
