"""Raise several prices of a product at once, before they are saved."""

from masthead.model.dispatch.runs import CountryGroup
from masthead.model.types.enums import Medium
from tests.conftest import Cast
from tests.services.test_product_offers import prices_of
from tests.support.cases import for_each
from tests.web.conftest import Person, fields_of
from tests.web.settings.test_product_prices import TYPED
from tests.web.settings.test_sources_and_products import products_of
from tests.web.subscribers.test_pages import words

HOME, EUROPE, REST = CountryGroup
PRICES = ("price_print_home", "price_print_europe", "price_both_rest")


async def make_product(owner: Person, acme: Cast) -> str:
    """A product at 42.00, 52.50 and 70.00; returns its id."""
    await owner.send(owner.address("settings", "products", "new"), TYPED)
    *_, made = await products_of(acme)
    return made.id


@for_each(
    "by, where, expected",
    [
        ("4", "other", ("42.00", "56.50", "74.00")),
        ("+4,00", "all", ("46.00", "56.50", "74.00")),
        ("-2", "home", ("40.00", "52.50", "70.00")),
        ("5 %", "all", ("44.10", "55.13", "73.50")),  # 55.125, half up
        ("-2.5%", "europe", ("42.00", "51.19", "70.00")),  # 51.1875
        ("50", "rest", ("42.00", "52.50", "120.00")),
    ],
)
async def test_the_prices_are_filled_in_and_not_saved(
    owner: Person, acme: Cast, by: str, where: str, expected: tuple[str, ...]
) -> None:
    id = await make_product(owner, acme)
    edit = owner.address("settings", "products", id, "edit")
    response = await owner.send(edit, {"raise_by": by, "raise_in": where, "raise": "1"})
    assert response.status_code == 200
    assert "The new prices are in the table. They are not saved yet." in response.text
    fields = fields_of(response.text)
    assert tuple(fields[name] for name in PRICES) == expected
    assert fields["price_digital_home"] == ""
    assert fields["raise_by"] == ""
    assert await prices_of(acme, id) == {
        (Medium.PRINT, HOME): 4200,
        (Medium.PRINT, EUROPE): 5250,
        (Medium.PRINT_AND_DIGITAL, REST): 7000,
    }


async def test_what_was_filled_in_can_be_saved_for_today(owner: Person, acme: Cast) -> None:
    id = await make_product(owner, acme)
    edit = owner.address("settings", "products", id, "edit")
    raised = await owner.send(edit, {"raise_by": "4", "raise_in": "all", "raise": "1"})
    filled = {name: fields_of(raised.text)[name] for name in PRICES}
    saved = await owner.send(edit, filled)
    assert saved.status_code == 303
    assert "Orders from today on take the new prices." in words(
        (await owner.http.get(saved.headers["Location"])).text
    )
    assert (await prices_of(acme, id))[Medium.PRINT, EUROPE] == 5650


@for_each("by", ["", "much", "0 %", "1001 %", "4,,5", "%"])
async def test_a_wrong_rise_is_refused_at_the_field(owner: Person, acme: Cast, by: str) -> None:
    id = await make_product(owner, acme)
    edit = owner.address("settings", "products", id, "edit")
    response = await owner.send(edit, {"raise_by": by, "raise_in": "all", "raise": "1"})
    assert response.status_code == 400
    assert 'id="raise_by-error"' in response.text


async def test_the_countries_of_a_rise_must_be_chosen(owner: Person, acme: Cast) -> None:
    id = await make_product(owner, acme)
    edit = owner.address("settings", "products", id, "edit")
    field = (await owner.http.get(edit)).text.partition('name="raise_in"')[2].partition(">")[0]
    assert "required" not in field  # a browser would not save the form without a rise
    response = await owner.send(edit, {"raise_by": "4", "raise": "1"})
    assert response.status_code == 400
    assert "Choose the countries." in response.text
    assert 'id="raise_in-error"' in response.text
    assert fields_of(response.text)["price_print_home"] == "42.00"


async def test_a_rise_that_was_not_filled_in_is_not_forgotten(owner: Person, acme: Cast) -> None:
    id = await make_product(owner, acme)
    edit = owner.address("settings", "products", id, "edit")
    response = await owner.send(edit, {"raise_by": "4", "raise_in": "all"})
    assert response.status_code == 400
    assert "Press “Fill in the new prices” first" in response.text


async def test_the_answer_leads_to_the_table_and_marks_what_changed(
    owner: Person, acme: Cast
) -> None:
    id = await make_product(owner, acme)
    edit = owner.address("settings", "products", id, "edit")
    assert f'formaction="{edit}#raised"' in (await owner.http.get(edit)).text
    raised = await owner.send(edit, {"raise_by": "4", "raise_in": "other", "raise": "1"})
    note = raised.text.index('id="raised"')
    assert raised.text.index('id="raise"') < note < raised.text.index('name="price_print_home"')
    assert "data-focus" in raised.text[note : note + 200]
    text = words(raised.text)
    assert "52.50 → 56.50" in text
    assert "70.00 → 74.00" in text
    assert text.count("→") == 2


async def test_prices_can_be_raised_for_one_medium(owner: Person, acme: Cast) -> None:
    id = await make_product(owner, acme)
    edit = owner.address("settings", "products", id, "edit")
    rise = {"raise_by": "4", "raise_in": "all", "raise_medium": "both", "raise": "1"}
    raised = await owner.send(edit, rise)
    assert "No price changed" not in raised.text
    fields = fields_of(raised.text)
    assert tuple(fields[name] for name in PRICES) == ("42.00", "52.50", "74.00")


async def test_a_rise_of_empty_prices_says_that_nothing_changed(owner: Person, acme: Cast) -> None:
    id = await make_product(owner, acme)
    edit = owner.address("settings", "products", id, "edit")
    rise = {"raise_by": "4", "raise_in": "all", "raise_medium": "digital", "raise": "1"}
    assert "No price changed" in (await owner.send(edit, rise)).text


async def test_the_list_of_products_shows_no_id_and_the_page_of_a_product_does(
    owner: Person, acme: Cast
) -> None:
    id = await make_product(owner, acme)
    assert f"<code>{id}</code>" not in await owner.text("settings", "products")
    assert f"<code>{id}</code>" in await owner.text("settings", "products", id, "edit")


async def test_a_rise_leaves_out_digital_unless_it_is_chosen(owner: Person, acme: Cast) -> None:
    id = await make_product(owner, acme)
    edit = owner.address("settings", "products", id, "edit")
    await owner.send(edit, {"price_digital_rest": "28"})
    rise = {"raise_by": "4", "raise_in": "other", "raise": "1"}
    fields = fields_of((await owner.send(edit, rise)).text)
    assert fields["raise_medium"] == "printed"
    assert tuple(fields[name] for name in PRICES) == ("42.00", "56.50", "74.00")
    assert fields["price_digital_rest"] == "28.00"
    fields = fields_of((await owner.send(edit, {**rise, "raise_medium": "all"})).text)
    assert fields["price_digital_rest"] == "32.00"


async def test_without_digital_prices_a_rise_is_for_all_media(owner: Person, acme: Cast) -> None:
    id = await make_product(owner, acme)
    edit = owner.address("settings", "products", id, "edit")
    await owner.send(edit, {"price_both_rest": ""})
    assert fields_of((await owner.http.get(edit)).text)["raise_medium"] == "all"
