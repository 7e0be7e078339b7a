"""Prices for renewals of a product that has none: begin with what its last orders cost."""

import re
from collections.abc import Sequence
from datetime import date, timedelta

from masthead.model.clock import now
from masthead.model.dispatch.runs import CountryGroup
from masthead.model.orders.price_rises import DatedRises, PriceRise
from masthead.model.types.enums import Medium
from masthead.store.orders.price_rises import list_product_rises
from tests.conftest import Cast
from tests.services.test_product_offers import prices_of
from tests.support.cases import for_each
from tests.support.factories import import_row
from tests.support.letters import ADDRESS, add_subscribers, execute, set_up
from tests.web.conftest import Person, fields_of
from tests.web.letters.test_pages import text_of
from tests.web.orders.test_kinds import order
from tests.web.settings.test_price_rise import make_product
from tests.web.settings.test_sources_and_products import products_of

SOON = now().date() + timedelta(days=30)
NAMES = ("price_print_home", "price_print_europe", "price_print_rest")


def in_words(day: date) -> str:
    return f"{day.day} {day:%B} {day.year}"


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


async def rises_of(cast: Cast, id: str) -> Sequence[DatedRises]:
    async with cast.db.read() as db:
        return await list_product_rises(db, cast.account_id, id, currency="EUR")


def pending(page: str) -> dict[str, list[str]]:
    """The rises that are to be saved."""
    return {"rise": re.findall(r'name="rise" value="([^"]*)"', page)}


async def test_what_each_of_them_pays_is_raised_in_the_same_form(owner: Person, acme: Cast) -> None:
    id = await add_unpriced(acme)
    edit = owner.address("settings", "products", id, "edit")
    table = {"price_digital_europe": "20"}
    await owner.send(edit, table)
    rise = {"raise_by": "4", "raise_in": "other", "raise_medium": "all", "raise": "1"}
    shown = (await owner.send(edit, {**table, **rise, "prices_from": SOON.isoformat()})).text
    text = text_of(shown)
    assert "The new prices are in the table. They are not saved yet." in text
    assert "Print, Europe: 2 pay €50.00 → €54.00; 1 pays €61.00 → €65.00" in text
    assert "Print, Rest of the world: 1 pays €70.00 → €74.00" in text
    assert await rises_of(acme, id) == []
    fields = fields_of(shown)
    assert (fields["price_digital_europe"], fields["raises_paid"]) == ("24.00", "y")
    saved = await owner.http.post(edit, data={**fields, **pending(shown)})
    assert saved.status_code == 303
    page = text_of((await owner.http.get(saved.headers["Location"])).text)
    assert f"Renewals from {in_words(SOON)} on take the new prices." in page
    assert f"Price rise of renewals from {in_words(SOON)} on" in page
    assert (await prices_of(acme, id, day=SOON))[Medium.DIGITAL, CountryGroup.EUROPE] == 2400
    [dated] = await rises_of(acme, id)
    abroad = CountryGroup.EUROPE, CountryGroup.REST
    places = {(medium, group) for medium in Medium for group in abroad}
    places.remove((Medium.DIGITAL, CountryGroup.EUROPE))
    assert dated == DatedRises(SOON, dict.fromkeys(places, PriceRise(400)))


async def test_a_rise_says_how_many_renewals_are_in_other_currencies(
    owner: Person, acme: Cast
) -> None:
    id = await add_unpriced(acme)
    more = {**ADDRESS, "length": "9", "price": "70.00", "country": "US"}
    await add_subscribers(acme, 2, prefix="usd", currency="USD", **more)
    await add_subscribers(
        acme, 1, prefix="free", currency="USD", **{**more, "is_comp": "yes", "price": "0"}
    )
    kept = "2 renewals in other currencies keep their prices."
    edit = owner.address("settings", "products", id, "edit")
    assert text_of(await owner.text("settings", "products", id, "edit")).count(kept) == 1
    rise = {"raise_by": "4", "raise_in": "all", "raise": "1", "prices_from": SOON.isoformat()}
    shown = (await owner.send(edit, rise)).text
    raised = text_of(shown.partition('id="raised"')[2])
    assert "Rest of the world: 1 pays €70.00 → €74.00" in raised
    assert kept in raised
    saved = await owner.http.post(edit, data={**fields_of(shown), **pending(shown)})
    page = text_of((await owner.http.get(saved.headers["Location"])).text)
    assert f"Renewals from {in_words(SOON)} on take the new prices. {kept}" in page
    made = await make_product(owner, acme)
    assert "other currencies" not in await owner.text("settings", "products", made, "edit")


async def test_a_rise_of_more_than_half_is_marked(owner: Person, acme: Cast) -> None:
    id = await add_unpriced(acme)
    edit = owner.address("settings", "products", id, "edit")
    rise = {"raise_in": "all", "raise": "1"}
    steep = "pay more than one and a half times as much as before."
    half = text_of((await owner.send(edit, {**rise, "raise_by": "25"})).text)
    assert "2 pay €50.00 → €75.00; 1 pays €61.00 → €86.00" in half
    assert "⚠" not in half
    more = text_of((await owner.send(edit, {**rise, "raise_by": "25.01"})).text)
    assert f"1 pays €61.00 → €86.01. ⚠ 2 of them {steep}" in more
    assert more.count("⚠") == 1
    double = text_of((await owner.send(edit, {**rise, "raise_by": "100 %"})).text)
    assert f"⚠ 3 of them {steep}" in double
    assert "⚠ 1 of them pays more than one and a half times as much as before." in double


async def test_a_coming_rise_is_listed_and_can_be_deleted(owner: Person, acme: Cast) -> None:
    id = await add_unpriced(acme)
    edit = owner.address("settings", "products", id, "edit")
    rise = {"raise_by": "5 %", "raise_in": "europe", "raise": "1", "prices_from": SOON.isoformat()}
    shown = (await owner.send(edit, rise)).text
    assert "Nothing is saved yet." in text_of(shown)
    await owner.http.post(edit, data={**fields_of(shown), **pending(shown)})
    page = text_of(await owner.text("settings", "products", id, "edit"))
    assert f"From {in_words(SOON)} on Print, Europe: +5%" in page
    assert "Print, Europe: 2 pay €50.00, 1 pays €61.00" in page  # those of today
    delete = owner.address("settings", "products", id, "rises", SOON.isoformat(), "delete")
    assert f'action="{delete}"' in await owner.text("settings", "products", id, "edit")
    await owner.post(delete)
    assert await rises_of(acme, id) == []


async def test_a_rise_that_holds_counts_at_once_and_stays(owner: Person, acme: Cast) -> None:
    id = await add_unpriced(acme)
    await execute(
        acme, "UPDATE period SET order_date = '2026-01-15' WHERE account_id = :account_id"
    )
    edit = owner.address("settings", "products", id, "edit")
    rise = {"raise_by": "4", "raise_in": "all", "raise": "1"}
    shown = (await owner.send(edit, rise)).text
    await owner.http.post(edit, data={**fields_of(shown), **pending(shown)})
    page = await owner.text("settings", "products", id, "edit")
    assert "Print, Europe: 2 pay €54.00, 1 pays €65.00" in text_of(page)
    assert "/rises/" not in page
    shown = (await owner.send(edit, {**rise, "raise_by": "6"})).text
    assert "2 pay €54.00 → €56.00" in text_of(shown)  # it replaces the rise of the same day


async def test_without_the_tick_only_the_table_is_raised(owner: Person, acme: Cast) -> None:
    id = await add_unpriced(acme)
    edit = owner.address("settings", "products", id, "edit")
    rise = {"raise_by": "4", "raise_in": "all", "raise": "1", "price_digital_home": "20"}
    shown = (await owner.send(edit, rise)).text
    fields = fields_of(shown)
    del fields["raises_paid"]
    await owner.http.post(edit, data={**fields, **pending(shown)})
    assert await prices_of(acme, id) == {(Medium.DIGITAL, CountryGroup.HOME): 2400}
    assert await rises_of(acme, id) == []


async def test_two_rises_are_saved_together_and_a_typed_price_comes_first(
    owner: Person, acme: Cast
) -> None:
    id = await add_unpriced(acme)
    edit = owner.address("settings", "products", id, "edit")
    shown = (await owner.send(edit, {"raise_by": "4", "raise_in": "europe", "raise": "1"})).text
    rest = {"raise_by": "6", "raise_in": "rest", "raise": "1", "price_both_rest": "90"}
    shown = (await owner.http.post(edit, data={**fields_of(shown), **pending(shown), **rest})).text
    assert "2 pay €50.00 → €54.00" in text_of(shown)
    assert "1 pays €70.00 → €76.00" in text_of(shown)
    typed = {**fields_of(shown), **pending(shown), "price_print_rest": "75"}
    await owner.http.post(edit, data=typed)
    [dated] = await rises_of(acme, id)
    assert dated.rises[Medium.PRINT, CountryGroup.EUROPE] == PriceRise(400)
    assert (Medium.PRINT, CountryGroup.REST) not in dated.rises
    assert dated.rises[Medium.DIGITAL, CountryGroup.REST] == PriceRise(600)


@for_each(
    "rise", ["price_print_rest 0 0", "price_print_rest 4", "x 4 0", "price_print_rest 0 -1e9"]
)
async def test_a_rise_that_no_page_wrote_is_refused(owner: Person, acme: Cast, rise: str) -> None:
    id = (await products_of(acme))[0].id
    edit = owner.address("settings", "products", id, "edit")
    refused = await owner.send(edit, {"rise": rise, "raises_paid": "1"})
    assert refused.status_code == 400
    assert "Press “Fill in the new prices” again." in refused.text
    assert await rises_of(acme, id) == []


async def test_a_filled_price_is_not_replaced(owner: Person, acme: Cast) -> None:
    id = await add_unpriced(acme)
    edit = owner.address("settings", "products", id, "edit")
    sent = {"raise": "paid", "price_print_europe": "58"}
    fields = fields_of((await owner.send(edit, sent)).text)
    assert [fields[name] for name in NAMES] == ["", "58", "70.00"]


async def test_a_raised_price_says_which_renewals_it_leaves_as_they_are(
    owner: Person, acme: Cast
) -> None:
    await add_unpriced(acme)
    id = await make_product(owner, acme)
    edit = owner.address("settings", "products", id, "edit")
    assert "To change that, raise the prices of these renewals, too" in text_of(
        await owner.text("settings", "products", id, "edit")
    )
    saved = await owner.send(edit, {"price_print_home": "43"})
    page = text_of((await owner.http.get(saved.headers["Location"])).text)
    assert "Renewals of products without a price stay as they are: see their lines." in page
    assert "The renewals of 4 active subscriptions, without complimentary ones, cost what" in page


async def test_subscriptions_without_a_price_are_counted_as_on_home(
    owner: Person, acme: Cast
) -> None:
    id = await add_unpriced(acme)
    copies = {"product": id, "start_issue": "3", "price": "153.00", "copies": "3"}
    copies |= {"country": "NO", "postcode": "0025"}
    assert (await order(owner, **copies)).status_code == 303
    await import_row(acme, order_id="free", start_issue="1", length="9", is_comp="yes", price="0")
    home = text_of(await owner.text())
    assert "Active subscriptions 6 " in home
    assert "Active subscriptions by status: Active 6" in home
    products = text_of(await owner.text("settings", "products"))
    assert "The renewals of 5 active subscriptions, without complimentary ones" in products
    page = text_of(await owner.text("settings", "products", id, "edit"))
    assert "Print, Europe: 2 pay €50.00, 1 pays €61.00, 1 pays €51.00 " in page
