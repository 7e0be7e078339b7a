"""Prices for renewals of a product that has none: begin with what its last orders cost."""

from tests.conftest import Cast
from tests.support.letters import ADDRESS, add_subscribers, set_up
from tests.web.conftest import Person, fields_of
from tests.web.letters.test_pages import text_of
from tests.web.settings.test_sources_and_products import products_of

NAMES = ("price_print_home", "price_print_europe", "price_print_rest")


async def add_unpriced(acme: Cast) -> str:
    """Three subscriptions to Norway, one to the United States; the id of their product."""
    await set_up(acme)
    more = {**ADDRESS, "length": "9"}
    await add_subscribers(acme, 2, prefix="no", country="NO", price="50.00", **more)
    await add_subscribers(acme, 1, prefix="dear", country="NO", price="61.00", **more)
    await add_subscribers(acme, 1, prefix="us", country="US", price="70.00", **more)
    return (await products_of(acme))[0].id


async def test_the_page_says_what_renewals_without_a_price_cost(owner: Person, acme: Cast) -> None:
    id = await add_unpriced(acme)
    page = text_of(await owner.text("settings", "products", id, "edit"))
    assert "Print, Europe: 2 pay €50.00, 1 pays €61.00" in page
    assert "Rest of the world: 1 pays €70.00" in page


async def test_the_last_prices_are_raised_from_a_day_on(owner: Person, acme: Cast) -> None:
    id = await add_unpriced(acme)
    edit = owner.address("settings", "products", id, "edit")
    rise = {"raise_by": "4", "raise_in": "other", "raise": "1"}
    refused = text_of((await owner.send(edit, rise)).text)
    assert "Press “Fill in the most frequent prices” first" in refused
    filled = (await owner.send(edit, {"raise": "paid"})).text
    assert "not sold → 50.00" in text_of(filled)
    fields = fields_of(filled)
    assert [fields[name] for name in NAMES] == ["", "50.00", "70.00"]
    prices = {name: fields[name] for name in NAMES}
    raised = fields_of((await owner.send(edit, {**prices, **rise})).text)
    assert [raised[name] for name in NAMES] == ["", "54.00", "74.00"]
    await owner.send(edit, {name: raised[name] for name in NAMES})
    page = text_of(await owner.text("settings", "products", id, "edit"))
    assert "Renewals without a price" not in page


async def test_a_filled_price_is_not_replaced(owner: Person, acme: Cast) -> None:
    id = await add_unpriced(acme)
    edit = owner.address("settings", "products", id, "edit")
    sent = {"raise": "paid", "price_print_europe": "58"}
    fields = fields_of((await owner.send(edit, sent)).text)
    assert [fields[name] for name in NAMES] == ["", "58", "70.00"]
