"""The page of a product: its type, its length and its prices."""

from datetime import date, timedelta

from masthead.model.clock import now
from masthead.model.dispatch.runs import CountryGroup
from masthead.model.types.enums import Medium
from tests.conftest import Cast
from tests.services.test_product_offers import prices_of
from tests.support.cases import for_each
from tests.web.conftest import Person, fields_of
from tests.web.settings.test_sources_and_products import products_of
from tests.web.subscribers.test_pages import words

HOME, EUROPE, REST = CountryGroup
TYPED = {
    "name": "Year",
    "type": "subscription",
    "length": "4",
    "price_print_home": "42.00",
    "price_print_europe": "52,5",
    "price_both_rest": " 70 ",
}


async def test_a_product_is_added_with_its_prices(owner: Person, acme: Cast) -> None:
    answer = await owner.send(owner.address("settings", "products", "new"), TYPED)
    assert answer.status_code == 303
    _, made = await products_of(acme)
    assert (made.type, made.length) == ("subscription", 4)
    assert await prices_of(acme, made.id) == {
        (Medium.PRINT, HOME): 4200,
        (Medium.PRINT, EUROPE): 5250,
        (Medium.PRINT_AND_DIGITAL, REST): 7000,
    }
    page = await owner.text("settings", "products")
    assert "4 issues" in page
    assert "€42.00 – €70.00" in page
    filled = fields_of(await owner.text("settings", "products", made.id, "edit"))
    assert (filled["length"], filled["price_print_europe"]) == ("4", "52.50")
    assert filled["price_digital_home"] == ""


async def test_a_price_is_changed_and_removed(owner: Person, acme: Cast) -> None:
    await owner.send(owner.address("settings", "products", "new"), TYPED)
    _, made = await products_of(acme)
    edit = owner.address("settings", "products", made.id, "edit")
    changed = {"price_print_home": "45", "price_print_europe": "", "price_both_rest": ""}
    await owner.send(edit, changed)
    assert await prices_of(acme, made.id) == {(Medium.PRINT, HOME): 4500}
    assert "€45.00" in await owner.text("settings", "products")


async def test_a_product_that_another_user_changed_meanwhile_is_not_overwritten(
    owner: Person, acme: Cast
) -> None:
    await owner.send(owner.address("settings", "products", "new"), TYPED)
    _, made = await products_of(acme)
    edit = owner.address("settings", "products", made.id, "edit")
    opened = fields_of((await owner.http.get(edit)).text)
    theirs = {"price_print_home": "45.00", "price_print_europe": "55.00"}
    assert (await owner.send(edit, theirs)).is_redirect
    mine = {**opened, "price_print_home": "48.00", "length": "6"}
    answer = await owner.post(edit, mine)
    assert answer.status_code == 400
    text = words(answer)
    assert "Another user has changed this product since you opened it." in text
    assert "Another user has changed this to “45.00”." in text
    assert (await prices_of(acme, made.id))[Medium.PRINT, HOME] == 4500
    shown = fields_of(answer.text)
    assert (shown["price_print_home"], shown["length"]) == ("48.00", "6")  # as typed
    assert shown["price_print_europe"] == "55.00"  # as saved
    assert (await owner.post(edit, shown)).is_redirect
    prices = await prices_of(acme, made.id)
    assert (prices[Medium.PRINT, HOME], prices[Medium.PRINT, EUROPE]) == (4800, 5500)
    answer = await owner.post(edit, {**shown, "idempotency_key": "x" * 26, "was": "{}"})
    assert answer.status_code == 400
    assert "The form is incomplete." in words(answer)


async def test_a_membership_is_for_months(owner: Person, acme: Cast) -> None:
    typed = {"name": "Friend", "type": "membership", "interval_months": "12"}
    await owner.send(owner.address("settings", "products", "new"), typed)
    await owner.send(owner.address("settings", "products", "new"), {**typed, "interval_months": ""})
    _, made, other = await products_of(acme)
    assert (made.type, made.interval_months, other.interval_months) == ("membership", 12, None)
    page = await owner.text("settings", "products")
    assert "12 months" in page
    assert "No price yet" in page


@for_each(
    "field, typed, says",
    [
        ("price_print_home", "1.234,50", "Type the amount like 42.00."),
        ("price_print_home", "42.001", "Type the amount like 42.00."),
        ("price_print_home", "-1", "Type the amount like 42.00."),
        ("price_both_rest", "€42", "Type the amount like 42.00."),
        ("length", "0", "Type a whole number from 1 to 1000."),
        ("length", "four", "Type a whole number from 1 to 1000."),
        ("interval_months", "1201", "Type a whole number from 1 to 1200."),
        ("type", "loan", "Not a valid choice"),
        ("benefits", "x" * 20_001, "at most 20000"),
    ],
)
async def test_an_invalid_number_or_amount_is_said_at_its_field(
    owner: Person, acme: Cast, field: str, typed: str, says: str
) -> None:
    answer = await owner.send(owner.address("settings", "products", "new"), {**TYPED, field: typed})
    assert answer.status_code == 400
    assert says in answer.text
    shown = fields_of(answer.text)
    assert field == "type" or shown[field].strip() == typed.strip()
    assert shown["price_print_europe"] == "52,5"
    assert len(await products_of(acme)) == 1


async def test_the_page_names_the_country_of_the_publisher(owner: Person) -> None:
    address = owner.address("settings", "products", "new")
    assert "Your own country is not set" in (await owner.http.get(address)).text
    await owner.send(owner.address("settings", "account"), {"country": "AT"})
    page = (await owner.http.get(address)).text
    assert "Your country: Austria" in page
    assert "Your own country is not set" not in page


async def test_amounts_use_the_decimal_mark_of_the_locale(owner: Person, acme: Cast) -> None:
    await owner.send(owner.address("settings", "account"), {"locale": "de_DE"})
    await owner.send(owner.address("settings", "products", "new"), TYPED)
    _, made = await products_of(acme)
    filled = fields_of(await owner.text("settings", "products", made.id, "edit"))
    assert filled["price_print_europe"] == "52,50"


async def test_the_list_names_the_coming_price_if_the_lowest_and_the_highest_price_stay(
    owner: Person, acme: Cast
) -> None:
    await owner.send(owner.address("settings", "products", "new"), TYPED)
    _, made = await products_of(acme)
    edit = owner.address("settings", "products", made.id, "edit")
    day = now().date() + timedelta(days=30)
    coming = {"prices_from": day.isoformat(), "price_print_europe": "55"}
    assert (await owner.send(edit, coming)).is_redirect
    page = words(await owner.see("settings", "products"))
    assert page.count("€42.00 – €70.00") == 1
    changed = "Price Europe, print: €52.50 → €55.00"
    assert f"From {day.day} {day:%B} {day.year}: {changed}" in page


async def test_coming_prices_are_entered_listed_changed_and_deleted(
    owner: Person, acme: Cast
) -> None:
    await owner.send(owner.address("settings", "products", "new"), TYPED)
    _, made = await products_of(acme)
    edit = owner.address("settings", "products", made.id, "edit")
    assert "Prices over time" not in (await owner.http.get(edit)).text
    day = now().date() + timedelta(days=30)
    shown = f"{day.day} {day:%B} {day.year}"
    coming = {"prices_from": day.isoformat(), "price_print_home": "45"}
    assert (await owner.send(edit, coming)).is_redirect
    assert f"From {shown}: €45.00 – €70.00" in words(await owner.see("settings", "products"))
    page = words(await owner.http.get(edit))
    assert f"Now: from the start until {day_before(day)}" in page
    assert f"Next: from {shown} on" in page
    held, _heading, following = page.partition("Next: from")
    assert "Print €42.00 €52.50 not sold" in held
    assert "Print €45.00 €52.50 not sold" in following
    assert f"There are other prices from {shown} on. Edit them." in page
    refused = await owner.send(edit, {"prices_from": day.isoformat(), "price_print_home": "47"})
    assert f"There are prices from {shown} already." in words(refused)
    assert fields_of((await owner.http.get(edit)).text)["price_print_home"] == "42.00"

    change = f"{edit}?from={day.isoformat()}"
    filled = fields_of((await owner.http.get(change)).text)
    assert (filled["price_print_home"], filled["prices_from"]) == ("45.00", day.isoformat())
    assert (await owner.send(change, {"price_print_home": "46"})).is_redirect
    place = Medium.PRINT, HOME
    assert (await prices_of(acme, made.id, day=day))[place] == 4600
    assert (await prices_of(acme, made.id))[place] == 4200
    delete = owner.address("settings", "products", made.id, "prices", day.isoformat(), "delete")
    assert (await owner.post(delete, {})).is_redirect
    assert (await prices_of(acme, made.id, day=day))[place] == 4200
    assert (await owner.http.get(change)).status_code == 404
    assert (await owner.post(delete, {})).status_code == 404


def day_before(day: date) -> str:
    """The day before, as pages write it."""
    before = day - timedelta(days=1)
    return f"{before.day} {before:%B} {before.year}"


@for_each(
    "typed, message",
    [
        ("2020-01-01", "New prices begin today or later"),
        ("soon", "Type the date like 2026-01-15."),
    ],
)
async def test_a_wrong_first_day_is_refused_beside_its_field(
    owner: Person, acme: Cast, typed: str, message: str
) -> None:
    await owner.send(owner.address("settings", "products", "new"), TYPED)
    made = (await products_of(acme))[-1]
    edit = owner.address("settings", "products", made.id, "edit")
    answer = await owner.send(edit, {"prices_from": typed, "price_print_home": "45"})
    assert answer.status_code == 400
    assert message in words(answer)
    kept = fields_of(answer.text)
    assert (kept["prices_from"], kept["price_print_home"]) == (typed, "45")
