"""Each invariant of products and orders is broken by a statement, and `check` reports the row."""

from datetime import timedelta

import pytest

from masthead.model.clock import now
from masthead.model.dispatch.runs import CountryGroup
from masthead.model.orders.entry import OrderEntry
from masthead.model.orders.offers import Offer
from masthead.model.orders.order import OrderDefaults
from masthead.model.orders.price_rises import PriceRise
from masthead.model.types.enums import Medium
from masthead.model.validation import decode_input
from masthead.services import products
from masthead.services.orders.enter import enter_order
from masthead.store.check.orders import ORDER_INVARIANTS
from masthead.store.engine.interface import Database
from tests.conftest import BY, Cast, Client, make_account
from tests.support.checks import faults, faults_after
from tests.support.factories import PLACEHOLDER_DOMAIN, make_issue, make_subscription, manual

LENGTH = "a product is for issues or for months"
PRICE = "a price is of a product of its account, for a medium and a group of countries"
DATED = "a price from a day on is of a product of its account"
RISE = "a rise of renewals is of a product of its account, by an amount or by percent"
PERIOD = "a period's source and product are its account's"
GIVER = "only a gift has a giver"
BUNDLE = "the subscriptions of a bundle have the subscriber of its first one"

# each invariant with a statement that breaks it and the row that is reported
BREAKS = [
    (LENGTH, "UPDATE product SET type = 'loan' WHERE id = :product", "product"),
    (LENGTH, "UPDATE product SET type = 'membership' WHERE id = :product", "product"),
    (LENGTH, "UPDATE product SET interval_months = 12 WHERE id = :product", "product"),
    (LENGTH, "UPDATE product SET length = 0 WHERE id = :product", "product"),
    (PRICE, "UPDATE product_price SET price = -1 WHERE product_id = :product", "product"),
    (PRICE, "UPDATE product_price SET medium = 'Vinyl' WHERE product_id = :product", "product"),
    (PRICE, "UPDATE product_price SET country_group = 'moon' WHERE {own}", "product"),
    (DATED, "UPDATE dated_price SET price = -1 WHERE product_id = :product", "product"),
    (RISE, "UPDATE price_rise SET amount = 0 WHERE product_id = :product", "product"),
    (RISE, "UPDATE price_rise SET rate = 5 WHERE product_id = :product", "product"),
    (RISE, "UPDATE price_rise SET country_group = 'moon' WHERE {own}", "product"),
    (PERIOD, "UPDATE period SET source_id = 'X' WHERE {own} AND id = :period", "period"),
    (PERIOD, "UPDATE period SET product_id = 'X' WHERE {own} AND id = :period", "period"),
    (PERIOD, "UPDATE period SET payment_method = 'barter' WHERE {own} AND id = :period", "period"),
    (GIVER, "UPDATE subscription SET is_gift = false WHERE id = :first", "first"),
    (GIVER, "UPDATE subscription SET gifter_id = :subscriber WHERE id = :other", "other"),
    (BUNDLE, "UPDATE subscription SET bundle_id = 'X' WHERE id = :second", "second"),
    (BUNDLE, "UPDATE subscription SET bundle_id = :second WHERE id = :first", "second"),
    (BUNDLE, "UPDATE subscription SET bundle_id = :first WHERE id = :other", "other"),
]


@pytest.fixture(scope="module")
async def acme(client: Client, db: Database) -> Cast:
    """An account that these tests share: they roll back what they break."""
    return await make_account(client, db, "Acme")


@pytest.fixture(scope="module")
async def scene(acme: Cast) -> dict[str, object]:
    """A product with a price, a gift of two copies, and a subscription of someone else."""
    await make_issue(acme)
    offer = Offer(length=4, prices={(Medium.PRINT, CountryGroup.HOME): 4200})
    product = await products.create_product(
        acme.db, acme.account_id, name="Year", offer=offer, by=BY
    )
    await products.update_product(
        acme.db,
        acme.account_id,
        product.id,
        name="Year",
        benefits=[],
        offer=Offer(length=4, prices={(Medium.PRINT, CountryGroup.HOME): 4600}),
        prices_from=now().date() + timedelta(days=9),
        rises={(Medium.PRINT, CountryGroup.REST): PriceRise(400)},
        by=BY,
    )
    body = manual(acme, product=product.id, copies=2, is_gift=True, gifter_company="Acme")
    made = await enter_order(
        acme.db,
        acme.account_id,
        decode_input(OrderEntry, body),
        defaults=OrderDefaults(acme.currency, PLACEHOLDER_DOMAIN),
        by=BY,
    )
    other = await make_subscription(acme)
    return {
        "account": acme.account_id,
        "product": product.id,
        "first": made.subscription_ids[0],
        "second": made.subscription_ids[1],
        "other": other["id"],
        "subscriber": other["subscriber"]["id"],
        "period": made.subscription.periods[0].id,
    }


@pytest.mark.usefixtures("scene")
async def test_orders_written_by_the_services_break_no_invariant(acme: Cast) -> None:
    assert await faults(acme) == []


@pytest.mark.parametrize("invariant, sql, culprit", BREAKS)
async def test_a_broken_order_is_reported_with_its_invariant(
    acme: Cast, scene: dict[str, object], invariant: str, sql: str, culprit: str
) -> None:
    assert (invariant, str(scene[culprit])) in await faults_after(acme, sql, **scene)


def test_the_tests_break_every_invariant_of_orders() -> None:
    assert {invariant for invariant, _, _ in BREAKS} == set(ORDER_INVARIANTS)
