"""The page that renews subscriptions."""

from datetime import date, timedelta

import pytest

from masthead.model.clock import now
from masthead.model.dispatch.runs import CountryGroup
from masthead.model.orders.offers import Offer
from masthead.model.orders.order import Order, OrderDefaults
from masthead.model.orders.price_rises import PriceRise
from masthead.model.types.enums import Medium
from masthead.services.orders.place import place_orders
from masthead.services.products import update_product
from masthead.store import accounts
from masthead.store.engine.interface import Transaction
from masthead.store.moments import get_daily_date
from tests.conftest import BY, Cast
from tests.support.billing import bill, bill_one, newest_invoices, turn_on_billing
from tests.support.checks import faults
from tests.support.factories import (
    fresh_order_id,
    import_row,
    make_issue,
    make_issues,
    make_membership,
    make_subscription,
)
from tests.support.letters import execute
from tests.support.price_rises import raise_renewals
from tests.web.conftest import Person, fields_of
from tests.web.subscribers.test_pages import words
from tests.web.subscriptions.facts import cancel, mark, rows_of, shown, statuses
from tests.web.subscriptions.test_pages import trail

BILL = {"price": "45,50", "payment_method": "cheque", "order_date": "2026-03-01"}


async def make_bundle(cast: Cast, count: int, **fields: object) -> list[str]:
    """Several subscriptions of a company that were ordered together."""
    first = fresh_order_id()
    orders = [
        Order(
            order_id=first if place == 1 else f"{first}-{place}",
            order_date=date(2026, 1, 15),
            company="Harbour Books",
            country="DE",
            email="desk@harbour.example",
            start_issue=1,
            length=2,
            price=1000,
            currency="EUR",
            bundle=first,
            **fields,  # type: ignore[arg-type]
        )
        for place in range(1, count + 1)
    ]
    defaults = OrderDefaults("EUR", "placeholder.example")

    async def work(tx: Transaction) -> list[str]:
        account = await accounts.lock_account(tx, cast.account_id)
        placed = await place_orders(tx, account, cast.shop, orders, defaults=defaults, by=BY)
        return [str(id) for id in placed]

    return await cast.db.write(work, account_id=cast.account_id)


@pytest.mark.parametrize("status", ["Active", "Complete", "Active - Renewals stopped"])
async def test_a_subscription_is_renewed_by_cheque(owner: Person, acme: Cast, status: str) -> None:
    await make_issues(acme, 1, 2)
    sub = await make_subscription(acme, length=1, is_recurring=status.endswith("stopped"))
    if status == "Complete":
        await mark(acme, sub["id"], 1)
    elif status.endswith("stopped"):
        await acme.post(f"/v1/subscriptions/{sub['id']}/cancel/", {"mode": "stop_renewals"})
    assert (await shown(acme, sub["id"]))["status"] == status
    path = owner.address("subscriptions", sub["id"], "renew")
    page = await owner.http.get(path)
    assert "ends with issue 1. The renewal starts with issue 2." in words(page)
    opened = fields_of(page.text)
    assert (opened["price"], opened["length"]) == ("42.00", "1")
    assert opened["order_id"].startswith("HAND-")
    response = await owner.post(path, {**opened, **BILL, "length": "3"})
    assert response.status_code == 303
    after = await shown(acme, sub["id"])
    assert [period["issue_list"] for period in after["periods"]] == [[1], [2, 3, 4]]
    assert (after["price"], after["total_length"]) == ("45.50", 4)
    assert after["status"] == ("Active" if status == "Complete" else status)
    assert (await statuses(acme, sub["id"]))[2] == "Not sent"
    period = (await rows_of(acme, "period"))[-1]
    assert (period["payment_method"], period["order_date"]) == ("cheque", date(2026, 3, 1))
    assert (period["source_id"], period["order_id"]) == (opened["source"], opened["order_id"])
    text = words(await owner.see("subscriptions", sub["id"]))
    assert "The subscription is renewed with issues 2–4." in text
    [entry] = [each for each in await trail(acme, sub["id"]) if "renew" in each["action"]][-1:]
    assert entry["actor_kind"] == "user"
    assert (await owner.post(path, {**opened, **BILL, "length": "3"})).is_redirect  # sent twice
    assert len(await rows_of(acme, "period")) == 2
    assert await faults(acme) == []


async def test_a_membership_is_renewed_by_months(owner: Person, acme: Cast) -> None:
    async with acme.db.read() as db:
        year = (await get_daily_date(db, acme.account_id)).year - 1
    member = await make_membership(
        acme, period_start=f"{year}-01-01", period_end=f"{year}-12-31", is_recurring="yes"
    )
    assert member["status"] == "Past due"
    path = owner.address("subscriptions", member["id"], "renew")
    page = await owner.http.get(path)
    assert f"The membership ends on 31 December {year}." in words(page)
    typed = {**BILL, "interval_months": "24", "period_start": ""}
    assert (await owner.send(path, typed)).is_redirect
    after = await shown(acme, member["id"])
    assert (after["status"], after["current_period_end"]) == ("Active", f"{year + 2}-12-31")
    assert "renewed for 24 months" in words(await owner.see("subscriptions", member["id"]))
    later = f"{year + 3}-03-01"
    assert (await owner.send(path, {**BILL, "period_start": later})).is_redirect
    assert (await shown(acme, member["id"]))["current_period_start"] == later
    response = await owner.send(path, {**BILL, "period_start": later})
    assert response.status_code == 400
    assert "use a later date" in words(response)
    assert await faults(acme) == []


@pytest.mark.parametrize("ago, late", [(0, -1), (10, 9), (400, 0)])
async def test_a_membership_that_ended_long_ago_is_renewed_from_today(
    owner: Person, acme: Cast, ago: int, late: int
) -> None:
    async with acme.db.read() as db:
        today = await get_daily_date(db, acme.account_id)
    end, first = today - timedelta(days=ago), today - timedelta(days=late)
    member = await make_membership(acme, period_start="2023-01-01", period_end=str(end))
    path = owner.address("subscriptions", member["id"], "renew")
    assert fields_of((await owner.http.get(path)).text)["period_start"] == str(first)
    assert (await owner.send(path, BILL)).is_redirect
    after = await shown(acme, member["id"])
    assert after["status"] == "Active"
    assert after["current_period_end"] > str(today)


async def test_the_price_of_the_product_is_proposed(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    sub = await make_subscription(acme, length=2, price="10.00")
    [product] = await rows_of(acme, "product")
    price = {
        "account_id": acme.account_id,
        "product_id": product["id"],
        "medium": "Print",
        "country_group": "rest",
        "currency": "EUR",
        "price": 4800,
    }

    async def work(tx: Transaction) -> None:
        for group in ("home", "europe", "rest"):
            await tx.insert_rows("product_price", [{**price, "country_group": group}])
        await tx.execute(
            "UPDATE product SET length = 4 WHERE account_id = :account_id",
            {"account_id": acme.account_id},
        )

    await acme.db.write(work)
    opened = fields_of((await owner.see("subscriptions", sub["id"], "renew")).text)
    assert (opened["price"], opened["length"]) == ("48.00", "4")
    other = await import_row(acme, start_issue="1", length="2", price="12.00", currency="USD")
    page = await owner.see("subscriptions", other["id"], "renew")
    opened = fields_of(page.text)
    assert (opened["price"], opened["currency"]) == ("12.00", "USD")
    path = owner.address("subscriptions", other["id"], "renew")
    assert (await owner.send(path, {**BILL, "currency": "EUR"})).is_redirect
    assert (await shown(acme, other["id"]))["currency"] == "EUR"


async def test_the_order_date_of_a_renewal_decides_which_price_counts(
    owner: Person, acme: Cast
) -> None:
    await make_issue(acme)
    sub = await make_subscription(acme, length=2, price="10.00")
    [product] = await rows_of(acme, "product")
    soon = now().date() + timedelta(days=5)
    for prices_from, price in ((None, 4800), (soon, 5200)):
        await update_product(
            acme.db,
            acme.account_id,
            product["id"],
            name="Year",
            benefits=[],
            offer=Offer(prices={(Medium.PRINT, group): price for group in CountryGroup}),
            prices_from=prices_from,
            by=BY,
        )
    page = fields_of((await owner.see("subscriptions", sub["id"], "renew")).text)
    assert page["price"] == "48.00"
    address = owner.address("subscriptions", sub["id"], "renew")
    target = {"HX-Request": "true", "HX-Target": "cost"}
    asked = {**page, "order_date": soon.isoformat(), "do": "offer"}
    answer = await owner.http.post(address, data=asked, headers=target)
    assert fields_of(f'<form method="post">{answer.text}</form>')["price"] == "52.00"
    day = f"{soon.day} {soon:%B} {soon.year}"
    assert f"On {day}, the price is €52.00; today it is €48.00." in answer.text
    answer = await owner.http.post(address, data={**asked, "price": "30"}, headers=target)
    assert fields_of(f'<form method="post">{answer.text}</form>')["price"] == "30"
    assert f"so it stays. The price on {day} is €52.00." in answer.text


async def test_a_price_that_the_product_does_not_have_is_raised(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    [first, *others] = await make_bundle(acme, 3)
    today, soon = now().date(), now().date() + timedelta(days=5)
    await execute(
        acme,
        "UPDATE period SET order_date = :day"
        " WHERE account_id = :account_id AND subscription_id = :id",
        day=today,
        id=others[1],
    )
    await raise_renewals(acme, PriceRise(400))
    await raise_renewals(acme, PriceRise(rate=1000), soon)
    page = await owner.text("subscriptions", first, "renew")
    assert fields_of(page)["price"] == "38.00"  # 2 × 14.00, and 10.00 for today's order
    assert "The price of this day counts." in page
    assert "with the price rises since then, because the product has none" in page
    address = owner.address("subscriptions", first, "renew")
    asked = {**fields_of(page), "order_date": soon.isoformat(), "do": "offer"}
    answer = await owner.http.post(address, data=asked)
    assert fields_of(answer.text)["price"] == "41.80"
    assert "today it is €38.00." in answer.text


async def test_a_price_without_vat_is_raised_by_what_is_paid_more(
    owner: Person, acme: Cast
) -> None:
    await turn_on_billing(acme, prices_include_vat=False)
    made = await bill(acme, price="48.00", order_date="2026-01-15")
    await raise_renewals(acme, PriceRise(400))
    address = owner.address("subscriptions", made.subscriptions[0].id, "renew")
    fields = fields_of((await owner.http.get(address)).text)
    assert fields["price"] == "51.74"  # 51.36 with VAT, and 4.00
    await owner.send(address, {"is_billed": "y"})
    assert [each.document.total for each in await newest_invoices(acme)] == [5536, 5136]


async def test_the_renewal_of_a_gift_names_the_giver(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    gift = {"is_gift": "yes", "gifter_name": "Grace Hopper", "gifter_email": "g@example.test"}
    sub = await import_row(acme, start_issue="1", length="2", **gift)
    text = words(await owner.see("subscriptions", sub["id"], "renew"))
    assert "This is a gift from Grace Hopper, who pays for it." in text
    giver = await make_subscription(acme, email="g@example.test")

    async def work(tx: Transaction) -> None:
        await tx.execute(
            "UPDATE subscription SET gifter_id = :giver WHERE account_id = :account AND id = :id",
            {"giver": giver["subscriber"]["id"], "account": acme.account_id, "id": sub["id"]},
        )

    await acme.db.write(work)
    page = (await owner.see("subscriptions", sub["id"], "renew")).text
    assert owner.address("subscribers", giver["subscriber"]["id"]) in page


async def test_missed_issues_are_said_before_a_late_renewal(owner: Person, acme: Cast) -> None:
    for number in range(1, 4):
        await make_issue(acme, number, release_date_actual=f"2026-0{number}-01")
    sub = await make_subscription(acme, length=1)
    await mark(acme, sub["id"], 1)
    text = words(await owner.see("subscriptions", sub["id"], "renew"))
    assert "Issue 3 is out already." in text
    assert "from issue 2." in text


async def test_a_cancelled_subscription_is_not_renewed(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    sub = await make_subscription(acme)
    path = owner.address("subscriptions", sub["id"], "renew")
    opened = fields_of((await owner.http.get(path)).text)
    await cancel(acme, sub["id"])  # meanwhile
    response = await owner.post(path, {**opened, **BILL})
    assert response.status_code == 400
    text = words(response)
    assert "This subscription is cancelled. Reopen it first, then renew it." in text
    assert owner.address("subscriptions", sub["id"], "reopen") in response.text
    assert "Reopen it first" in words(await owner.http.get(path))
    assert len(await rows_of(acme, "period")) == 1


async def test_the_second_of_two_renewals_is_asked(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    sub = await make_subscription(acme, length=2)
    path = owner.address("subscriptions", sub["id"], "renew")
    first, second = [fields_of((await owner.http.get(path)).text) for _ in range(2)]
    assert (await owner.post(path, {**first, **BILL})).is_redirect
    response = await owner.post(path, {**second, **BILL})
    assert response.status_code == 400
    assert f"order {first['order_id']} is its last one now" in words(response)
    assert (await owner.post(path, fields_of(response.text))).is_redirect
    assert len((await shown(acme, sub["id"]))["periods"]) == 3
    assert await faults(acme) == []


@pytest.mark.parametrize(
    "typed, message",
    [
        ({"length": ""}, "Type a whole number from 1 to 1000."),
        ({"length": "x"}, "Type a whole number from 1 to 1000."),
        ({"price": ""}, "Type the amount like 42.00."),
        ({"price": "4.2.0"}, "Type the amount like 42.00."),
        ({"discount_amount": "x"}, "Type the amount like 42.00."),
        ({"currency": "XXX"}, "Choose a currency."),
        ({"order_date": "2999-01-01"}, "Check the year."),
        ({"order_date": ""}, "Type the date like 2026-01-15."),
        ({"order_id": ""}, "Order ID"),
        ({"order_id": "USED"}, "already belongs to subscription"),
        ({"transaction_id": "x" * 256}, "Transaction ID"),
        ({"payment_method": "shells"}, "Choose how it was paid."),
        ({"source": "nowhere"}, "Source"),
    ],
)
async def test_a_wrong_renewal_is_refused_at_its_field(
    owner: Person, acme: Cast, typed: dict[str, str], message: str
) -> None:
    await make_issue(acme)
    used = await import_row(acme, start_issue="1", length="1", order_id=f"USED{acme.account_id}")
    sub = await make_subscription(acme)
    path = owner.address("subscriptions", sub["id"], "renew")
    if typed == {"order_id": "USED"}:
        typed = {"order_id": f"USED{acme.account_id}"}
    response = await owner.send(path, {**BILL, **typed})
    assert response.status_code == 400
    assert message in words(response)
    kept = fields_of(response.text)
    assert kept["price"] == {**BILL, **typed}["price"]
    assert len((await shown(acme, sub["id"]))["periods"]) == 1
    assert len((await shown(acme, used["id"]))["periods"]) == 1


async def test_a_complimentary_subscription_is_renewed_for_nothing(
    owner: Person, acme: Cast
) -> None:
    await make_issue(acme)
    sub = await make_subscription(acme, is_comp=True, price="0")
    path = owner.address("subscriptions", sub["id"], "renew")
    response = await owner.send(path, {"price": "5"})
    assert response.status_code == 400
    assert "complimentary, so its price is 0" in words(response)
    assert (await owner.send(path)).is_redirect
    assert (await shown(acme, sub["id"]))["price"] == "0.00"


# --- Bundles -------------------------------------------------------------------------------------


async def test_what_was_ordered_together_is_renewed_together(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    ids = await make_bundle(acme, 3)
    page = await owner.see("subscriptions", ids[1], "renew")
    assert "This page is about 3 copies together. Only one copy" in words(page)
    path = owner.address("subscriptions", ids[1], "renew")
    opened = fields_of(page.text)
    assert opened["price"] == "30.00"
    typed = {**BILL, "price": "31.00", "order_id": f"TOGETHER-{acme.account_id}", "length": "4"}
    response = await owner.post(path, {**opened, **typed})
    assert response.status_code == 303
    renewed = [await shown(acme, id) for id in ids]
    assert [each["price"] for each in renewed] == ["10.34", "10.33", "10.33"]
    assert [each["total_length"] for each in renewed] == [6, 6, 6]
    last = [row["order_id"] for row in (await rows_of(acme, "period"))[-3:]]
    assert last == [typed["order_id"], f"{typed['order_id']}-2", f"{typed['order_id']}-3"]
    assert "3 copies are renewed." in words(await owner.see("subscriptions", ids[1]))
    assert await faults(acme) == []


async def test_one_of_a_bundle_that_was_renewed_meanwhile_stops_the_others(
    owner: Person, acme: Cast
) -> None:
    await make_issue(acme)
    ids = await make_bundle(acme, 2)
    path = owner.address("subscriptions", ids[0], "renew")
    opened = fields_of((await owner.http.get(path)).text)
    one = owner.address("subscriptions", ids[1], "renew") + "?with=one"
    alone = fields_of((await owner.http.get(one)).text)
    assert (await owner.post(one, {**alone, **BILL})).is_redirect
    response = await owner.post(path, {**opened, **BILL})
    assert response.status_code == 400
    assert "The number of copies has changed since you opened this page: 1" in words(response)
    assert len((await shown(acme, ids[0]))["periods"]) == 1


async def test_what_was_ordered_together_is_cancelled_together(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    ids = await make_bundle(acme, 3)
    await cancel(acme, ids[2])
    path = owner.address("subscriptions", ids[0], "cancel")
    page = await owner.http.get(path)
    assert "This page is about 2 copies together." in words(page)
    assert "For each of the 2 copies:" in words(page)
    opened = fields_of(page.text)
    assert [name for name in opened if name.startswith("amount_")] == ["amount_1"]
    typed = {"reason": "moved", "refund": "share"}
    assert (await owner.post(path, {**opened, **typed})).is_redirect
    assert "The subscription is cancelled. 2 copies will not be sent." in words(
        await owner.see("subscriptions", ids[0])
    )
    ended = [await shown(acme, id) for id in ids]
    assert [each["status"] for each in ended] == ["Cancelled"] * 3
    assert [each["refunded"] for each in ended] == ["10.00", "10.00", "0.00"]
    assert await faults(acme) == []


async def test_a_renewal_asks_how_it_is_paid(owner: Person, acme: Cast) -> None:
    await turn_on_billing(acme)
    id = (await make_subscription(acme))["id"]
    address = owner.address("subscriptions", id, "renew")
    page = await owner.http.get(address)
    asked = page.text.partition("How is it paid?")[2].partition("</fieldset>")[0]
    assert "checked" not in asked
    fields = fields_of(page.text) | {"price": "42.00"}
    refused = await owner.post(address, fields)
    assert refused.status_code == 400
    assert "Choose how it is paid." in refused.text
    paid = await owner.post(address, fields | {"is_billed": ""})
    assert "Paid: €42.00." in (await owner.http.get(paid.headers["Location"])).text


async def test_a_renewal_is_billed_to_who_got_the_invoice_before(owner: Person, acme: Cast) -> None:
    await turn_on_billing(acme)
    payer = (await bill_one(acme, email="agency@example.test")).payer_id
    made = await bill(acme, order_id="B", email="ada@example.test", payer_id=payer)
    address = owner.address("subscriptions", made.subscriptions[0].id, "renew")
    response = await owner.send(address, {"price": "45.00", "order_reference": "PO 9"})
    assert response.status_code == 303, words(response)
    invoice = (await newest_invoices(acme))[0]
    assert (invoice.payer_id, invoice.document.order_reference) == (payer, "PO 9")
    assert invoice.document.total == 4500
    page = await owner.http.get(response.headers["Location"])
    assert f"Invoice {invoice.document.number} is issued" in words(page)


async def test_a_renewal_of_several_copies_is_on_one_invoice(owner: Person, acme: Cast) -> None:
    await turn_on_billing(acme, prices_include_vat=False)
    [first, *_others] = await make_bundle(acme, 3)
    address = owner.address("subscriptions", first, "renew")
    typed = {"price": "90.00", "is_billed": "y", "due_days": "14", "is_other_payer": "y"}
    town = {
        "payer_company": "Town of Ulm",
        "payer_address1": "Marktplatz 1",
        "payer_postcode": "89073",
        "payer_city": "Ulm",
        "payer_country": "DE",
    }
    shown = await owner.post(address, {**typed, **town, "do": "total"})
    assert "Total with VAT: €96.30" in words(shown)
    response = await owner.send(address, typed | town)
    assert response.status_code == 303, words(response)
    [invoice] = await newest_invoices(acme)
    assert (len(invoice.document.lines), invoice.document.total) == (3, 9630)
    assert invoice.document.payer.name == "Town of Ulm"
    again = await owner.text("subscriptions", first, "renew")
    assert fields_of(again)["price"] == "90.00"  # VAT is added to it again


async def test_a_renewal_can_wait_for_one_invoice_of_an_agency(owner: Person, acme: Cast) -> None:
    await turn_on_billing(acme)
    agency = (await bill_one(acme, email="agency@example.test")).payer_id
    made = await bill(acme, order_id="B", email="ada@example.test")
    address = owner.address("subscriptions", made.subscriptions[0].id, "renew")
    known = len(await newest_invoices(acme))
    typed = {"price": "45.00", "is_other_payer": "y", "payer_id": agency, "bills_together": "y"}
    response = await owner.send(address, typed)
    assert response.status_code == 303, words(response)
    page = words(await owner.http.get(response.headers["Location"]))
    assert "The order waits for the invoice of all orders of this payer." in page
    assert len(await newest_invoices(acme)) == known
    shown = words(await owner.see("subscribers", agency, "account"))
    assert "one for all orders" in shown
    assert "Orders that wait for an invoice 1 order, €45.00" in shown
