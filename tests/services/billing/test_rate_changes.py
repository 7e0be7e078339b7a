"""Orders that were paid at once, and whose supply ended after a change of VAT."""

from datetime import date

from masthead.model.billing.rate_changes import find_changed, has_changes
from masthead.services.billing.pricing import find_taxation_on
from masthead.store.billing.supplied_orders import list_supplied
from tests.conftest import Cast
from tests.services.billing.test_vat_days import start
from tests.support.billing import HOME, bill_one
from tests.support.factories import make_membership, make_subscription

Found = tuple[str, int, int]  # order id, VAT of its own day, and of its last day


async def changed(cast: Cast, first: str, last: str) -> list[Found]:
    """The orders whose supply ended on some days, and whose VAT differs."""
    days = date.fromisoformat(first), date.fromisoformat(last)
    async with cast.db.read() as db:
        taxation = await find_taxation_on(db, cast.account_id, days[1])
        assert taxation is not None
        listed = await list_supplied(db, cast.account_id, *days)
    if not has_changes(taxation, days[1]):
        return []
    return [
        (each.order.order_id, each.vat_paid, each.vat_supplied)
        for each in find_changed(listed, taxation)
    ]


async def pay(cast: Cast, order_id: str, **fields: object) -> None:
    """An order that was paid at once, of 109.00 unless the fields say otherwise."""
    email = f"{order_id.lower()}@example.org"
    asked = {"order_id": order_id, "email": email, "price": "109.00", **HOME, **fields}
    await make_subscription(cast, **asked)


async def test_an_order_paid_before_a_change_and_supplied_after_it_is_listed(acme: Cast) -> None:
    await start(acme, "2026-08-20")
    await pay(acme, "BEFORE", order_date="2026-05-01", start_issue=2, length=2)
    await pay(acme, "ACROSS", order_date="2026-05-02", start_issue=2, length=3)
    await pay(acme, "AFTER", order_date="2026-07-02", start_issue=4, length=1)
    await pay(acme, "OPEN", order_date="2026-05-03", start_issue=4, length=2)
    await bill_one(acme, order_id="BILLED", start_issue=2, length=3)
    assert await changed(acme, "2026-07-01", "2026-07-31") == [("ACROSS", 713, 900)]
    assert await changed(acme, "2026-06-01", "2026-06-30") == []
    assert await changed(acme, "2026-08-01", "2026-08-31") == []


async def test_a_membership_ends_on_its_last_day(acme: Cast) -> None:
    await start(acme, "2026-08-20")
    days = {"period_start": "2026-05-10", "period_end": "2026-08-09"}
    await make_membership(acme, order_id="M", order_date="2026-05-10", price="109.00", **days)
    assert await changed(acme, "2026-08-01", "2026-08-31") == [("M", 713, 900)]


async def test_elsewhere_the_day_of_the_order_decides(acme: Cast) -> None:
    await start(acme, "2026-08-20", country="AT")
    await pay(acme, "ACROSS", order_date="2026-05-02", start_issue=2, length=3, country="AT")
    assert await changed(acme, "2026-07-01", "2026-07-31") == []
