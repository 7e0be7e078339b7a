"""Pages say for which renewals the price list does not count, before letters go out."""

import re

from masthead.model.dispatch.runs import CountryGroup
from masthead.model.orders.price_rises import PriceRise
from masthead.model.types.enums import Medium
from tests.conftest import Cast
from tests.support.letters import ADDRESS, add_subscribers, set_up
from tests.support.price_rises import raise_renewals
from tests.web.conftest import Person, fields_of
from tests.web.letters.test_pages import text_of
from tests.web.settings.test_price_rise import make_product
from tests.web.settings.test_sources_and_products import products_of

PRICED = {"price_print_home": "48", "price_print_europe": "48", "price_print_rest": ""}


async def test_a_stage_says_how_many_letters_have_the_price_of_the_last_order(
    owner: Person, staff: Person, acme: Cast
) -> None:
    await set_up(acme)
    await add_subscribers(acme, 2, prefix="no", country="NO", **ADDRESS)
    await add_subscribers(acme, 1, prefix="us", country="US", **ADDRESS)
    [product, *_] = await products_of(acme)
    last = (
        "Prices 3 letters have the price of the subscriber’s last order. This is normal where a "
        f"product has no price for the medium, country and currency: {product.name} ."
    )
    prices = f'href="{owner.address("settings", "products", product.id, "edit")}#prices-title"'
    for page in (("letters", "last"), ("letters", "last", "send")):
        text = await owner.text(*page)
        assert last in text_of(text).replace("Prices: ", "Prices ")
        assert prices in text
        others = await staff.text(*page)
        assert last.removesuffix(" .") in text_of(others).replace("Prices: ", "Prices ")
        assert prices not in others
    await owner.send(owner.address("settings", "products", product.id, "edit"), PRICED)
    text = text_of(await owner.text("letters", "last"))
    assert "2 letters have the price of the product. 1 letter has the price of the" in text
    every = {**PRICED, "price_print_rest": "60"}
    await owner.send(owner.address("settings", "products", product.id, "edit"), every)
    text = text_of(await owner.text("letters", "last"))
    assert "All letters have the price of the product." in text


async def test_the_numbers_by_price_follow_the_names_that_are_ticked(
    owner: Person, acme: Cast
) -> None:
    await set_up(acme)
    await add_subscribers(acme, 2, prefix="no", country="NO", **ADDRESS)
    await add_subscribers(acme, 1, prefix="us", country="US", **ADDRESS)
    [product, *_] = await products_of(acme)
    await owner.send(owner.address("settings", "products", product.id, "edit"), PRICED)
    page = await owner.text("letters", "last", "send")
    assert '<span data-left="price-of-product" data-total="2">2</span>' in page
    assert '<span data-left="price-of-order" data-total="1">1</span>' in page
    ticks = re.findall(r'data-letter="([^"]+)"', page)
    assert [each.split()[-1] for each in ticks] == ["price-of-product"] * 2 + ["price-of-order"]
    fields = fields_of(page)
    kept = re.findall(r'name="keep" value="(\d+)"', page)[1:]
    shown = re.findall(r'name="shown" value="([^"]+)"', page)
    changed: dict[str, str | list[str]] = {**fields, "shown": shown, "keep": kept, "do": "save"}
    await owner.send(owner.address("letters", "last", "send"), changed)
    text = text_of(await owner.text("letters", "last", "send"))
    assert "1 letter has the price of the product. 1 letter has the price of the sub" in text


async def test_a_stage_says_how_many_letters_have_a_raised_price(owner: Person, acme: Cast) -> None:
    await set_up(acme)
    await add_subscribers(acme, 2, prefix="no", country="NO", order_date="2026-01-15", **ADDRESS)
    await add_subscribers(acme, 1, prefix="us", country="US", order_date="2026-01-15", **ADDRESS)
    europe = {(Medium.PRINT, CountryGroup.EUROPE): PriceRise(400)}
    await raise_renewals(acme, europe)
    text = text_of(await owner.text("letters", "last"))
    assert "3 letters have the price of the subscriber’s last order" in text
    assert "2 of them have a price that was raised since that order." in text
    page = await owner.text("letters", "last", "send")
    assert '<span data-left="price-raised" data-total="2">2</span>' in page
    ticks = re.findall(r'data-letter="([^"]+)"', page)
    assert sorted(each.endswith(" price-of-order price-raised") for each in ticks) == [
        False,
        True,
        True,
    ]


async def test_a_letter_without_a_price_says_nothing_about_prices(
    owner: Person, acme: Cast
) -> None:
    await set_up(acme)
    await add_subscribers(acme, 1)
    address = owner.address("settings", "renewal-letters", "last")
    await owner.send(address, {"subject": "S", "text": "{greeting}, it ends {end}."})
    assert "last order" not in await owner.text("letters", "last")


async def test_the_page_of_prices_counts_live_subscriptions_without_a_price_list(
    owner: Person, acme: Cast
) -> None:
    await set_up(acme)
    await add_subscribers(acme, 2, length=9)
    [imported, *_] = await products_of(acme)
    made = await make_product(owner, acme)
    page = text_of(await owner.text("settings", "products", made, "edit"))
    assert (
        "A change of these prices does not count for 2 active subscriptions of products without a "
        "price: their renewals cost what the last order cost. To change that, raise the prices of "
        f"these renewals, too: {imported.name}"
    ) in page
    edit = owner.address("settings", "products", imported.id, "edit")
    assert "does not count" not in await owner.text("settings", "products", imported.id, "edit")
    await owner.send(edit, PRICED)
    assert "does not count" not in await owner.text("settings", "products", made, "edit")


async def test_a_renewal_at_the_last_price_does_not_say_that_the_day_counts(
    owner: Person, acme: Cast
) -> None:
    await set_up(acme)
    await add_subscribers(acme, 1, country="NO", **ADDRESS)
    row = await acme.db.fetch_all(
        "SELECT id FROM subscription WHERE account_id = :id", {"id": acme.account_id}
    )
    here = ("subscriptions", row[0]["id"], "renew")
    page = await owner.text(*here)
    assert "is proposed, because the product has none for this medium and country." in page
    assert "The price of this day counts." not in page
    [product, *_] = await products_of(acme)
    await owner.send(owner.address("settings", "products", product.id, "edit"), PRICED)
    page = await owner.text(*here)
    assert "The price of the product is proposed." in page
    assert "The price of this day counts." in page
