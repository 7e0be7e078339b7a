"""The list of invoices, the page of one, and what can be done with it."""

import csv
import io
import re
from functools import partial

import pytest

from masthead.services.billing.payers import update_payer
from masthead.services.billing.waiting import issue_waiting
from masthead.store import accounts
from masthead.store.billing.balances import find_subscription_of_orders
from masthead.store.engine.interface import Transaction
from tests.conftest import BY, Cast
from tests.services.billing.test_payments import pay
from tests.support.billing import (
    bill,
    bill_one,
    bill_together,
    newest_invoices,
    read_invoice,
    turn_on_billing,
)
from tests.web.conftest import Person
from tests.web.subscribers.test_pages import words


async def late(cast: Cast, invoice_id: str, days: int) -> None:
    """Let an invoice be due some days ago."""
    today = (await read_invoice(cast, invoice_id)).document.issue_date
    day = today.fromordinal(today.toordinal() - days)

    async def work(tx: object) -> None:
        await tx.execute(  # type: ignore[attr-defined]
            "UPDATE invoice SET due_date = :day WHERE account_id = :account_id AND id = :id",
            {"day": day, "account_id": cast.account_id, "id": invoice_id},
        )

    await cast.db.write(work, account_id=cast.account_id)


async def speak_german(account_id: int, tx: Transaction) -> None:
    """Let all subscribers have German invoices."""
    await tx.execute(
        "UPDATE subscriber SET language = 'de' WHERE account_id = :account_id",
        {"account_id": account_id},
    )


async def test_the_list_is_searched_and_limited(owner: Person, acme: Cast) -> None:
    await turn_on_billing(acme)
    first = await bill_one(acme, order_id="A", email="a@x.test", first_name="Anna", last_name="Arp")
    second = await bill_one(acme, order_id="B", email="b@x.test", first_name="Bo", last_name="Berg")
    await late(acme, second.id, 3)
    await pay(acme, amount="60.00", invoices=[{"number": first.document.number}])
    everything = words(await owner.see("money", "invoices"))
    assert everything.index("Bo Berg") < everything.index("Anna Arp")
    overdue = words(await owner.see("money", "invoices", show="overdue"))
    assert "Bo Berg" in overdue
    assert "Anna Arp" not in overdue
    for search in (first.document.number, "1", "anna arp"):
        found = words(await owner.see("money", "invoices", search=search))
        assert first.document.number in found, search
        assert second.document.number not in found, search
    for search in ("nobody", "9" * 19, "\N{COMBINING ACUTE ACCENT}"):
        assert "No invoices match." in words(await owner.see("money", "invoices", search=search))
    of_second = words(await owner.see("money", "invoices", payer=second.payer_id))
    assert second.document.number in of_second
    assert first.document.number not in of_second
    assert (await owner.see("money", "invoices", show="none")).status_code == 400


@pytest.mark.parametrize("show", ["", "open"])
async def test_the_list_has_pages(
    owner: Person, acme: Cast, show: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("masthead.web.kit.filters.PAGE", 2)
    await turn_on_billing(acme)
    made = [
        (await bill_one(acme, order_id=f"O{n}", email=f"{n}@x.test")).document.number
        for n in range(3)
    ]
    ordered = made if show else made[::-1]
    page = await owner.see("money", "invoices", show=show)
    assert [each for each in ordered if each in page.text] == ordered[:2]
    following = page.text.partition('rel="next"')[0].rpartition('href="')[2].partition('"')[0]
    second = await owner.http.get(following.replace("&amp;", "&"))
    assert [each for each in made if each in second.text] == ordered[2:]


async def test_the_files_have_what_the_list_has(owner: Person, acme: Cast) -> None:
    await turn_on_billing(acme)
    invoice = await bill_one(acme)
    await pay(acme, amount="20.00", invoices=[{"number": invoice.document.number}])
    file = await owner.see("downloads", "invoices", "csv")
    [row] = csv.DictReader(io.StringIO(file.text.removeprefix("\ufeff")))
    assert row["number"] == invoice.document.number
    assert (row["net"], row["vat"], row["total"]) == ("56.07", "3.93", "60.00")
    assert row["open_amount"] == "40.00"
    assert (await owner.see("downloads", "invoices", "xlsx")).status_code == 200
    paid = await owner.see("downloads", "payments", "csv")
    assert "bank transfer" in paid.text
    assert "20.00" in paid.text


async def test_a_page_says_what_is_open_and_what_settled_it(owner: Person, acme: Cast) -> None:
    await turn_on_billing(acme)
    invoice = await bill_one(acme, order_reference="PO 77", copies=2)
    await pay(acme, amount="20.00", invoices=[{"number": invoice.document.number}], reference="R 1")
    page = words(await owner.see("money", "invoices", invoice.id))
    for text in ("PO 77", "Still to pay€40.00", "bank transfer, R 1", "Invoice issued", "7%"):
        assert text in page, page
    assert page.count("Issues 1 to ") == 1  # the copies are one line


async def test_an_invoice_that_was_credited_in_full_says_so(owner: Person, acme: Cast) -> None:
    """It read "Settled", as if it had been paid."""
    await turn_on_billing(acme)
    paid = await bill_one(acme, order_id="PAID", email="paid@example.test")
    await pay(acme, amount="60.00", invoices=[{"number": paid.document.number}])
    invoice = await bill_one(acme)
    path = f"/v1/invoices/{invoice.id}/credit/"
    statuses = []
    for amount in ("10", "50"):
        await acme.post(path, {"reason": "Late", "amount": amount})
        page = await owner.text("money", "invoices", invoice.id)
        [status] = re.findall(r'<p><span class="status[^>]*>(\w+)', page)
        statuses.append(status)
    assert statuses == ["Open", "Credited"]
    listed = words(await owner.see("money", "invoices"))
    assert listed.count("Credited") == 1
    file = await owner.see("downloads", "invoices", "csv")
    rows = csv.DictReader(io.StringIO(file.text.removeprefix("\ufeff")))
    said = {row["number"]: row["status"] for row in rows}
    assert said[invoice.document.number] == "Credited"
    assert said[paid.document.number] == "Settled"
    order = invoice.document.lines[0].period_id
    async with acme.db.read() as db:
        found = await find_subscription_of_orders(db, acme.account_id, [order])
    page = words(await owner.see("subscriptions", found[order]))
    assert f"Invoice {invoice.document.number} is credited" in page
    history = page[page.index("History") : page.index("All fields")]
    assert "Credited" in history  # nothing was paid back
    assert "Refunded" not in history
    whole = words(await owner.see("subscriptions", found[order], "history"))
    assert "orders credited" in whole
    assert "refunded" not in whole.lower()


async def test_an_invoice_names_each_of_its_subscriptions(owner: Person, acme: Cast) -> None:
    await turn_on_billing(acme)
    payer = await bill_together(acme, first_name="Ada")
    await bill(acme, payer_id=payer, first_name="Bob", email="bob@example.test", copies=3)
    await issue_waiting(acme.db, acme.account_id, by=BY)
    [invoice] = await newest_invoices(acme)
    page = await owner.text("money", "invoices", invoice.id)
    assert re.findall(r'<li><a href="[^"]*/subscriptions/\w+/">(.*)</bdi></li>', page) == [
        "Print, issues 1–4</a>, <bdi>Ada",
        "3 copies: Print, issues 1–4</a>, <bdi>Bob",
    ]


async def test_a_part_and_then_all_is_credited(owner: Person, acme: Cast) -> None:
    await turn_on_billing(acme)
    invoice = await bill_one(acme)
    address = owner.address("money", "invoices", invoice.id, "credit")
    assert "Say why." in words(await owner.send(address, {"much": "part", "amount": "10,00"}))
    sent = await owner.send(address, {"much": "part", "amount": "10,00", "reason": "Late"})
    assert sent.status_code == 303, words(sent)
    again = await owner.post(address, owner.sent)
    assert again.headers["Location"] == sent.headers["Location"]
    note, _invoice = await newest_invoices(acme)
    assert (note.document.total, note.document.reason) == (1000, "Late")
    assert f"Credit note {note.document.number}" in await owner.text("money", "invoices", note.id)
    too_much = await owner.send(address, {"much": "part", "amount": "60", "reason": "x"})
    assert "€50.00 are not credited yet" in words(too_much)
    await owner.send(address, {"much": "all", "reason": "Cancelled"})
    assert (await read_invoice(acme, invoice.id)).open_amount == 0
    assert "There is nothing left to credit." in words(await owner.http.get(address))


async def test_a_form_that_was_opened_before_a_change_changes_nothing(
    owner: Person, acme: Cast
) -> None:
    await turn_on_billing(acme)
    invoice = await bill_one(acme)
    for action in ("credit", "write-off", "replace"):
        address = owner.address("money", "invoices", invoice.id, action)
        stale = {"seen": "5999", "reason": "x", "much": "all"}
        refused = await owner.send(address, stale)
        assert refused.status_code == 400, action
        assert "has changed since you opened the page: €60.00 are open now" in words(refused)
    assert len(await newest_invoices(acme)) == 1


async def test_credit_settles_an_invoice_and_the_rest_is_written_off(
    owner: Person, acme: Cast
) -> None:
    await turn_on_billing(acme)
    invoice = await bill_one(acme)
    await pay(acme, amount="75.00", payer=invoice.payer_id)
    second = await bill_one(acme, order_id="B", payer_id=invoice.payer_id)
    address = owner.address("money", "invoices", second.id, "use-credit")
    assert "has a credit of €15.00" in words(await owner.http.get(address))
    await owner.send(address)
    assert (await read_invoice(acme, second.id)).open_amount == 4500
    address = owner.address("money", "invoices", second.id, "write-off")
    assert "copies that are held because of the invoice are released" in words(
        await owner.http.get(address)
    )
    sent = await owner.send(address, {"reason": "Moved away"})
    page = words(await owner.http.get(sent.headers["Location"]))
    assert "€45.00 is written off." in page
    assert "Written off: Moved away" in page


async def test_orders_that_wait_are_billed_and_problems_are_named(
    owner: Person, acme: Cast
) -> None:
    await turn_on_billing(acme)
    for name in ("A", "B"):
        payer = (await bill_one(acme, order_id=name, email=f"{name}@x.test")).payer_id
        await update_payer(acme.db, acme.account_id, payer, vat_id="", bills_together=True, by=BY)
        country = "FR" if name == "B" else "DE"
        made = await bill(acme, order_id=f"{name}2", email=f"{name}@x.test", country=country)
        assert made.invoices == []
    page = words(await owner.see("money", "open"))
    assert page.count("1 order, €60.00") == 2
    assert "There is no rate of VAT for" in page
    sent = await owner.post(owner.address("money", "open", "issue"))
    page = words(await owner.http.get(sent.headers["Location"]))
    assert "1 invoice is issued. 1 payer has none yet" in page
    assert len(await newest_invoices(acme)) == 3


async def test_what_is_open_adds_up(owner: Person, acme: Cast) -> None:
    await turn_on_billing(acme)
    days, invoice = (0, 10, 45, 75, 200), None
    for number, since in enumerate(days, 1):
        invoice = await bill_one(
            acme, order_id=f"O{number}", email=f"{number}@x.test", price=f"{number}0.00"
        )
        if since:
            await late(acme, invoice.id, since)
    assert invoice is not None
    await pay(acme, amount="5.00", payer=invoice.payer_id)
    too_much = await bill_one(acme, order_id="P", email="p@x.test", price="1.00")
    await pay(acme, amount="9.00", payer=too_much.payer_id)
    page = words(await owner.see("money", "open"))
    shown = [
        *("not due €10.00", "1–30 days late €20.00", "31–60 days late €30.00"),
        *("61–90 days late €40.00", "over 90 days late €45.00", "Open invoices €145.00"),
        *("Payments not used yet −€8.00", "Receivables €137.00"),
    ]
    assert [each for each in shown if each.replace(" ", "") not in page.replace(" ", "")] == []
    assert "By payer" in page
    file = await owner.see("money", "open", "csv")
    day = (await accounts.get_account(acme.db, acme.account_id)).daily_date
    assert f"open-items-{day}.csv" in file.headers["Content-Disposition"]
    rows = list(csv.DictReader(io.StringIO(file.text.removeprefix("\ufeff"))))
    assert sum(float(row["balance"]) for row in rows) == 137
    assert sum(float(row["open_amount"]) for row in rows) == 145
    numbers = {row["customer_number"] for row in rows}
    assert len(numbers) == len(rows)  # payers of one name are told apart
    assert all(f"customer {number}" in page for number in numbers)


async def test_a_page_says_in_which_language_the_items_are(owner: Person, acme: Cast) -> None:
    await turn_on_billing(acme)
    english = await bill_one(acme)
    await acme.db.write(partial(speak_german, acme.account_id), account_id=acme.account_id)
    german = await bill_one(acme, order_id="DE", payer_id=english.payer_id)
    plain = await owner.text("money", "invoices", english.id)
    assert "as on the document" not in plain
    page = await owner.text("money", "invoices", german.id)
    assert "The texts are as on the document, in German." in words(page)
    assert '<th scope="row" lang="de">' in page
    assert ">Quantity</th>" in page
