"""Creating, changing and deactivating products, and what subscriptions show of them."""

import time
from typing import Any

import pytest

from masthead.model.errors import Invalid, NotFound
from masthead.model.inputs import SubscriptionCreate
from masthead.model.orders.order import OrderDefaults, order_of
from masthead.model.validation import decode_input
from masthead.services import products
from masthead.services.subscriptions.create import create_subscription
from masthead.store import products as store
from masthead.store.products import AccountProduct
from tests.conftest import BY, Cast
from tests.support.audit import list_entries
from tests.support.factories import (
    fresh_order_id,
    import_cells,
    make_issue,
    make_subscription,
    manual,
)


async def listed(cast: Cast) -> list[AccountProduct]:
    """The products of an account."""
    async with cast.db.read() as connection:
        return await store.list_products(connection, cast.account_id)


async def make(cast: Cast, name: str = "Premium", benefits: tuple[str, ...] = ()) -> AccountProduct:
    """Create a product."""
    return await products.create_product(
        cast.db, cast.account_id, name=name, benefits=benefits, by=BY
    )


async def change(cast: Cast, id: str, name: str = "Premium", benefits: Any = ()) -> AccountProduct:
    """Change a product."""
    return await products.update_product(
        cast.db, cast.account_id, id, name=name, benefits=benefits, by=BY
    )


async def set_active(cast: Cast, id: str, *, is_active: bool) -> AccountProduct:
    """Activate or deactivate a product."""
    return await products.set_product_active(
        cast.db, cast.account_id, id, is_active=is_active, by=BY
    )


async def trail(cast: Cast, id: str) -> list[tuple[Any, ...]]:
    """The audit entries about a product."""
    async with cast.db.read() as connection:
        entries = await list_entries(connection, cast.account_id, "product", id)
    return [(entry["action"], entry["before"], entry["after"]) for entry in entries]


async def test_a_new_account_has_the_product_of_imported_subscriptions(acme: Cast) -> None:
    (first,) = await listed(acme)
    assert (first.name, first.benefits) == ("Imported subscription", [])
    assert (first.is_active, first.is_imported) == (True, True)


async def test_a_product_is_created_with_its_list_of_benefits(acme: Cast) -> None:
    made = await make(acme, " Premium ", (" Tote bag ", "", "  ", "Archive"))
    assert (made.name, made.benefits) == ("Premium", ["Tote bag", "Archive"])
    assert (made.is_active, made.is_imported) == (True, False)
    assert (await listed(acme))[1:] == [made]
    after = {"name": "Premium", "benefits": ["Tote bag", "Archive"]}
    assert await trail(acme, made.id) == [("product.create", None, after)]


async def test_a_subscription_shows_each_change_of_its_product(acme: Cast) -> None:
    await make_issue(acme, 1)
    made = await make_subscription(acme)
    (first,) = await listed(acme)
    path = f"/v1/subscriptions/{made['id']}/"
    assert (await acme.get(path)).json()["product"]["name"] == "Imported subscription"
    await change(acme, first.id, " Yearly ")
    await change(acme, first.id, "Yearly")
    assert (await acme.get(path)).json()["product"] == {
        "id": first.id,
        "name": "Yearly",
        "benefits": [],
    }
    assert await trail(acme, first.id) == [
        ("product.update", {"name": "Imported subscription"}, {"name": "Yearly"})
    ]
    again = await make_subscription(acme)  # renamed, it is still theirs
    assert again["product"]["id"] == first.id


async def test_subscriptions_show_each_change_of_the_benefits(acme: Cast) -> None:
    await make_issue(acme, 1)
    made = await make(acme, benefits=("Archive",))
    sold = await subscribe(acme, made.id)
    changed = await change(acme, made.id, benefits=["Archive", "Tote bag"])
    assert changed.benefits == ["Archive", "Tote bag"]
    shown = (await acme.get(f"/v1/subscriptions/{sold['id']}/")).json()
    assert shown["product"]["benefits"] == ["Archive", "Tote bag"]
    assert (await trail(acme, made.id))[-1] == (
        "product.update",
        {"benefits": ["Archive"]},
        {"benefits": ["Archive", "Tote bag"]},
    )


async def test_imported_subscriptions_have_no_benefits(acme: Cast) -> None:
    (first,) = await listed(acme)
    with pytest.raises(Invalid, match="imported subscriptions"):
        await change(acme, first.id, benefits=["Archive"])
    assert await listed(acme) == [first]


async def test_the_product_of_imported_subscriptions_cannot_be_deactivated(acme: Cast) -> None:
    (first,) = await listed(acme)
    with pytest.raises(Invalid, match="cannot be deactivated"):
        await set_active(acme, first.id, is_active=False)
    assert await set_active(acme, first.id, is_active=True) == first
    assert await trail(acme, first.id) == []


async def subscribe(cast: Cast, product_id: str) -> dict[str, Any]:
    """The product of a subscription, as the API shows it."""
    defaults = OrderDefaults(cast.currency, "placeholder.example")
    made = await create_subscription(
        cast.db,
        cast.account_id,
        cast.shop,
        order_of(decode_input(SubscriptionCreate, manual(cast)), defaults),
        defaults=defaults,
        send_welcome_email=False,
        product_id=product_id,
        by=BY,
    )
    shown: dict[str, Any] = (await cast.get(f"/v1/subscriptions/{made.id}/")).json()
    return shown


async def test_only_active_products_can_be_ordered(acme: Cast, rival: Cast) -> None:
    await make_issue(acme, 1)
    made = await make(acme, benefits=("Archive",))
    sold = await subscribe(acme, made.id)
    assert sold["product"] == {"id": made.id, "name": "Premium", "benefits": ["Archive"]}
    for _ in range(2):
        assert not (await set_active(acme, made.id, is_active=False)).is_active
    (foreign,) = await listed(rival)
    for id in (made.id, foreign.id, "NOSUCH"):
        with pytest.raises(Invalid, match="not an active product"):
            await subscribe(acme, id)
    assert (await acme.get(f"/v1/subscriptions/{sold['id']}/")).json() == sold
    for _ in range(2):
        assert (await set_active(acme, made.id, is_active=True)).is_active
    assert [action for action, _, _ in await trail(acme, made.id)] == [
        "product.create",
        "product.deactivate",
        "product.activate",
    ]


async def test_an_import_can_set_the_product_of_all_its_rows(acme: Cast) -> None:
    await make_issue(acme, 1)
    made = await make(acme)
    cells = {
        "order_id": fresh_order_id(),
        "first_name": "Ada",
        "country": "DE",
        "order_date": "2026-01-15",
    }
    row = {**cells, "start_issue": "1", "length": "4", "price": "1.00"}
    summary, _rejects = await import_cells(acme, [row], product_id=made.id)
    assert summary.imported == 1
    (shown,) = (await acme.get("/v1/subscriptions/")).json()["items"]
    assert shown["product"]["id"] == made.id


@pytest.mark.parametrize("benefits", [["x" * 256], ["x"] * 51])
async def test_the_number_and_length_of_benefits_are_limited(
    acme: Cast, benefits: list[str]
) -> None:
    with pytest.raises(Invalid, match="at most") as refusal:
        await products.create_product(
            acme.db, acme.account_id, name="Premium", benefits=benefits, by=BY
        )
    assert refusal.value.field == "benefits"


async def test_a_product_of_another_account_is_not_found(acme: Cast, rival: Cast) -> None:
    (foreign,) = await listed(rival)
    with pytest.raises(NotFound):
        await change(acme, foreign.id)
    with pytest.raises(NotFound):
        await set_active(acme, foreign.id, is_active=False)
    assert await listed(rival) == [foreign]


async def test_products_are_listed_in_the_order_they_were_made_even_if_the_clock_goes_back(
    acme: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    await make(acme, "First")
    past = time.time() - 60
    monkeypatch.setattr("time.time", lambda: past)
    await make(acme, "Second")
    await make(acme, "Third")
    assert [each.name for each in await listed(acme)][1:] == ["First", "Second", "Third"]
