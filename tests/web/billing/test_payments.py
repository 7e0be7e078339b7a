"""The pages that list, record and undo payments, and the account of a payer."""

import asyncio
import csv

import pytest

from masthead.services.billing.undo import undo_payment
from masthead.store.billing import payments
from masthead.store.billing.payments import StoredPayment
from tests.conftest import BY, Cast
from tests.services.billing.test_payments import pay, read_payment
from tests.support.billing import bill_one, newest_invoices, read_invoice, turn_on_billing
from tests.support.days import pass_on
from tests.web.conftest import Person
from tests.web.subscribers.test_pages import words

DAY = {"day": "2099-12-19"}


async def all_payments(cast: Cast) -> list[StoredPayment]:
    async with cast.db.read() as connection:
        rows = await connection.fetch_all(
            "SELECT id FROM payment WHERE account_id = :account_id", {"account_id": cast.account_id}
        )
        return await payments.list_payments(
            connection, cast.account_id, [row["id"] for row in rows]
        )


async def test_an_invoice_is_found_and_paid_with_three_clicks(owner: Person, acme: Cast) -> None:
    await turn_on_billing(acme)
    invoice = await bill_one(acme, first_name="Anna", last_name="Arp")
    number = invoice.document.number
    found = await owner.see("money", "payments", "new", find="arp")
    address = owner.address("money", "payments", "new") + f"?invoice={number}"
    assert address in found.text
    exact = await owner.see("money", "payments", "new", find=number)
    assert exact.headers["Location"] == address
    assert '<option value="cash">Cash</option>' in (await owner.http.get(address)).text
    sent = await owner.send(address)
    assert sent.status_code == 303, words(sent)
    again = await asyncio.gather(*(owner.post(address, owner.sent) for _ in range(3)))
    assert {each.headers["Location"] for each in again} == {sent.headers["Location"]}
    [made] = await all_payments(acme)
    assert (made.amount, made.unused_amount, made.payer_id) == (6000, 0, invoice.payer_id)
    assert (await read_invoice(acme, invoice.id)).open_amount == 0


async def test_a_payment_is_divided_and_the_rest_is_shown(owner: Person, acme: Cast) -> None:
    await turn_on_billing(acme)
    first = await bill_one(acme, order_id="A")
    second = await bill_one(acme, order_id="B", payer_id=first.payer_id)
    address = owner.address("money", "payments", "new") + f"?payer={first.payer_id}"
    parts = {
        f"part_{first.id}": "15,00",
        f"pays_{second.id}": "y",
        "amount": "80,00",
        "reference": "Thanks",
    }
    sent = await owner.send(address, parts)
    page = words(await owner.http.get(sent.headers["Location"]))
    assert "€5.00 of it settle no invoice" in page
    assert f"Invoice {first.document.number}" in page
    assert "€15.00 €45.00" in page  # what it paid, and what stays open
    assert (await read_invoice(acme, first.id)).open_amount == 4500
    assert (await read_invoice(acme, second.id)).open_amount == 0
    listed = words(await owner.see("money", "payments", show="unused"))
    assert "Thanks €80.00 €5.00" in listed


async def test_two_people_record_the_same_payment(owner: Person, acme: Cast) -> None:
    await turn_on_billing(acme)
    invoice = await bill_one(acme)
    address = owner.address("money", "payments", "new") + f"?invoice={invoice.document.number}"
    await owner.send(address)
    other = {**owner.sent, "idempotency_key": "A" * 22}
    refused = await owner.post(address, other)
    assert refused.status_code == 400
    assert "has changed since you opened the page: €0.00 are open now" in words(refused)
    assert len(await all_payments(acme)) == 1


async def test_a_payment_that_cannot_be_is_refused_in_words(owner: Person, acme: Cast) -> None:
    await turn_on_billing(acme)
    invoice = await bill_one(acme)
    address = owner.address("money", "payments", "new") + f"?invoice={invoice.document.number}"
    for fields, text in (
        ({"amount": "x"}, "Type the amount like 42.00."),
        ({"amount": "0"}, "Type an amount of more than 0."),
        ({"payment_date": "2999-01-01"}, "too far in the future"),
        ({"method": "gold"}, "Choose how the payment came."),
        ({f"part_{invoice.id}": "61"}, "€60.00 are open. Type at most as much."),
    ):
        refused = await owner.send(address, fields)
        assert refused.status_code == 400
        assert text in words(refused), words(refused)
    assert await all_payments(acme) == []


async def test_an_unknown_currency_in_the_address_is_that_of_the_account(
    owner: Person, acme: Cast
) -> None:
    await turn_on_billing(acme)
    payer = (await bill_one(acme)).payer_id
    address = owner.address("money", "payments", "new") + f"?payer={payer}&currency=XXX"
    sent = await owner.send(address, {"amount": "5"})
    assert sent.status_code == 303
    assert "€5.00" in words(await owner.see("money", "payments"))


async def test_a_payment_is_undone_once(owner: Person, acme: Cast) -> None:
    await turn_on_billing(acme)
    invoice = await bill_one(acme)
    payment = await pay(acme, amount="60.00", payer=invoice.payer_id)
    address = owner.address("money", "payments", payment.id, "undo")
    sent = await owner.send(address)
    again = await owner.post(address, owner.sent)
    assert again.headers["Location"] == sent.headers["Location"]
    assert (await read_invoice(acme, invoice.id)).open_amount == 6000
    assert (await read_payment(acme, payment.id)).undone_at is not None
    page = words(await owner.http.get(sent.headers["Location"]))
    assert "it was recorded by mistake" in page
    assert "undone already" in words(await owner.http.get(address))
    assert "undone" in words(await owner.see("money", "payments"))


async def test_the_account_of_a_payer_has_a_running_balance(owner: Person, acme: Cast) -> None:
    await turn_on_billing(acme)
    invoice = await bill_one(acme)
    await pay(acme, amount="75.00", payer=invoice.payer_id, reference="R 1")
    assert "€75.00" in words(await owner.see("money", "payments", search="1"))
    assert "€75.00" not in words(await owner.see("money", "payments", search="2"))
    page = words(await owner.see("subscribers", invoice.payer_id, "account"))
    assert f"Invoice {invoice.document.number} €60.00 €60.00" in page
    assert "Payment R 1 −€75.00 −€15.00 €15.00 not used" in page
    subscriber = words(await owner.see("subscribers", invoice.payer_id))
    assert "Customer number 1" in subscriber.replace("number1", "number 1")
    address = owner.address("subscribers", invoice.payer_id, "account", "pay-back")
    stale = await owner.send(address, {"seen": "1400"})
    assert "it is €15.00 now" in words(stale)
    assert "at most as much" in words(await owner.send(address, {"amount": "16"}))
    for day, problem in (("0926-01-02", "too far in the past"), ("2206-01-02", "in the future")):
        assert problem in words(await owner.send(address, {"payment_date": day}))
    sent = await owner.send(address)
    assert sent.status_code == 303, words(sent)
    page = words(await owner.see("subscribers", invoice.payer_id, "account"))
    assert "Went back to the payer €15.00 €0.00" in page
    undo = f"{sent.headers['Location']}undo/"
    assert "the payer has paid it again" in words(await owner.http.get(undo))
    sent = await owner.send(undo)
    assert "the money did not go back" in words(await owner.http.get(sent.headers["Location"]))
    page = words(await owner.see("subscribers", invoice.payer_id, "account"))
    assert "Payment R 1 −€75.00 −€15.00 €15.00 not used" in page


async def test_the_vat_id_and_the_kind_of_invoice_are_changed(owner: Person, acme: Cast) -> None:
    await turn_on_billing(acme)
    payer = (await bill_one(acme)).payer_id
    address = owner.address("subscribers", payer, "account", "edit")
    refused = words(await owner.send(address, {"vat_id": "DE136695977"}))
    assert "is not a valid VAT ID of Germany" in refused
    sent = await owner.send(address, {"vat_id": "DE 136695976", "bills": "together"})
    page = words(await owner.http.get(sent.headers["Location"]))
    assert "DE136695976" in page
    assert "one for all orders" in page
    stale = await owner.send(address, {"seen": " False", "vat_id": ""})
    assert "This payer has changed since you opened the page." in words(stale)


async def test_a_subscription_says_whether_its_order_is_paid(owner: Person, acme: Cast) -> None:
    await turn_on_billing(acme)
    invoice = await bill_one(acme)
    [subscription] = await _subscriptions(acme)
    page = words(await owner.see("subscriptions", subscription))
    assert f"Invoice {invoice.document.number} is not paid yet, and is due on" in page
    await pay(acme, amount="60.00", payer=invoice.payer_id)
    page = words(await owner.see("subscriptions", subscription))
    assert f"Invoice {invoice.document.number} is settled" in page
    assert "not paid" not in page


async def test_a_subscription_names_another_payer(owner: Person, acme: Cast) -> None:
    await turn_on_billing(acme)
    agency = (await bill_one(acme, email="agency@example.test", first_name="Grace")).payer_id
    [own] = await _subscriptions(acme)
    assert "The invoice goes to" not in words(await owner.see("subscriptions", own))
    await bill_one(acme, order_id="B", email="b@example.test", payer_id=agency)
    [other] = [id for id in await _subscriptions(acme) if id != own]
    page = await owner.see("subscriptions", other)
    assert "The invoice goes to Grace." in words(page)
    assert owner.address("subscribers", agency, "account") in page.text


async def _subscriptions(cast: Cast) -> list[str]:
    listed = (await cast.get("/v1/subscriptions/")).json()["items"]
    return [each["id"] for each in listed]


async def test_the_open_items_of_a_past_day_are_shown_and_downloaded(
    owner: Person, acme: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("masthead.web.billing.open_items.FILE_ROWS", 1)
    await turn_on_billing(acme)
    await pass_on(acme, "2099-12-01")
    arp = {"first_name": "Anna", "last_name": "Arp"}
    last = await bill_one(acme, order_id="B", price="20.00", due_days=30, **arp)
    first = await bill_one(acme, order_id="A", payer_id=last.payer_id, due_days=10)
    await pass_on(acme, "2099-12-20")
    await pay(acme, amount="60.00", payer=first.payer_id)
    page = words(await owner.see("money", "open"))
    assert "Open invoices€20.00" in page
    page = words(await owner.see("money", "open", day="2099-12-19"))
    assert "What was open at the end of 19 December 2099" in page
    assert "1–30 days late€60.00" in page
    assert "Receivables€80.00" in page
    assert "Anna Arp" in page
    read = {}
    for path in ("csv", "documents/csv"):
        file = await owner.http.get(owner.address("money", "open", *path.split("/")), params=DAY)
        read[path] = list(csv.DictReader(file.text.splitlines()))
        assert DAY["day"] in file.headers["Content-Disposition"]
    [payer] = read["csv"]
    assert (payer["late_30"], payer["balance"]) == ("60.00", "80.00")
    assert [(each["document"], each["days_late"]) for each in read["documents/csv"]] == [
        (first.document.number, "8"),
        (last.document.number, "0"),
    ]
    book = owner.address("money", "open", "documents", "xlsx")
    assert (await owner.http.get(book, params=DAY)).content[:2] == b"PK"
    page = words(
        await owner.see("money", "bookkeeping", **{"from": "2099-12-01", "to": DAY["day"]})
    )
    assert "Open items at the end of 19 December 2099, by age" in page
    for wrong, text in (("2099-12-21", "is in the future"), ("x", "“x” is not a day")):
        refused = await owner.see("money", "open", day=wrong)
        assert refused.status_code == 400
        assert text in words(refused)


async def test_the_page_says_that_a_credit_note_is_used_for_another_invoice_now(
    owner: Person, acme: Cast
) -> None:
    await turn_on_billing(acme)
    old = await bill_one(acme)
    await pay(acme, amount="60.00", invoices=[{"number": old.document.number}])
    sent = await owner.send(
        owner.address("money", "invoices", old.id, "replace"), {"reason": "Name"}
    )
    assert sent.status_code == 303, words(sent)
    new, note, _old = await newest_invoices(acme)
    [payment] = await all_payments(acme)
    await undo_payment(acme.db, acme.account_id, payment.id, by=BY)
    why = f": used for {old.document.number}, whose payment came back or was undone"
    number = f"Credit note {note.document.number}"
    of_new, of_old, of_note = [
        words(await owner.see("money", "invoices", each.id)) for each in (new, old, note)
    ]
    assert "Still to pay€60.00" in of_new
    assert f"{number}{why}" in of_new
    assert "Still to pay€0.00" in of_old
    assert f"{number}{why}" in of_old
    assert f"Invoice {new.document.number}{why}" in of_note
    assert "Credit used for an invoice" in of_new
    assert "Credit used for an invoice" in of_old
