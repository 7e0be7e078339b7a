"""What a subscriber paid in other currencies than the one of their lifetime value."""

from masthead.services.revenue.lifetime import Paid, add_up, list_other_currencies
from masthead.store.subscribers.records import get_subscriber
from tests.conftest import Cast
from tests.support.factories import import_row, make_issue
from tests.support.revenue import add_refund

ADA = {"email": "ada@acme.test", "start_issue": "1", "length": "2"}


async def make_subscriber(cast: Cast) -> str:
    """A subscriber with orders in four currencies; one of them was free, one was refunded."""
    await make_issue(cast)
    await import_row(cast, price="42.00", **ADA)
    await import_row(cast, order_id="DOLLARS", price="30.00", currency="USD", **ADA)
    await import_row(cast, price="5000", currency="JPY", **ADA)
    made = await import_row(cast, price="0", currency="GBP", **ADA)
    await add_refund(cast, "DOLLARS", "2026-02-01", 1000)
    id: str = made["subscriber"]["id"]
    return id


async def test_other_currencies_are_summed_one_by_one(acme: Cast) -> None:
    id = await make_subscriber(acme)
    other = await import_row(acme, start_issue="1", length="2")
    ids = [id, other["subscriber"]["id"]]
    subscribers = [await get_subscriber(acme.db, acme.account_id, each) for each in ids]
    found = await list_other_currencies(acme.db, acme.account_id, subscribers)
    assert found == {id: [Paid("5000", "JPY"), Paid("20.00", "USD")]}


async def test_no_subscribers_have_paid_nothing(acme: Cast) -> None:
    assert await list_other_currencies(acme.db, acme.account_id, []) == {}


def test_payments_of_several_subscribers_are_added_up_by_currency() -> None:
    one = [Paid("14.000", "KWD"), Paid("20.00", "USD")]
    other = [Paid("42.900", "KWD"), Paid("-20.00", "USD")]
    assert add_up([one, other]) == [Paid("56.900", "KWD")]
    assert add_up([]) == []
