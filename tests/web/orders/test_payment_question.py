"""How an order is paid is asked: nothing is proposed if the account writes invoices."""

from masthead.web.orders.order_fields import PAGE_ORDER
from masthead.web.orders.order_form import OrderForm
from tests.conftest import Cast
from tests.support.billing import newest_invoices, turn_on_billing
from tests.support.factories import make_issue, make_subscription
from tests.web.conftest import Person, fields_of
from tests.web.orders.conftest import TYPED, WHERE, subscriptions
from tests.web.orders.test_billing import order
from tests.web.subscribers.test_pages import words


async def test_nothing_is_said_to_be_paid_before_the_user_says_so(
    owner: Person, acme: Cast
) -> None:
    await turn_on_billing(acme)
    page = await owner.text("subscriptions", "new")
    asked = page.partition("How is it paid?")[2].partition("</fieldset>")[0]
    assert "checked" not in asked
    refused = await order(owner, {})
    assert "Nothing has been saved yet." in refused
    assert "How is it paid?: Choose how it is paid. Without a payment, choose" in refused
    assert await subscriptions(acme) == []
    paid = await order(owner, {"is_billed": ""})
    assert "Ada gets 4 issues. Paid: €42.00. There is no invoice." in paid
    assert await newest_invoices(acme) == []


async def test_a_complimentary_copy_needs_no_answer(owner: Person, acme: Cast) -> None:
    await turn_on_billing(acme)
    page = await order(owner, {"is_comp": "y", "price": ""})
    assert "Ada gets 4 issues." in page
    assert "Paid:" not in page


async def test_an_account_without_invoices_asks_nothing(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    page = await order(owner, {})
    assert "Ada gets 4 issues." in page
    assert "Paid:" not in page


ANSWERS = ("Add it as well: The subscriber already has", "How is it paid?: Choose how it is paid.")


async def test_all_that_is_open_is_asked_at_once_in_the_order_of_the_page(
    owner: Person, acme: Cast
) -> None:
    await turn_on_billing(acme)
    await make_subscription(acme, first_name="Bob", last_name="Lee", **WHERE)
    ada = await make_subscription(acme, first_name="Ada", email="ada@example.test", **WHERE)
    giver = {"is_gift": "y", "gifter_first_name": "Bob", "gifter_last_name": "Lee"}
    typed = {**TYPED, **giver, "city": "", "start_issue": "1"}
    address = owner.address("subscriptions", "new")
    refused = await owner.send(address, typed)
    assert refused.status_code == 400
    asked = words(refused).partition("Please correct")[2].partition("Who is the order for?")[0]
    places = [
        asked.index(each)
        for each in ("Giver: The giver may be a subscriber", "Town: The town is missing.", *ANSWERS)
    ]
    assert places == sorted(places)
    assert "KnownSubscriber" not in asked
    assert '<a href="#givers">' in refused.text
    for name in ("new_giver", "overlaps"):
        assert f'name="{name}"' in refused.text
    assert len(await subscriptions(acme)) == 2
    answers = {"new_giver": "", "overlaps": ada["id"], "is_billed": "", "city": "Ulm"}
    again = await owner.post(address, {**fields_of(refused.text), **answers})
    assert "The giver may be" in words(again)
    assert not [each for each in ANSWERS if each in words(again)]


def test_every_field_of_an_order_has_its_place_on_the_page() -> None:
    assert set(PAGE_ORDER) == set(OrderForm()._fields) - {"idempotency_key"}
    assert len(set(PAGE_ORDER)) == len(PAGE_ORDER)
