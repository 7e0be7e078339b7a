"""Orders of each kind: gifts, memberships, complimentary copies and copies for a company."""

from datetime import date, timedelta
from typing import Any

import pytest
from msgspec import structs

from masthead.model.clock import now
from masthead.model.dispatch.runs import CountryGroup
from masthead.model.orders.offers import Offer
from masthead.model.types.enums import Medium, SubscriptionType
from masthead.services import products
from masthead.services.subscribers import overview
from masthead.store.exports.import_rows import list_orders
from tests.conftest import BY, Cast
from tests.support.checks import faults
from tests.support.factories import make_issue, make_subscription
from tests.web.conftest import Person, fields_of
from tests.web.orders.conftest import TYPED, columns_of, subscribers, subscriptions
from tests.web.orders.test_subscribers import HTMX
from tests.web.subscribers.test_pages import words

GIFT = {
    "is_gift": "y",
    "gifter_first_name": "Bob",
    "gifter_last_name": "Miller",
    "gifter_email": "bob@example.test",
}
HOME, EUROPE, REST = CountryGroup
YEAR = Offer(
    length=4,
    prices={
        (Medium.PRINT, HOME): 4200,
        (Medium.PRINT, EUROPE): 5200,
        (Medium.DIGITAL, HOME): 3000,
    },
)
FRIEND = Offer(
    type=SubscriptionType.MEMBERSHIP, interval_months=12, prices={(Medium.PRINT, HOME): 9900}
)


async def order(person: Person, **typed: str) -> Any:
    """Send the order form; returns the response."""
    return await person.send(person.address("subscriptions", "new"), {**TYPED, **typed})


async def product(cast: Cast, name: str, offer: Offer) -> str:
    """Create a product; returns its id."""
    made = await products.create_product(cast.db, cast.account_id, name=name, offer=offer, by=BY)
    return made.id


async def emails_of(cast: Cast) -> list[tuple[str, str, str]]:
    """Recipient, subject and text of the emails in the outbox."""
    return [
        (str(recipient), str(subject), str(body))
        for recipient, subject, body in await columns_of(cast, "outbox", "recipient, subject, body")
    ]


# --- Gifts ----------------------------------------------------------------------------------------


async def test_the_giver_of_a_gift_gets_a_record_of_their_own(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    answer = await order(owner, **GIFT)
    assert answer.status_code == 303, words(answer)
    assert "Ada gets 4 issues." in words(await owner.http.get(answer.headers["Location"]))
    [made] = await subscriptions(acme)
    assert made["is_gift"]
    assert made["gifter"] == {"full_name": "Bob Miller", "email": "bob@example.test"}
    bob, ada = await subscribers(acme)
    assert (bob["full_name"], bob["subscription_count"]) == ("Bob Miller", 0)
    assert (bob["latest_country"], bob["ltv"]) == (None, "0.00")
    assert ada["full_name"] == "Ada"
    assert await columns_of(acme, "subscription", "gifter_id") == [(bob["id"],)]
    assert await emails_of(acme) == []
    assert "Bob Miller" in await owner.text("subscribers", bob["id"])
    assert "Bob Miller" in await owner.text("subscribers", search="miller")
    assert await faults(acme) == []


async def test_a_giver_without_an_email_has_none_on_the_page_of_the_gift(
    owner: Person, acme: Cast
) -> None:
    await make_issue(acme)
    await order(owner, **{**GIFT, "gifter_email": ""})
    [gift] = await subscriptions(acme)
    assert "@placeholder" in gift["gifter"]["email"]
    text = words(await owner.see("subscriptions", gift["id"]))
    assert "Gift from Bob Miller" in text
    assert "@placeholder" not in text
    async with acme.db.read() as db:
        [row] = await list_orders(db, acme.account_id, after=0, limit=9)
    assert row["gifter_email"] == "", "the import refuses placeholders"


async def test_the_gift_and_its_giver_lead_to_each_other(
    owner: Person, acme: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    await make_issue(acme)
    await order(owner, **GIFT)
    bob, ada = await subscribers(acme)
    [gift] = await subscriptions(acme)
    page = await owner.text("subscriptions", gift["id"])
    assert f'href="{owner.address("subscribers", bob["id"])}"' in page
    assert "A gift from Bob Miller." in words(await owner.see("subscriptions", gift["id"]))
    page = await owner.text("subscribers", bob["id"])
    assert f'href="{owner.address("subscriptions", gift["id"])}"' in page
    assert f'href="{owner.address("subscribers", ada["id"])}"' in page
    assert "Pays for others Gift to Ada" in words(await owner.see("subscribers", bob["id"]))
    assert "Pays for others" not in await owner.text("subscribers", ada["id"])
    monkeypatch.setattr(overview, "SHOWN_OTHERS", 1)
    assert "Only the" not in words(await owner.see("subscribers", bob["id"]))
    giver = {**GIFT, "gifter_id": bob["id"], "email": "eve@example.test", "first_name": "Eve"}
    assert (await order(owner, **giver)).status_code == 303
    text = words(await owner.see("subscribers", bob["id"]))
    assert "Gift to Eve" in text
    assert "Gift to Ada" not in text
    assert "Only the newest are listed." in text


async def test_a_giver_can_be_a_subscriber_who_is_found_by_a_search(
    owner: Person, acme: Cast
) -> None:
    await make_issue(acme)
    bob = await make_subscription(acme, first_name="Bob", email="bob@example.test")
    id = bob["subscriber"]["id"]
    address = owner.address("subscriptions", "new")
    typed = {**fields_of((await owner.http.get(address)).text), **TYPED}
    block = await owner.http.post(
        address,
        data={**typed, "gifter_find": "bob", "do": "giver"},
        headers={**HTMX, "HX-Target": "givers"},
    )
    assert f'value="giver:{id}"' in block.text
    assert "<form" not in block.text
    found = await owner.post(address, {**typed, "is_gift": "y", "gifter_find": "bob"})  # Enter
    assert (found.status_code, f'value="giver:{id}"' in found.text) == (400, True)
    assert "Find the giver: Choose the giver from the list" in words(found)
    missing = await owner.post(address, {**typed, "gifter_find": "zoe", "do": "giver"})
    assert "No giver found" in words(missing)
    chosen = await owner.post(address, {**fields_of(found.text), "do": f"giver:{id}"})
    shown = fields_of(chosen.text)
    assert (shown["gifter_id"], shown["is_gift"]) == (id, "y")
    other = await owner.post(address, {**shown, "do": "forget-giver"})
    assert fields_of(other.text)["gifter_id"] == ""
    assert (await owner.post(address, {**shown, "do": "giver:NOSUCH"})).status_code == 200
    assert (await owner.post(address, shown)).status_code == 303
    assert len(await subscribers(acme)) == 2
    newest, _ = await subscriptions(acme)
    assert newest["gifter"] == {"full_name": "Bob", "email": "bob@example.test"}
    assert (id,) in await columns_of(acme, "subscription", "gifter_id")


async def test_without_scripts_a_button_shows_the_fields_of_the_giver(
    owner: Person, acme: Cast
) -> None:
    await make_issue(acme)
    address = owner.address("subscriptions", "new")
    page = fields_of((await owner.http.get(address)).text)
    assert "gifter_first_name" not in page
    shown = fields_of((await owner.post(address, {**page, "do": "gift"})).text)
    assert (shown["is_gift"], shown["gifter_first_name"]) == ("y", "")
    headers = {**HTMX, "HX-Target": "giver"}
    for typed, is_shown in (({"is_gift": "y"}, True), ({}, False)):
        block = await owner.http.post(
            address, data={**page, **typed, "do": "gift"}, headers=headers
        )
        assert ('name="gifter_first_name"' in block.text) is is_shown


async def test_the_search_for_the_caller_becomes_that_for_the_giver(
    owner: Person, acme: Cast
) -> None:
    await make_issue(acme)
    made = await make_subscription(acme, first_name="Ann", last_name="Byron")
    address, ann = owner.address("subscriptions", "new"), made["subscriber"]["id"]
    page = fields_of((await owner.http.get(address)).text)
    headers = {**HTMX, "HX-Target": "order"}
    choosing = {**page, "is_gift": "y", "find": "byron", "do": "gift"}
    shown = (await owner.http.post(address, data=choosing, headers=headers)).text
    assert fields_of(f'<form method="post">{shown}</form>')["gifter_find"] == "byron"
    assert f'value="giver:{ann}"' in shown
    chosen = {**choosing, "gifter_id": ann}
    known = (await owner.http.post(address, data=chosen, headers=headers)).text
    assert 'name="gifter_find"' not in known, "the giver is known"


async def test_a_caller_who_gives_is_the_giver_and_can_be_swapped(
    owner: Person, acme: Cast
) -> None:
    await make_issue(acme)
    made = await make_subscription(acme, first_name="Ann", last_name="Byron", address1="Quay 1")
    address, ann = owner.address("subscriptions", "new"), made["subscriber"]["id"]
    found = await owner.text("subscriptions", "new", find="byron")
    assert f"{address}?giver={ann}" in found
    page = fields_of(await owner.text("subscriptions", "new", giver=ann))
    assert (page["gifter_id"], page["subscriber_id"]) == (ann, "")
    typed = {**page, "is_gift": "y", "first_name": "Jonas", "email": "jonas@example.test"}
    swapped = fields_of((await owner.post(address, {**typed, "do": "swap"})).text)
    assert (swapped["subscriber_id"], swapped["gifter_id"]) == (ann, "")
    assert (swapped["gifter_first_name"], swapped["address1"]) == ("Jonas", "Quay 1")
    back = fields_of((await owner.post(address, {**swapped, "is_gift": "y", "do": "swap"})).text)
    assert (back["gifter_id"], back["subscriber_id"], back["first_name"]) == (ann, "", "Jonas")
    assert (back["email"], back["address1"]) == ("jonas@example.test", "")
    unknown = await owner.see("subscriptions", "new", giver="NOSUCH")
    assert unknown.status_code == 404


async def test_a_typed_caller_takes_their_address_along_when_they_become_the_giver(
    owner: Person, acme: Cast
) -> None:
    await make_issue(acme)
    address = owner.address("subscriptions", "new")
    page = fields_of((await owner.http.get(address)).text)
    caller = {"salutation": "ms", "last_name": "Ng", "address1": "Quay 1", "city": "Bath"}
    typed = {**page, **caller, "country": "GB"}
    gift = fields_of((await owner.post(address, {**typed, "is_gift": "y", "do": "swap"})).text)
    found = {name: gift[f"gifter_{name}"] for name in (*caller, "country")}
    assert found == caller | {"country": "GB"}
    assert (gift["last_name"], gift["address1"], gift["salutation"]) == ("", "", "")
    recipient = {"last_name": "Bell", "address1": "Weg 2", "city": "Ulm", "postcode": "89073"}
    price = {"price": "42.00", "length": "4"}
    sent = {**gift, **recipient, "country": "DE", **price, "is_gift": "y"}
    answer = await owner.post(address, sent)
    assert answer.status_code == 303, words(answer)
    columns = "last_name, salutation, address1, country"
    people = await columns_of(acme, "subscriber", columns)
    assert sorted(people) == [("Bell", None, None, None), ("Ng", "ms", "Quay 1", "GB")]


async def test_the_chosen_caller_becomes_the_giver_of_a_gift(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    made = await make_subscription(acme, first_name="Ann", last_name="Byron")
    address, ann = owner.address("subscriptions", "new"), made["subscriber"]["id"]
    page = fields_of(await owner.text("subscriptions", "new", subscriber=ann))
    headers = {**HTMX, "HX-Target": "order"}

    async def choose(form: dict[str, str], is_gift: str) -> dict[str, str]:
        sent = {**form, "is_gift": is_gift, "do": "gift"}
        block = (await owner.http.post(address, data=sent, headers=headers)).text
        return fields_of(f'<form method="post">{block}</form>')

    gift = await choose(page, "y")
    assert (gift["gifter_id"], gift["subscriber_id"], gift["first_name"]) == (ann, "", "")
    own = await choose(gift, "")
    assert (own["gifter_id"], own["subscriber_id"], own["first_name"]) == ("", ann, "Ann")


async def test_a_search_for_the_giver_does_not_keep_a_typed_one_from_being_saved(
    owner: Person, acme: Cast
) -> None:
    await make_issue(acme)
    assert (await order(owner, **GIFT, gifter_find="bob")).status_code == 303


async def test_a_giver_with_a_known_email_and_the_same_name_is_that_subscriber(
    owner: Person, acme: Cast
) -> None:
    await make_issue(acme)
    await make_subscription(acme, first_name="Bob", last_name="Miller", email="bob@example.test")
    assert (await order(owner, **GIFT)).status_code == 303
    assert len(await subscribers(acme)) == 2


async def test_a_giver_who_may_be_known_must_be_answered(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    known = await make_subscription(acme, first_name="Bob", last_name="Miller", email=None)
    id = known["subscriber"]["id"]
    answer = await order(owner, **GIFT)
    assert answer.status_code == 400
    assert "The giver may be a subscriber that you already have." in words(answer)
    shown = fields_of(answer.text)
    address = owner.address("subscriptions", "new")
    assert (await owner.post(address, {**shown, "new_giver": id})).status_code == 303
    assert len(await subscribers(acme)) == 3


async def test_a_giver_with_the_email_of_another_subscriber_is_asked_about(
    owner: Person, acme: Cast
) -> None:
    await make_issue(acme)
    await make_subscription(acme, first_name="Zoe", email="bob@example.test")
    answer = await order(owner, **GIFT)
    assert answer.status_code == 400
    assert "bob@example.test is the email of Zoe." in words(answer)
    assert 'name="new_giver"' not in answer.text
    assert len(await subscribers(acme)) == 1


async def test_a_gift_needs_a_giver_who_is_not_the_subscriber(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    missing = await order(owner, is_gift="y")
    assert missing.status_code == 400
    assert "Who gives it?" in words(missing)
    for typed in (
        {"gifter_first_name": "Ada", "gifter_email": "ADA@example.test"},
        {"first_name": "Bob", "email": "", "gifter_company": "Acme"},
    ):
        answer = await order(owner, is_gift="y", **typed)
        is_own = "gifter_email" in typed
        assert ("would get their own gift" in words(answer)) is is_own
        assert answer.status_code == (400 if is_own else 303)
    ada = (await make_subscription(acme, first_name="Ada"))["subscriber"]["id"]
    answer = await order(owner, subscriber_id=ada, is_gift="y", gifter_id=ada)
    assert "Ada would get their own gift" in words(answer)


async def test_an_order_that_is_no_gift_ignores_the_fields_of_the_giver(
    owner: Person, acme: Cast
) -> None:
    await make_issue(acme)
    answer = await order(owner, **{**GIFT, "is_gift": "", "gifter_email": "not an email"})
    assert answer.status_code == 303
    [made] = await subscriptions(acme)
    assert (made["is_gift"], made["gifter"]) == (False, None)


# --- Emails ---------------------------------------------------------------------------------------


async def test_the_email_of_a_gift_names_the_giver_and_is_sent_only_if_wished(
    owner: Person, acme: Cast
) -> None:
    await make_issue(acme)
    await order(owner, **GIFT, send_welcome_email="y")
    [(recipient, subject, body)] = await emails_of(acme)
    assert (recipient, subject) == ("ada@example.test", "Bob Miller gives you Acme")
    assert body.startswith("Dear Ada,")
    assert "Bob Miller gives you Acme. The first issue is Issue 1." in body


async def test_the_email_of_a_gift_follows_a_corrected_address(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    await order(owner, **GIFT, send_welcome_email="y")
    [made] = await subscriptions(acme)
    subscriber = made["subscriber"]
    typed = {"first_name": "Ada", "email": "right@example.test"}
    await owner.send(owner.address("subscribers", subscriber["id"], "edit"), typed)
    [(recipient, _, _)] = await emails_of(acme)
    assert recipient == "right@example.test"


async def test_a_membership_as_a_gift_has_an_email_without_a_first_issue(
    owner: Person, acme: Cast
) -> None:
    await make_issue(acme)
    friend = await product(acme, "Friend", FRIEND)
    typed = {"product": friend, "interval_months": "12", "send_welcome_email": "y"}
    assert (await order(owner, **GIFT, **typed)).status_code == 303
    [(_, _, body)] = await emails_of(acme)
    assert "Bob Miller gives you a membership of Acme." in body


async def test_the_welcome_email_goes_to_the_email_of_a_known_subscriber(
    owner: Person, acme: Cast
) -> None:
    await make_issue(acme)
    made = await make_subscription(acme, first_name="Zoe", email="zoe@example.test")
    typed = {"subscriber_id": made["subscriber"]["id"], "email": "", "send_welcome_email": "y"}
    assert (await order(owner, **typed, medium="Digital")).status_code == 303
    [(recipient, subject, _)] = await emails_of(acme)
    assert (recipient, subject) == ("zoe@example.test", "Welcome to Acme")


async def test_a_welcome_email_without_an_address_is_refused(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    answer = await order(owner, email="", send_welcome_email="y")
    assert answer.status_code == 400
    assert "There is no email address to send it to. Type the email" in words(answer)
    known = (await make_subscription(acme, first_name="Zoe"))["subscriber"]["id"]
    answer = await order(owner, subscriber_id=known, email="", send_welcome_email="y")
    assert answer.status_code == 400
    assert "Add one to the subscriber" in words(answer).replace("'", "’")
    wrong = await order(owner, email="ada", send_welcome_email="y")
    assert "There is no email address" not in words(wrong)
    assert len(await subscriptions(acme)) == 1


# --- Memberships and complimentary copies ---------------------------------------------------------


async def test_a_membership_is_for_months(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    friend = await product(acme, "Friend", FRIEND)
    typed = {"product": friend, "interval_months": "12", "period_start": "2026-02-01"}
    answer = await order(owner, **typed, price="99", length="4")
    assert answer.status_code == 303, words(answer)
    assert "The membership of Ada is added." in words(
        await owner.http.get(answer.headers["Location"])
    )
    [made] = await subscriptions(acme)
    assert (made["type"], made["price"]) == ("membership", "99.00")
    [period] = await columns_of(acme, "period", "interval_months, period_start, period_end, length")
    assert [str(value) for value in period] == ["12", "2026-02-01", "2027-01-31", "None"]
    assert await faults(acme) == []


async def test_a_membership_without_months_is_refused_and_starts_with_its_order(
    owner: Person, acme: Cast
) -> None:
    await make_issue(acme)
    friend = await product(acme, "Friend", Offer(type=SubscriptionType.MEMBERSHIP))
    answer = await order(owner, product=friend)
    assert answer.status_code == 400
    assert "The number of months is missing" in words(answer)
    assert "start_issue" not in fields_of(answer.text)
    typed = {"product": friend, "interval_months": "1", "period_start": ""}
    assert (await order(owner, **typed, order_date="2026-01-15")).status_code == 303
    [(start,)] = await columns_of(acme, "period", "period_start")
    assert str(start) == "2026-01-15"


async def test_a_complimentary_copy_costs_nothing(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    offered = {"price": "42.00", "offered_price": "42.00", "order_id": "B"}
    for typed in ({"price": ""}, {**offered, "medium": "Digital"}):
        assert (await order(owner, is_comp="y", **typed)).status_code == 303
        made = (await subscriptions(acme))[0]
        assert (made["is_comp"], made["price"]) == (True, "0.00")
    refused = await order(owner, is_comp="y", price="41.00", offered_price="42.00", order_id="C")
    assert "A complimentary copy costs nothing." in refused.text


# --- Several copies -------------------------------------------------------------------------------


async def test_several_copies_are_subscriptions_of_one_subscriber_that_share_the_price(
    owner: Person, acme: Cast
) -> None:
    await make_issue(acme)
    typed = {"email": "", "first_name": "", "company": "Acme Library", "order_id": "X"}
    answer = await order(owner, **typed, copies="3", price="100.00", discount_amount="10")
    assert answer.status_code == 303, words(answer)
    page = words(await owner.http.get(answer.headers["Location"]))
    assert "Acme Library gets 3 copies of 4 issues." in page
    [subscriber] = await subscribers(acme)
    assert (subscriber["subscription_count"], subscriber["ltv"]) == (3, "100.00")
    periods = await columns_of(acme, "period", "order_id, price, discount_amount")
    assert periods == [("X", 3334, 334), ("X-2", 3333, 333), ("X-3", 3333, 333)]
    [first, *_] = made = [id for id, _ in await columns_of(acme, "subscription", "id, n")]
    assert await columns_of(acme, "subscription", "bundle_id") == [(first,)] * 3
    assert answer.headers["Location"] == owner.address("subscriptions", first)
    assert len(made) == 3
    assert await faults(acme) == []


async def test_a_bundle_whose_order_id_is_taken_is_refused_as_a_whole(
    owner: Person, acme: Cast
) -> None:
    await make_issue(acme)
    await make_subscription(acme, order_id="X-2")
    answer = await order(owner, order_id="X", copies="2")
    assert answer.status_code == 400
    assert "already belongs to subscription" in words(answer)
    assert len(await subscriptions(acme)) == 1
    answer = await order(owner, order_id="x" * 255, copies="2")
    assert "has 257 characters" in words(answer)


# --- Filling in -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "typed, price",
    [
        ({"medium": "Print", "country": "DE"}, "42.00"),
        ({"medium": "Print", "country": "FR"}, "52.00"),
        ({"medium": "Digital", "country": "DE"}, "30.00"),
        ({"medium": "Print", "country": "DE", "copies": "3"}, "126.00"),
        ({"medium": "Print", "country": "DE", "copies": "many"}, "42.00"),
        ({"medium": "Print", "country": "DE", "is_comp": "y"}, "0.00"),
        ({"medium": "Print", "country": ""}, "7"),
        ({"medium": "Vinyl", "country": "DE"}, "7"),
    ],
    ids=str,
)
async def test_a_product_fills_in_its_length_and_price(
    owner: Person, acme: Cast, typed: dict[str, str], price: str
) -> None:
    await make_issue(acme)
    await owner.send(owner.address("settings", "account"), {"country": "DE"})
    year = await product(acme, "Year", YEAR)
    address = owner.address("subscriptions", "new")
    page = {**fields_of((await owner.http.get(address)).text), **TYPED, "length": "", "price": "7"}
    asked = {**page, "product": year, **typed, "do": "fill"}
    filled = fields_of((await owner.post(address, asked)).text)
    assert (filled["length"], filled["price"]) == ("4", price)
    assert filled["first_name"] == "Ada"
    block = await owner.http.post(address, data=asked, headers={**HTMX, "HX-Target": "offer"})
    assert f'value="{price}"' in block.text
    assert "<form" not in block.text
    assert await subscriptions(acme) == []


async def test_an_error_of_a_giver_says_whose_field_it_is(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    typed = {**TYPED, "is_gift": "y", "gifter_last_name": "Lund", "gifter_email": "lund"}
    refused = words(await owner.post(owner.address("subscriptions", "new"), typed))
    assert "Giver: Email:" in refused


async def test_the_form_says_for_which_countries_the_price_is(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    await owner.send(owner.address("settings", "account"), {"country": "DE"})
    year = await product(acme, "Year", YEAR)
    address = owner.address("subscriptions", "new")
    page = await owner.http.get(address)
    assert "The price for" not in words(page)
    asked = {**fields_of(page.text), **TYPED, "product": year, "price": "42.00"}
    asked |= {"offered_price": "42.00", "country": "FR", "do": "offer"}
    answer = await owner.http.post(address, data=asked, headers={**HTMX, "HX-Target": "offer"})
    assert fields_of(f'<form method="post">{answer.text}</form>')["price"] == "52.00"
    assert "The price for Europe. In EUR, such as" in answer.text
    answer = await owner.http.post(
        address, data={**asked, "price": "40.00"}, headers={**HTMX, "HX-Target": "offer"}
    )
    assert "The price for Europe" not in answer.text


async def test_the_order_date_decides_which_price_counts(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    await owner.send(owner.address("settings", "account"), {"country": "DE"})
    year = await product(acme, "Year", YEAR)
    home = Medium.PRINT, CountryGroup.HOME
    soon = now().date() + timedelta(days=5)
    await products.update_product(
        acme.db,
        acme.account_id,
        year,
        name="Year",
        benefits=[],
        offer=structs.replace(YEAR, prices={**YEAR.prices, home: 5000}),
        prices_from=soon,
        by=BY,
    )
    address = owner.address("subscriptions", "new")
    page = fields_of((await owner.http.get(address)).text)
    asked = {**page, **TYPED, "country": "DE", "product": year, "do": "offer"}
    asked |= {"offered_price": "7", "price": "7", "order_date": soon.isoformat()}
    answer = await owner.http.post(address, data=asked, headers={**HTMX, "HX-Target": "offer"})
    assert fields_of(f'<form method="post">{answer.text}</form>')["price"] == "50.00"
    day = f"{soon.day} {soon:%B} {soon.year}"
    remark = f"On {day}, the price of Year is €50.00; today it is €42.00."
    assert remark in answer.text
    typed = {**asked, "price": "30"}
    answer = await owner.http.post(address, data=typed, headers={**HTMX, "HX-Target": "offer"})
    assert fields_of(f'<form method="post">{answer.text}</form>')["price"] == "30"
    assert f"The price of Year is €50.00. {remark}" in answer.text


async def test_typed_values_stay_when_product_medium_or_country_change(
    owner: Person, acme: Cast
) -> None:
    await make_issue(acme)
    await owner.send(owner.address("settings", "account"), {"country": "DE"})
    year = await product(acme, "Year", YEAR)
    friend = await product(acme, "Friend", FRIEND)
    address = owner.address("subscriptions", "new")

    async def change(page: dict[str, str], **changed: str) -> tuple[dict[str, str], str]:
        headers = {**HTMX, "HX-Target": "offer"}
        data = {"do": "offer", **page, **changed}
        block = await owner.http.post(address, data=data, headers=headers)
        fields = fields_of(f'<form method="post">{block.text}</form>')
        return {**page, **changed, **fields}, block.text

    page = fields_of((await owner.http.get(address)).text)
    page, _ = await change(page, product=year, medium="Digital")
    assert (page["length"], page["price"]) == ("4", "30.00")
    page, remark = await change(page, medium="Print")
    assert page["price"] == "42.00"  # not typed: it follows
    assert "stays" not in remark
    page, _ = await change(page, price="39.00", length="6")
    page, remark = await change(page, medium="Digital")
    assert (page["length"], page["price"]) == ("6", "39.00")
    assert "You typed a price, so it stays. The price of Year is €30.00." in remark
    page, remark = await change(page, price="30.00")
    assert (page["length"], page["price"]) == ("6", "30.00")
    assert "You typed the number of issues, so it stays. Year is for 4 issues." in remark
    page, _ = await change(page, is_comp="y", price="39.00")
    assert page["price"] == "0.00"
    del page["is_comp"]
    page, _ = await change(page)
    assert (page["length"], page["price"]) == ("6", "30.00")
    page, _ = await change(page, product=friend)
    page, remark = await change(page, interval_months="5", medium="Print")
    assert page["interval_months"] == "5"
    assert "You typed the number of months, so it stays. Friend is for 12 months." in remark
    page, _ = await change(page, do="fill")
    assert page["interval_months"] == "12"


async def test_a_price_that_was_not_typed_is_emptied_where_there_is_none(
    owner: Person, acme: Cast
) -> None:
    await make_issue(acme)
    await owner.send(owner.address("settings", "account"), {"country": "DE"})
    await product(acme, "Year", YEAR)
    page = fields_of(await owner.text("subscriptions", "new"))
    assert page["price"] == "42.00"
    answer = await order(owner, **{**page, "country": "US", "do": "offer"})
    assert "Year has no price for Print in this country. Type the price." in words(answer)
    assert fields_of(answer.text)["price"] == ""
    other = await product(acme, "Other", Offer())
    for typed, left in ({}, ""), ({"price": "40"}, "40"):
        answer = await order(owner, **{**page, **typed, "product": other, "do": "offer"})
        assert fields_of(answer.text)["price"] == left


async def test_a_price_of_another_country_is_not_sold_by_a_slow_browser(
    owner: Person, acme: Cast
) -> None:
    await make_issue(acme)
    await owner.send(owner.address("settings", "account"), {"country": "DE"})
    europe = {(Medium.PRINT, CountryGroup.EUROPE): 5200}
    await product(acme, "Year", structs.replace(YEAR, prices={**YEAR.prices, **europe}))
    page = {**fields_of(await owner.text("subscriptions", "new")), **TYPED, "country": "FR"}
    assert (page["price"], page["offered_price"]) == ("42.00", "42.00")
    other_button = fields_of((await order(owner, **page, do="check")).text)
    assert other_button["price"] == "52.00"
    by_script = await owner.http.post(
        owner.address("subscriptions", "new"), data={**page, "do": "bill"}, headers=HTMX
    )
    assert fields_of(by_script.text)["price"] == "52.00"
    assert "Check it." not in words(by_script)
    refused = await order(owner, **page)
    assert refused.status_code == 400
    assert "the price is €52.00, not €42.00. Check it." in words(refused)
    shown = fields_of(refused.text)
    assert shown["price"] == "52.00"
    assert (await order(owner, **{**page, **shown})).status_code == 303
    typed = {**page, **fields_of(await owner.text("subscriptions", "new")), **TYPED}
    typed |= {"country": "FR", "price": "42", "first_name": "Bo", "email": "bo@example.com"}
    assert (await order(owner, **typed)).status_code == 303


async def test_a_new_form_begins_with_the_first_product_that_has_an_offer(
    owner: Person, acme: Cast
) -> None:
    await make_issue(acme)
    await owner.send(owner.address("settings", "account"), {"country": "DE", "locale": "de_DE"})
    year = await product(acme, "Year", YEAR)
    shown = fields_of(await owner.text("subscriptions", "new"))
    assert (shown["product"], shown["country"]) == (year, "DE")
    assert (shown["length"], shown["price"]) == ("4", "42,00")


async def test_a_missing_price_is_said_and_the_typed_one_stays(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    year = await product(acme, "Year", YEAR)
    answer = await order(owner, product=year, country="US", price="60", do="fill")
    assert "Year has no price for Print in this country. Type the price." in words(answer)
    assert fields_of(answer.text)["price"] == "60"


async def test_choosing_a_membership_shows_months_instead_of_issues(
    owner: Person, acme: Cast
) -> None:
    await make_issue(acme)
    await owner.send(owner.address("settings", "account"), {"country": "DE"})
    friend = await product(acme, "Friend", FRIEND)
    shown = fields_of((await order(owner, product=friend, do="fill")).text)
    assert (shown["interval_months"], shown["price"]) == ("12", "99.00")
    assert shown["period_start"]
    assert "length" not in shown
    unknown = await order(owner, product="NOSUCH", do="fill")
    assert fields_of(unknown.text)["length"] == "4"


async def test_an_order_has_its_source_product_and_payment_method(
    owner: Person, acme: Cast
) -> None:
    await make_issue(acme)
    year = await product(acme, "Year", YEAR)
    await order(owner, product=year, payment_method="bank transfer", source=acme.shop)
    columns = "source_id, product_id, payment_method"
    assert await columns_of(acme, "period", columns) == [(acme.shop, year, "bank transfer")]


# --- Addresses and dates --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "field, says",
    [
        ("address1", "The street or PO box is missing."),
        ("city", "The town is missing."),
        ("postcode", "The postcode is missing."),
    ],
)
async def test_a_printed_order_needs_a_complete_address_or_a_confirmation(
    owner: Person, acme: Cast, field: str, says: str
) -> None:
    await make_issue(acme)
    answer = await order(owner, **{field: ""})
    assert answer.status_code == 400
    assert says in words(answer)
    assert 'name="is_address_right"' in answer.text
    address = owner.address("subscriptions", "new")
    confirmed = {**fields_of(answer.text), "is_address_right": "y"}
    assert (await owner.post(address, confirmed)).status_code == 303


async def test_an_unusual_postcode_is_asked_about_once(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    answer = await order(owner, postcode="8907")
    assert answer.status_code == 400
    assert "Is the postcode right? In Germany, one looks like 26133." in words(answer)
    confirmed = {**fields_of(answer.text), "is_address_right": "y"}
    saved = await owner.post(owner.address("subscriptions", "new"), confirmed)
    assert saved.status_code == 303


@pytest.mark.parametrize(
    "typed",
    [
        {"medium": "Digital", "address1": "", "city": "", "postcode": ""},
        {"country": "IE", "postcode": ""},
        {"address1": "", "address2": "Postfach 1"},
        {"country": "US", "state": "NY", "postcode": "10001"},
    ],
    ids=str,
)
async def test_what_the_post_does_not_need_may_be_missing(
    owner: Person, acme: Cast, typed: dict[str, str]
) -> None:
    await make_issue(acme)
    page = await owner.text("subscriptions", "new")
    assert "is_address_right" not in page
    assert (await order(owner, **typed)).status_code == 303


@pytest.mark.parametrize("days, status", [(31, 303), (32, 400), (3_650, 400)])
async def test_an_order_date_is_at_most_31_days_ahead(
    owner: Person, acme: Cast, days: int, status: int
) -> None:
    await make_issue(acme)
    page = fields_of(await owner.text("subscriptions", "new"))
    day = date.fromisoformat(page["order_date"]) + timedelta(days=days)
    answer = await order(owner, order_date=day.isoformat())
    assert answer.status_code == status
    assert ("more than 31 days ahead. Check the year." in words(answer)) == (status == 400)
