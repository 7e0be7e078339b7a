"""What arrives after a merge: the same orders again, renewals, and new orders."""

from tests.conftest import Cast
from tests.support.factories import import_cells, make_issues
from tests.support.subscribers import merge, require_sound, subscriber
from tests.support.walk import walk

ROW = {
    "first_name": "Ada",
    "country": "DE",
    "order_date": "2026-01-15",
    "start_issue": "1",
    "length": "2",
    "price": "42.00",
}


async def import_orders(cast: Cast, *orders: dict[str, str]) -> tuple[int, int]:
    """Import rows; how many were imported, and how many were known already."""
    summary, rejects = await import_cells(cast, [{**ROW, **order} for order in orders])
    assert rejects == []
    return summary.imported, summary.skipped


async def subscriber_of(cast: Cast, order_id: str) -> str:
    """The subscriber whom an order belongs to."""
    (found,) = await walk(cast, "/v1/subscriptions/", search=order_id)
    return str(found["subscriber"]["id"])


async def test_an_import_of_the_same_orders_on_the_next_day_adds_only_what_is_new(
    acme: Cast,
) -> None:
    await make_issues(acme, 1, 2)
    orders = [
        {"order_id": "ORD-A", "email": "a@example.test"},
        {"order_id": "ORD-B", "email": "b@example.test"},
    ]
    assert await import_orders(acme, *orders) == (2, 0)
    kept, merged = [await subscriber_of(acme, order["order_id"]) for order in orders]
    await merge(acme, kept, merged)
    before = await subscriber(acme, kept)
    renewal = {"order_id": "ORD-C", "renews": "ORD-B", "start_issue": "", "length": "1"}
    new = {"order_id": "ORD-D", "email": "B@example.test"}
    assert await import_orders(acme, *orders, renewal, new) == (2, 2)
    after = await subscriber(acme, merged)
    assert after["id"] == kept
    assert (before["subscription_count"], after["subscription_count"]) == (2, 3)
    assert (before["ltv"], after["ltv"]) == ("84.00", "168.00")
    assert {await subscriber_of(acme, f"ORD-{name}") for name in ("A", "B", "D")} == {kept}
    assert [each["id"] for each in await walk(acme, "/v1/subscribers/")] == [kept]
    await require_sound(acme)
