"""What was typed to find somebody whom nobody knows is in the fields of the new person."""

import re

from tests.conftest import Cast
from tests.support.billing import turn_on_billing
from tests.support.factories import make_issue, make_subscription
from tests.web.conftest import Person, fields_of
from tests.web.orders.conftest import TYPED
from tests.web.orders.test_billing import BILLED

NAMED = ("first_name", "last_name", "company", "email", "postcode")


async def pressed(owner: Person, typed: dict[str, str], do: str) -> dict[str, str]:
    """The fields of the form after a button of a page without scripts."""
    address = owner.address("subscriptions", "new")
    return fields_of((await owner.post(address, {**typed, "do": do})).text)


async def test_a_caller_who_is_not_found_is_a_new_subscriber(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    page = await owner.text("subscriptions", "new", find="Kirsten Albers")
    assert "No subscriber matches. Enter the new subscriber below." in page
    fields = fields_of(page)
    assert [fields[name] for name in NAMED] == ["Kirsten", "Albers", "", "", ""]
    company = fields_of(await owner.text("subscriptions", "new", find="Werft GmbH 27568"))
    assert [company[name] for name in NAMED] == ["", "", "Werft GmbH", "", "27568"]


async def test_a_caller_who_is_found_is_no_new_subscriber(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    await make_subscription(acme, first_name="Ruth", last_name="Agency")
    fields = fields_of(await owner.text("subscriptions", "new", find="agency"))
    assert fields["last_name"] == ""


async def test_another_search_replaces_what_was_taken_over(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    initial = fields_of(await owner.text("subscriptions", "new"))
    first = await pressed(owner, initial | {"subscriber_find": "Lundd"}, "find")
    assert first["last_name"] == "Lundd"
    second = await pressed(owner, first | {"subscriber_find": "Ada Lund"}, "find")
    assert [second[name] for name in NAMED[:2]] == ["Ada", "Lund"]
    own = await pressed(owner, second | {"last_name": "Berg", "subscriber_find": "Bo"}, "find")
    assert own["last_name"] == "Berg"


async def test_a_first_name_beside_a_name_that_was_taken_over_removes_nothing(
    owner: Person, acme: Cast
) -> None:
    await make_issue(acme)
    initial = fields_of(await owner.text("subscriptions", "new"))
    typed = {**initial, "is_gift": "y", "subscriber_find": "Lund", "gifter_find": "Berg"}
    taken = await pressed(owner, typed, "giver")
    assert taken["gifter_last_name"] == "Berg"
    named = taken | {"gifter_first_name": "Vera"}
    same = await pressed(owner, named, "offer")
    assert (same["gifter_first_name"], same["gifter_last_name"]) == ("Vera", "Berg")
    other = await pressed(owner, named | {"gifter_find": "Bergh"}, "giver")
    assert (other["gifter_first_name"], other["gifter_last_name"]) == ("Vera", "Bergh")


async def test_a_subscriber_who_is_chosen_keeps_their_name(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    known = await make_subscription(acme, first_name="Ruth", last_name="Agency")
    initial = fields_of(await owner.text("subscriptions", "new"))
    typed = initial | {"subscriber_find": "agency", "last_name": "Agency"}  # by a script
    chosen = await pressed(owner, typed, f"use:{known['subscriber']['id']}")
    assert [chosen[name] for name in NAMED[:2]] == ["Ruth", "Agency"]


async def test_a_new_giver_and_a_new_payer_are_typed_once(owner: Person, acme: Cast) -> None:
    await turn_on_billing(acme)
    typed = {**TYPED, **BILLED, "is_gift": "y", "gifter_find": "Edda Brock"}
    giver = await pressed(owner, typed, "giver")
    assert (giver["gifter_first_name"], giver["gifter_last_name"]) == ("Edda", "Brock")
    payer = await pressed(
        owner, {**TYPED, **BILLED, "is_other_payer": "y", "payer_find": "Stadt Ulm"}, "find-payer"
    )
    assert payer["payer_company"] == "Stadt Ulm"


async def test_the_searches_of_the_page_have_names_of_their_own(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    for language in ("en_GB", "de_DE"):
        await owner.http.post("/you/locale/", data={"locale": language, "next": "/"})
        page = await owner.text("subscriptions", "new")
        [header] = re.findall(r'name="search"[^>]*aria-label="([^"]*)"', page)
        [label] = re.findall(r'<label for="find"[^>]*>([^<]*)<', page)
        assert header != label
        again = await owner.post(owner.address("subscriptions", "new"), {**TYPED, "do": "find"})
        [label] = re.findall(r'<label for="subscriber_find"[^>]*>([^<]*)<', again.text)
        assert header != label.strip()


async def test_the_page_of_a_subscriber_begins_their_order_and_a_gift(
    owner: Person, acme: Cast
) -> None:
    await make_issue(acme)
    id = (await make_subscription(acme))["subscriber"]["id"]
    page = await owner.text("subscribers", id)
    order = owner.address("subscriptions", "new")
    assert f'data-order="{order}?subscriber={id}"' in page
    assert f'<a href="{order}?giver={id}">Give a subscription</a>' in page
    assert f'data-order="{order}"' in await owner.text("subscribers")


async def test_a_company_is_no_person_with_the_same_name(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    typed = TYPED | {"first_name": "Emder", "last_name": "Kunst", "price": ""}
    typed |= {"company": "Emder Kunst e. V.", "subscriber_taken": "Emder Kunst"}
    address = owner.address("subscriptions", "new")
    fields = fields_of((await owner.post(address, typed)).text)
    assert [fields[name] for name in NAMED[:3]] == ["", "", "Emder Kunst e. V."]
    begun = fields_of((await owner.post(address, {**typed, "company": "Emder"})).text)
    assert [begun[name] for name in NAMED[:3]] == ["", "", "Emder"]
    other = fields_of((await owner.post(address, {**typed, "company": "Kunsthaus"})).text)
    assert [other[name] for name in NAMED[:3]] == ["Emder", "Kunst", "Kunsthaus"]
    own = fields_of((await owner.post(address, {**typed, "last_name": "Kunstmann"})).text)
    assert [own[name] for name in NAMED[:2]] == ["Emder", "Kunstmann"]


async def test_the_search_for_the_caller_stays_at_the_top_after_an_error(
    owner: Person, acme: Cast
) -> None:
    await make_issue(acme)
    page = await owner.text("subscriptions", "new", find="Kirsten Albers")
    assert "Taken over from the search: <bdi>Kirsten Albers</bdi>" in page
    assert 'name="subscriber_taken" value="Kirsten Albers" form="order"' in page
    typed = {**fields_of(page), "subscriber_taken": "Kirsten Albers", "price": ""}
    refused = await owner.post(owner.address("subscriptions", "new"), typed)
    assert refused.status_code == 400
    text = refused.text
    assert text.count("Who is calling, or writes?") == 2  # the heading, and the hidden label
    assert text.index("Who is calling, or writes?") < text.index("Who is the order for?")
    assert ">Find a subscriber" not in text.partition("</main>")[0]
    assert fields_of(text)["subscriber_find"] == "Kirsten Albers"
    assert "Taken over from the search: <bdi>Kirsten Albers</bdi>" in text


async def test_the_name_of_a_recipient_with_the_same_last_name_was_typed(
    owner: Person, acme: Cast
) -> None:
    await make_issue(acme)
    fields = fields_of(await owner.text("subscriptions", "new", find="Vera Lohmann"))
    gift = {"is_gift": "y", "first_name": "Tom", "gifter_find": "Vera Lohmann", "do": "giver"}
    typed = fields | gift | {"last_name": "Lohmann", "subscriber_taken": "Vera Lohmann"}
    page = (await owner.post(owner.address("subscriptions", "new"), typed)).text
    lines = re.findall(r'data-taken="(\w*)"( hidden)?>[^<]* <bdi>([^<]*)</bdi>', page)
    assert lines == [("gifter_", "", "Vera Lohmann"), ("", " hidden", "")]


async def test_similar_names_are_called_similar(owner: Person, acme: Cast) -> None:
    await turn_on_billing(acme)
    await make_subscription(acme, first_name="Eva", last_name="Keller")
    said = "Nothing matches “<bdi>Zeller</bdi>” exactly. Similar:"
    assert said in await owner.text("subscriptions", "new", find="Zeller")
    assert "exactly" not in await owner.text("subscriptions", "new", find="Keller")
    address = owner.address("subscriptions", "new")
    for typed, do in (
        ({"subscriber_find": "Zeller"}, "find"),
        ({"is_gift": "y", "gifter_find": "Zeller"}, "giver"),
        ({**BILLED, "is_other_payer": "y", "payer_find": "Zeller"}, "find-payer"),
    ):
        page = await owner.post(address, {**TYPED, **typed, "do": do})
        assert page.text.count(said) == 1, do


async def test_a_subscriber_who_is_found_later_has_no_name_from_the_first_search(
    owner: Person, acme: Cast
) -> None:
    await make_issue(acme)
    made = await make_subscription(acme, first_name="Eva", last_name="Keller")
    initial = fields_of(await owner.text("subscriptions", "new"))
    first = await pressed(owner, initial | {"subscriber_find": "Albers"}, "find")
    assert first["last_name"] == "Albers"
    second = await pressed(owner, first | {"subscriber_find": "Keller"}, "find")
    chosen = await pressed(owner, second, f"use:{made['subscriber']['id']}")
    assert chosen["last_name"] == "Keller"
