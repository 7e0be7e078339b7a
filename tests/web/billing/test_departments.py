"""The department of a payer: above the street on invoices and letters, once it is known."""

from tests.conftest import Cast
from tests.support.billing import bill_one, newest_invoices, turn_on_billing
from tests.support.checks import faults
from tests.web.conftest import Person, fields_of
from tests.web.orders.test_billing import BILLED, TOWN_HALL, order
from tests.web.subscribers.test_pages import words

TREASURY = {**BILLED, **TOWN_HALL, "department": "Kämmerei "}
LINES = ["Town of Ulm", "Kämmerei", "Marktplatz 1", "89073 Ulm"]


async def test_the_department_is_below_the_company_and_above_the_street(
    owner: Person, acme: Cast
) -> None:
    await turn_on_billing(acme)
    await order(owner, TREASURY)
    [invoice] = await newest_invoices(acme)
    assert invoice.document.payer.address.split("\n")[:4] == LINES
    assert invoice.document.payer.department == "Kämmerei"
    page = await owner.text("money", "invoices", invoice.id)
    shown = page[page.index("<address") : page.index("</address")]
    assert [shown.index(line) for line in LINES] == sorted(shown.index(line) for line in LINES)
    assert await faults(acme) == []


async def test_a_person_is_named_below_the_department(owner: Person, acme: Cast) -> None:
    await turn_on_billing(acme)
    await order(owner, {**TREASURY, "payer_last_name": "Lee"})
    [invoice] = await newest_invoices(acme)
    lines = invoice.document.payer.address.split("\n")
    assert lines.index("Kämmerei") == lines.index("Town of Ulm") + 1
    assert lines.index("Marktplatz 1") > lines.index("Kämmerei")
    assert "Lee" in lines


async def test_a_known_payer_keeps_the_department_until_it_is_changed(
    owner: Person, acme: Cast
) -> None:
    await turn_on_billing(acme)
    first = await bill_one(acme)
    assert first.document.payer.department == ""
    address = owner.address("subscribers", first.payer_id, "account", "edit")
    await owner.send(address, {"department": "Attn. Ms Lee"})
    assert "Attn. Ms Lee" in words(await owner.see("subscribers", first.payer_id, "account"))
    assert fields_of((await owner.http.get(address)).text)["department"] == "Attn. Ms Lee"
    second = await bill_one(acme, subscriber_id=first.payer_id)
    assert "Attn. Ms Lee" in second.document.payer.address.split("\n")
    await owner.send(address, {"department": ""})
    third = await bill_one(acme, subscriber_id=first.payer_id)
    assert third.document.payer.department == ""


async def test_a_renewal_asks_for_the_department_of_who_pays_now(owner: Person, acme: Cast) -> None:
    await turn_on_billing(acme)
    await order(owner, TREASURY)
    [invoice] = await newest_invoices(acme)
    [sold] = (await acme.get("/v1/subscriptions/")).json()["items"]
    path = owner.address("subscriptions", sold["id"], "renew")
    assert "Kämmerei is known. Type another one to change it." in words(await owner.http.get(path))
    await owner.send(path, {"is_billed": "y", "department": "Stadtkasse"})
    newest = next(each for each in await newest_invoices(acme) if each.id != invoice.id)
    assert newest.document.payer.department == "Stadtkasse"
    assert newest.document.payer.vat_id == invoice.document.payer.vat_id
    again = words(await owner.http.get(path))
    assert "Stadtkasse is known." in again


async def test_the_labels_of_a_new_payer_say_once_whose_they_are(owner: Person, acme: Cast) -> None:
    await turn_on_billing(acme)
    shown = await owner.post(
        owner.address("subscriptions", "new"), {**BILLED, "is_other_payer": "y", "do": "bill"}
    )
    assert '<h3 id="new-payer">New payer</h3>' in shown.text
    page = words(shown)
    assert "of the payer" not in page.partition("New payer")[2].partition("VAT ID")[0]
    assert "Last name optional" in page.partition("New payer")[2]
    wrong = await owner.send(
        owner.address("subscriptions", "new"),
        {**BILLED, "is_other_payer": "y", "payer_company": "x" * 300},
    )
    assert "Payer: Company" in words(wrong)
