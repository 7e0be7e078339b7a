"""Orders of users who take them, but do not see the money of the publication."""

import html
import re

import pytest

from masthead.model.identity.rights import ASSISTANT_RIGHTS, STAFF_RIGHTS, Right
from masthead.model.orders.price_rises import PriceRise
from masthead.services.products import update_product
from masthead.store.engine.interface import Database
from tests.conftest import BY, Cast
from tests.support.billing import HOME, newest_invoices, turn_on_billing
from tests.support.factories import make_issue, make_issues, make_subscription
from tests.support.price_rises import raise_renewals
from tests.support.rich_account import make_rich
from tests.web.conftest import Person, fields_of
from tests.web.orders.conftest import TYPED, columns_of, subscriptions
from tests.web.orders.test_kinds import YEAR, product
from tests.web.subscribers.test_pages import words
from tests.web.subscriptions.facts import rows_of
from tests.web.test_rights import AMOUNT, give

ASSISTANT = STAFF_RIGHTS - {Right.SEE_MONEY}


@pytest.fixture
async def sam(db: Database, acme: Cast, staff: Person) -> Person:
    """An assistant who may do all that staff may, except see money."""
    await give(db, acme, staff, ASSISTANT)
    return staff


async def followed(person: Person, address: str, fields: dict[str, str]) -> str:
    """Send a form; the words of the page that comes then."""
    response = await person.send(address, fields)
    assert response.status_code == 303, words(response)
    return words(await person.http.get(response.headers["Location"]))


async def test_the_price_of_the_order_at_hand_is_proposed_and_said_once(
    sam: Person, acme: Cast
) -> None:
    await make_issue(acme)
    id = await product(acme, "Year", YEAR)
    asked = {**TYPED, "price": "", "product": id, "do": "fill"}
    offered = await sam.send(sam.address("subscriptions", "new"), asked)
    assert fields_of(offered.text)["price"] == "52.00"
    page = await followed(sam, sam.address("subscriptions", "new"), {**TYPED, "price": "52.00"})
    assert "The price is €52.00." in page
    [made] = await subscriptions(acme)
    assert made["price"] == "52.00"
    later = words(await sam.see("subscriptions", made["id"]))
    assert not AMOUNT.search(later)


async def test_those_who_see_money_read_the_price_on_the_page_itself(
    staff: Person, acme: Cast
) -> None:
    await make_issue(acme)
    page = await followed(staff, staff.address("subscriptions", "new"), TYPED)
    assert "The price is" not in page


async def test_an_order_by_invoice_is_billed_but_the_invoice_stays_hidden(
    sam: Person, acme: Cast
) -> None:
    await turn_on_billing(acme)
    fields = {**TYPED, "is_billed": "y"}
    page = await followed(sam, sam.address("subscriptions", "new"), fields)
    [invoice] = await newest_invoices(acme)
    assert f"Invoice {invoice.document.number} is issued" in page
    assert (await sam.see("money", "invoices", invoice.id)).status_code == 403
    assert (await sam.see("money", "invoices")).status_code == 403


async def test_without_the_right_to_bill_an_order_by_invoice_waits_for_those_who_have_it(
    db: Database, owner: Person, sam: Person, acme: Cast
) -> None:
    await turn_on_billing(acme)
    await give(db, acme, sam, ASSISTANT_RIGHTS)
    page = words(await sam.see("subscriptions", "new"))
    assert "How is it paid?" in page
    assert "No invoice is issued" not in page
    address = sam.address("subscriptions", "new")
    unanswered = await sam.send(address, TYPED)
    assert unanswered.status_code == 400
    chosen = words(await sam.send(address, {**TYPED, "is_billed": "y", "do": "bill"}))
    assert "The order waits for its invoice. A user who may bill issues it." in chosen
    assert "By direct debit" not in chosen
    assert "One invoice for all orders" not in chosen
    page = await followed(sam, address, {**TYPED, "is_billed": "y"})
    assert "The order waits for its invoice. A user who may bill issues it." in page
    assert await newest_invoices(acme) == []
    assert "42.00" in words(await owner.see("money", "open"))
    await owner.send(owner.address("money", "open", "issue"), {})
    [invoice] = await newest_invoices(acme)
    assert invoice.document.total == 4200


async def test_without_the_right_to_bill_nothing_is_collected(
    db: Database, sam: Person, acme: Cast
) -> None:
    await turn_on_billing(acme)
    await give(db, acme, sam, ASSISTANT_RIGHTS)
    fields = {**TYPED, "is_billed": "debit", "debit_iban": "DE02120300000000202051"}
    refused = await sam.send(sam.address("subscriptions", "new"), fields)
    assert refused.status_code == 400
    assert await subscriptions(acme) == []


async def test_a_renewal_by_invoice_waits_without_the_right_to_bill(
    db: Database, sam: Person, acme: Cast
) -> None:
    await turn_on_billing(acme)
    await give(db, acme, sam, ASSISTANT_RIGHTS)
    made = await make_subscription(acme, length=4, price="42.00")
    path = sam.address("subscriptions", made["id"], "renew")
    page = await followed(sam, path, {"is_billed": "y"})
    assert "The order waits for its invoice. A user who may bill issues it." in page
    assert await newest_invoices(acme) == []


async def test_a_renewal_at_the_price_of_the_last_order_does_not_show_it(
    sam: Person, acme: Cast
) -> None:
    await make_issue(acme)
    made = await make_subscription(acme, length=4, price="42.00")
    assert "Renew" in words(await sam.see("subscriptions", made["id"]))
    path = sam.address("subscriptions", made["id"], "renew")
    shown = await sam.http.get(path)
    assert fields_of(shown.text)["price"] == fields_of(shown.text)["offered_price"] == ""
    hint = "If you leave it empty, the renewal costs what the last order cost."
    assert hint in words(shown)
    page = await followed(sam, path, {})
    assert "It costs what the last order cost." in page
    assert not AMOUNT.search(page)
    [renewed] = await subscriptions(acme)
    assert [each["price"] for each in renewed["periods"]] == ["42.00", "42.00"]


async def test_a_raised_price_of_the_last_order_is_paid_and_not_shown(
    sam: Person, acme: Cast
) -> None:
    await make_issue(acme)
    made = await make_subscription(acme, length=4, price="42.00", order_date="2026-01-15")
    await raise_renewals(acme, PriceRise(400))
    path = sam.address("subscriptions", made["id"], "renew")
    shown = words(await sam.http.get(path))
    assert "the renewal costs what the last order cost, with the price rises since then." in shown
    page = await followed(sam, path, {})
    assert "It costs what the last order cost, with the price rises since then." in page
    assert not AMOUNT.search(page)
    [renewed] = await subscriptions(acme)
    assert [each["price"] for each in renewed["periods"]] == ["42.00", "46.00"]


@pytest.mark.parametrize("is_billed", ["", "y"])
async def test_a_hidden_price_is_hidden_also_where_invoices_are_issued(
    sam: Person, acme: Cast, is_billed: str
) -> None:
    await turn_on_billing(acme)
    made = await make_subscription(acme, length=4, price="42.00", **HOME)
    path = sam.address("subscriptions", made["id"], "renew")
    page = await followed(sam, path, {"is_billed": is_billed})
    assert "It costs what the last order cost." in page
    assert not AMOUNT.search(page)


async def test_a_renewal_by_users_who_do_not_see_money_can_cost_what_they_type(
    sam: Person, acme: Cast
) -> None:
    await make_issue(acme)
    made = await make_subscription(acme, length=4, price="42.00")
    path = sam.address("subscriptions", made["id"], "renew")
    assert "The price is €45.00." in await followed(sam, path, {"price": "45"})
    [renewed] = await subscriptions(acme)
    assert [each["price"] for each in renewed["periods"]] == ["42.00", "45.00"]


async def test_a_renewal_proposes_the_price_of_the_product_also_to_them(
    sam: Person, acme: Cast
) -> None:
    await make_issue(acme)
    made = await make_subscription(acme, length=4, price="42.00", country="FR")
    [known] = await rows_of(acme, "product")
    id = known["id"]
    await update_product(acme.db, acme.account_id, id, name="Year", benefits=[], offer=YEAR, by=BY)
    path = sam.address("subscriptions", made["id"], "renew")
    assert fields_of((await sam.http.get(path)).text)["price"] == "52.00"
    assert "The price is €52.00." in await followed(sam, path, {})


async def test_what_was_refunded_is_not_the_proposed_price_of_a_new_order(
    owner: Person, sam: Person, acme: Cast
) -> None:
    await make_issues(acme, 1, 3)
    made = await make_subscription(acme, length=3, price="39.00")
    path = owner.address("subscriptions", made["id"], "cancel")
    await owner.send(path, {"reason": "moved", "refund": "share"})
    address = f"{sam.address('subscriptions', 'new')}?again={made['id']}"
    assert fields_of((await owner.http.get(address)).text)["price"] == "39.00"
    assert fields_of((await sam.http.get(address)).text)["price"] == ""


async def test_a_cancellation_refunds_nothing_whatever_is_sent(sam: Person, acme: Cast) -> None:
    await make_issues(acme, 1, 3)
    made = await make_subscription(acme, length=3)
    path = sam.address("subscriptions", made["id"], "cancel")
    text = words(await sam.http.get(path))
    assert "Nothing is refunded or credited." in text
    assert "What is refunded" not in text
    assert not AMOUNT.search(text)
    for choice in ("share", "amounts"):
        forged = {"reason": "moved", "refund": choice, "amount_1": "5", "mode": "cancel"}
        await sam.send(path, forged)
    assert "cancelled" in words(await sam.see("subscriptions", made["id"])).lower()
    assert await columns_of(acme, "refund", "amount") == []
    assert (await sam.see("subscriptions", made["id"], "refund")).status_code == 403


async def test_a_reopened_subscription_does_not_say_how_much_was_refunded(
    owner: Person, sam: Person, acme: Cast
) -> None:
    await make_issues(acme, 1, 3)
    made = await make_subscription(acme, length=3)
    path = owner.address("subscriptions", made["id"], "cancel")
    await owner.send(path, {"reason": "moved", "refund": "share"})
    path = sam.address("subscriptions", made["id"], "reopen")
    text = words(await sam.http.get(path))
    assert "was refunded" in text
    assert "hidden" not in text
    assert not AMOUNT.search(text)
    assert "is reopened" in await followed(sam, path, {})


async def test_the_right_to_see_money_alone_takes_no_orders(
    db: Database, acme: Cast, staff: Person
) -> None:
    await make_rich(acme)
    await give(db, acme, staff, STAFF_RIGHTS - {Right.TAKE_ORDERS})
    id = (await subscriptions(acme))[0]["id"]
    for page in (("new",), (id, "renew"), (id, "cancel"), (id, "reopen")):
        assert (await staff.see("subscriptions", *page)).status_code == 403, page
    assert (await staff.see("money")).status_code == 200
    assert "Add a subscription" not in await staff.text()


async def test_the_form_shows_no_amount_but_the_price_and_the_total_of_the_order(
    sam: Person, acme: Cast
) -> None:
    await make_rich(acme)
    for made in await subscriptions(acme):
        for address in (
            sam.address("subscriptions", made["id"], "renew"),
            f"{sam.address('subscriptions', 'new')}?again={made['id']}",
            f"{sam.address('subscriptions', 'new')}?subscriber={made['subscriber']['id']}",
        ):
            page = html.unescape((await sam.http.get(address)).text)
            shown = re.sub(r"Total with VAT: .*? VAT\)\.|<dt>Price</dt> <dd>.*?</dd>", "", page)
            assert not AMOUNT.search(shown), address
