"""How an order is paid is asked: nothing is proposed if the account writes invoices."""

from tests.conftest import Cast
from tests.support.billing import newest_invoices, turn_on_billing
from tests.support.factories import make_issue
from tests.web.conftest import Person
from tests.web.orders.conftest import subscriptions
from tests.web.orders.test_billing import order


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
