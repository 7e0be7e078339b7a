"""A subscription that was cancelled and refunded, and the new order that bills it again."""

import re

from tests.conftest import Cast
from tests.support.billing import bill, newest_invoices, turn_on_billing
from tests.support.checks import faults
from tests.support.factories import copies_of, make_issues, make_subscription
from tests.web.conftest import Person, fields_of
from tests.web.subscribers.test_pages import words
from tests.web.subscriptions.facts import cancel, shown


async def refund(cast: Cast, id: str, order_id: str, amount: str) -> None:
    asked = {"order_id": order_id, "amount": amount}
    answer = await cast.post(f"/v1/subscriptions/{id}/refunds/", asked)
    assert answer.status_code == 201, answer.text


async def test_a_credited_subscription_is_ordered_again_with_a_new_invoice(
    acme: Cast, owner: Person
) -> None:
    await turn_on_billing(acme)
    await make_issues(acme, 2, 4)
    placed = await bill(acme, start_issue=1, length=4, city="Ulm")
    id = placed.subscriptions[0].id
    [first, *_] = await copies_of(acme, id)
    await acme.post("/v1/copies/mark-sent/", {"ids": [first["id"]]})
    await cancel(acme, id)
    await refund(acme, id, placed.order_id, "45.00")
    page = await owner.text("subscriptions", id, "reopen")
    [number] = [
        each.document.number for each in await newest_invoices(acme) if each.kind == "invoice"
    ]
    assert f"Invoice {number} was credited when this subscription was cancelled" in words(page)
    assert "Reopen the subscription" not in page
    address = f"{owner.address('subscriptions', 'new')}?again={id}"
    assert f'href="{address}" role="button"' in page
    form = fields_of((await owner.http.get(address)).text)
    assert (form["start_issue"], form["length"], form["price"]) == ("2", "3", "45.00")
    assert (form["address1"], form["city"]) == ("1 Mill Lane", "Ulm")
    sent = await owner.send(owner.address("subscriptions", "new"), {}, opened=address)
    assert sent.is_redirect, words(sent)
    [newest, _note, _old] = await newest_invoices(acme)
    assert (newest.document.total, newest.open_amount) == (4500, 4500)
    assert (await shown(acme, id))["status"] == "Cancelled"
    assert await faults(acme) == []


async def test_a_refunded_subscription_can_be_reopened_for_nothing_or_ordered_again(
    acme: Cast, owner: Person
) -> None:
    await make_issues(acme, 1, 2)
    made = await make_subscription(acme, length=2, order_id="PAID", price="20.00")
    await cancel(acme, made["id"])
    path = owner.address("subscriptions", made["id"], "reopen")
    free = "If the refund stays, the copies are sent without being paid for again."
    assert free not in words(await owner.http.get(path))
    await refund(acme, made["id"], "PAID", "20.00")
    page = (await owner.http.get(path)).text
    assert free in words(page)
    address = f"{owner.address('subscriptions', 'new')}?again={made['id']}"
    assert f'href="{address}"' in page
    form = fields_of((await owner.http.get(address)).text)
    assert (form["start_issue"], form["length"], form["price"]) == ("1", "2", "20.00")
    assert "is_billed" not in form  # the account writes no invoices
    [paid] = {*re.findall(r'name="(refund_\w+)"', page)}
    assert (await owner.send(path, {paid: "paid"})).is_redirect
    assert (await shown(acme, made["id"]))["status"] == "Active"


async def test_an_unknown_subscription_cannot_be_ordered_again(acme: Cast, owner: Person) -> None:
    await make_issues(acme, 1, 2)
    assert (await owner.see("subscriptions", "new", again="NOSUCH")).status_code == 404
