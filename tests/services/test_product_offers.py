"""The offers of products: issues or months, and prices in the currency of the account."""

from datetime import date
from typing import Any

import pytest

from masthead.model.clock import now
from masthead.model.dispatch.runs import CountryGroup
from masthead.model.errors import Invalid
from masthead.model.orders.offers import Offer, Prices
from masthead.model.types.enums import Medium, SubscriptionType
from masthead.services import accounts, products
from masthead.store.orders import product_prices
from tests.conftest import BY, Cast
from tests.services.test_products import change, listed, make, trail

HOME = Medium.PRINT, CountryGroup.HOME
EUROPE = Medium.PRINT, CountryGroup.EUROPE
YEAR = Offer(length=4, prices={HOME: 4200, EUROPE: 5200})


async def prices_of(
    cast: Cast, id: str, currency: str = "EUR", *, day: date | None = None
) -> Prices:
    """The prices of a product that hold on a day, by default today."""
    async with cast.db.read() as connection:
        known = await product_prices.list_all_prices(
            connection, cast.account_id, day=day or now().date()
        )
    return known.get(currency, {}).get(id, {})


async def offer(cast: Cast, **fields: Any) -> str:
    """Create a product with an offer; returns its id."""
    made = await products.create_product(
        cast.db, cast.account_id, name="Year", offer=Offer(**fields), by=BY
    )
    return made.id


async def test_a_product_has_a_type_a_length_and_prices(acme: Cast) -> None:
    made = await products.create_product(acme.db, acme.account_id, name="Year", offer=YEAR, by=BY)
    assert (made.type, made.length, made.interval_months) == ("subscription", 4, None)
    assert await prices_of(acme, made.id) == YEAR.prices
    [(action, before, after)] = await trail(acme, made.id)
    assert (action, before) == ("product.create", None)
    assert (after["type"], after["length"]) == ("subscription", 4)
    assert after["prices"] == {"Print, home": "42.00 EUR", "Print, europe": "52.00 EUR"}


async def test_a_membership_has_months(acme: Cast) -> None:
    id = await offer(acme, type=SubscriptionType.MEMBERSHIP, length=4, interval_months=12)
    made = (await listed(acme))[1]
    assert (made.id, made.type, made.length, made.interval_months) == (id, "membership", None, 12)


async def test_a_change_of_prices_is_recorded_once_with_the_values_before_and_after(
    acme: Cast,
) -> None:
    id = await offer(acme, length=4, prices={HOME: 4200})

    async def save(new: Offer | None) -> None:
        await products.update_product(
            acme.db, acme.account_id, id, name="Year", benefits=[], offer=new, by=BY
        )

    for _ in range(2):
        await save(Offer(length=6, prices={EUROPE: 100}))
    assert await prices_of(acme, id) == {EUROPE: 100}
    _, changed = await trail(acme, id)
    assert changed == (
        "product.update",
        {"length": 4, "prices": {"Print, home": "42.00 EUR"}},
        {"length": 6, "prices": {"Print, europe": "1.00 EUR"}},
    )
    await save(None)
    assert await prices_of(acme, id) == {EUROPE: 100}
    assert len(await trail(acme, id)) == 2


async def test_a_product_without_an_offer_has_no_prices(acme: Cast) -> None:
    made = await make(acme)
    await change(acme, made.id, "Basic")
    assert (made.type, made.length, await prices_of(acme, made.id)) == ("subscription", None, {})


async def test_prices_in_a_former_currency_are_kept_but_do_not_count(acme: Cast) -> None:
    id = await offer(acme, prices={HOME: 4200})
    await accounts.update_account(acme.db, acme.account_id, currency="CHF", by=BY)
    assert await prices_of(acme, id, "CHF") == {}
    await products.update_product(
        acme.db,
        acme.account_id,
        id,
        name="Year",
        benefits=[],
        offer=Offer(prices={HOME: 4500}),
        by=BY,
    )
    assert await prices_of(acme, id, "CHF") == {HOME: 4500}
    assert await prices_of(acme, id, "EUR") == {HOME: 4200}


async def test_an_invalid_offer_changes_nothing(acme: Cast) -> None:
    with pytest.raises(Invalid):
        await offer(acme, length=0)
    assert len(await listed(acme)) == 1


async def test_accounts_do_not_see_the_prices_of_others(acme: Cast, rival: Cast) -> None:
    id = await offer(acme, prices={HOME: 4200})
    assert await prices_of(rival, id) == {}
