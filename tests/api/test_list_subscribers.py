"""GET /v1/subscribers/: order, shape, and the searchable fields."""

from typing import Any

import pytest

from tests.conftest import Cast, Client
from tests.support.cases import for_each
from tests.support.expect import refused
from tests.support.factories import (
    fresh_order_id,
    import_row,
    make_issue,
    make_membership,
    make_subscription,
)
from tests.support.subscribers import merge
from tests.support.walk import page_of, walk

PATH = "/v1/subscribers/"


async def found(cast: Cast, search: str) -> list[str]:
    """The ids that a search finds, newest first."""
    return [each["id"] for each in page_of(await cast.get(PATH, search=search))["items"]]


async def subscriber(cast: Cast, **fields: object) -> str:
    """The id of the subscriber of a new subscription."""
    subscription = await make_subscription(cast, **fields)
    id: str = subscription["subscriber"]["id"]
    return id


@pytest.fixture
async def haystack(acme: Cast) -> Cast:
    """Acme with an issue and two subscribers that the search must not find."""
    await make_issue(acme)
    await subscriber(acme, first_name="Bruno", email="bruno@plain.test", city="Ulm")
    await subscriber(acme, first_name="", company="Plain", city="Graz")
    return acme


async def test_newest_subscribers_come_first(acme: Cast) -> None:
    await make_issue(acme)
    made = [await subscriber(acme) for _ in range(5)]
    listed = [each["id"] for each in await walk(acme, PATH)]
    assert set(listed) == set(made)
    assert listed == sorted(made, reverse=True)


async def test_a_subscriber_with_two_subscriptions_is_listed_once(acme: Cast) -> None:
    await make_issue(acme)
    first = await subscriber(acme, email="ada@example.test")
    second = await subscriber(acme, email=" Ada@EXAMPLE.test ")
    assert first == second
    assert [each["id"] for each in await walk(acme, PATH)] == [first]


async def test_each_item_is_the_same_as_the_response_of_get(haystack: Cast) -> None:
    for item in await walk(haystack, PATH):
        assert (await haystack.get(f"{PATH}{item['id']}/")).json() == item


async def test_a_read_only_key_can_list_subscribers(client: Client, haystack: Cast) -> None:
    response = await client.get(PATH, key=haystack.read_only_key)
    assert len(page_of(response)["items"]) == 2


async def test_subscribers_of_memberships_are_listed(acme: Cast) -> None:
    membership = await make_membership(acme, email="ada@example.test")
    listed = await walk(acme, PATH)
    assert [each["id"] for each in listed] == [membership["subscriber"]["id"]]
    assert listed[0]["subscription_count"] == 1


# --- search: the fields ---------------------------------------------------------------------------


@for_each(
    "field, value, part",
    [
        ("email", "needle@haystack.test", "needle@hay"),
        ("first_name", "Wilhelmina", "helmi"),
        ("last_name", "Quartermain", "rterm"),
        ("company", "Zweitausend & Eins", "tausend"),
        ("order_id", "SHOP-77310", "p-773"),
        ("address1", "17 Kirkgate Passage", "kirkgate"),
        ("address2", "c/o Vandermeer", "vanderm"),
        ("city", "Xanthi", "xanth"),
        ("postcode", "ZX81 9QQ", "zx81"),
        ("phone", "+31 6 55512345", "55512"),
    ],
)
async def test_search_looks_at(haystack: Cast, field: str, value: str, part: str) -> None:
    wanted = await subscriber(haystack, **{field: value})
    assert await found(haystack, part) == [wanted]
    assert await found(haystack, value) == [wanted]


@for_each(
    "field, value",
    [("notes", "Prefers envelopes"), ("promo_code", "WINTERSALE"), ("state", "Yukon")],
)
async def test_search_does_not_look_at(haystack: Cast, field: str, value: str) -> None:
    await subscriber(haystack, **{field: value})
    assert await found(haystack, value) == []


async def test_search_looks_at_the_ids_of_subscriber_and_subscription(haystack: Cast) -> None:
    subscription = await make_subscription(haystack)
    wanted = subscription["subscriber"]["id"]
    for text in (wanted, wanted[-12:], wanted.lower(), subscription["id"], subscription["id"][9:]):
        assert await found(haystack, text) == [wanted]


async def test_search_looks_at_the_order_ids_of_renewals(haystack: Cast) -> None:
    order = fresh_order_id()
    made = await import_row(haystack, order_id=order, start_issue="1", length="2")
    renewal = fresh_order_id()
    await import_row(haystack, order_id=renewal, renews=order, length="2")
    for text in (order, renewal):
        assert await found(haystack, text) == [made["subscriber"]["id"]]


async def test_search_looks_at_names_of_subscriber_and_of_subscriptions(haystack: Cast) -> None:
    wanted = await subscriber(haystack, email="ada@example.test", first_name="Augusta")
    await subscriber(haystack, email="ada@example.test", first_name="Wilhelmina")
    assert await found(haystack, "augusta") == [wanted]
    assert await found(haystack, "wilhelmina") == [wanted]


async def test_terms_may_be_found_in_different_subscriptions(haystack: Cast) -> None:
    wanted = await subscriber(haystack, email="ada@example.test", city="Xanthi")
    await subscriber(haystack, email="ada@example.test", city="Quedlinburg")
    assert await found(haystack, "xanthi quedlinburg") == [wanted]


async def test_placeholder_addresses_are_found(haystack: Cast) -> None:
    subscription = await make_subscription(haystack)
    email = subscription["subscriber"]["email"]
    assert await found(haystack, email) == [subscription["subscriber"]["id"]]


# --- search: how ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "value, search",
    [
        ("Müller", "muller"),
        ("Müller", "MÜLLER"),
        ("Muller", "müller"),
        ("Müller", "mu\u0308ller"),
        ("Mu\u0308ller", "m\u00fcller"),
        ("Straße", "STRASSE"),
        ("Ångström", "angstrom"),
        ("Šárková", "sarkova"),
        ("Ñandú", "NANDU"),
        ("Đorđević", "đorđević"),
        ("İstanbul", "istanbul"),
        ("ΣΊΣΥΦΟΣ", "σισυφος"),
        ("Чайковский", "ЧАЙКОВСКИЙ"),
        ("村上春樹", "春樹"),
        ("أحمد", "أحمد"),
        *(("O'Brien", f"o{sign}brien") for sign in ("'", "’", "‘", "`", "´", "ʼ", "′", "")),
        ("Schmidt‐Rottluff", "schmidt-rottluff"),
        ("Schmidt-Rottluff", "Schmidt‑Rottluff"),
        ("van\xa0der Berg", "van der berg"),
        ("Donau\xaddampf", "donaudampf"),
        ("Straßer-Oßwald", "Straßer-Oßwald, Ada"),
    ],
)
async def test_search_ignores_case_and_accents(haystack: Cast, value: str, search: str) -> None:
    wanted = await subscriber(haystack, last_name=value)
    assert await found(haystack, search) == [wanted]


@pytest.mark.parametrize(
    "field, value, search",
    [
        *(("phone", "0421 123456", each) for each in ("+49421123456", "0421/123456", "0421123456")),
        *(("postcode", "SW1Y 4JH", each) for each in ("SW1Y4JH", "sw1y 4jh")),
    ],
)
async def test_search_ignores_blanks_in_phone_numbers_and_postcodes(
    haystack: Cast, field: str, value: str, search: str
) -> None:
    wanted = await subscriber(haystack, **{field: value})
    assert await found(haystack, search) == [wanted]


async def test_every_term_must_occur(haystack: Cast) -> None:
    wanted = await subscriber(haystack, first_name="Ada", last_name="Lovelace", city="Xanthi")
    await subscriber(haystack, first_name="Ada", last_name="Nielsen", city="Xanthi")
    assert await found(haystack, "lovelace xanthi") == [wanted]
    assert await found(haystack, "xanthi\t lovelace ada") == [wanted]
    assert await found(haystack, "lovelace quedlinburg") == []


async def test_a_search_can_have_any_number_of_terms_up_to_its_length(haystack: Cast) -> None:
    wanted = await subscriber(haystack, address1="abcdefgh")
    assert wanted in await found(haystack, " ".join("abcdefgh" * 16)[:255])
    assert await found(haystack, " ".join("abcdefgh" * 15) + " zzzz") == []


async def test_a_term_is_found_inside_a_word(haystack: Cast) -> None:
    wanted = await subscriber(haystack, last_name="Lovelace")
    for part in ("l", "ov", "vel", "lovelac", "LACE"):
        assert wanted in await found(haystack, part)


async def test_a_term_is_not_found_across_fields(haystack: Cast) -> None:
    await subscriber(haystack, first_name="Zara", last_name="Quill")
    assert await found(haystack, "zaraquill") == []
    assert await found(haystack, "araqu") == []


@pytest.mark.parametrize(
    "character",
    [
        "%",
        "_",
        "\\",
        "'",
        '"',
        "*",
        "?",
        "(",
        ")",
        "^",
        "[",
        "]",
        "-",
        ":",
        "{",
        "|",
        "&",
        "!",
        "~",
    ],
)
async def test_special_characters_are_searched_as_they_are(haystack: Cast, character: str) -> None:
    email = "wanted@plain.test"
    wanted = await subscriber(haystack, email=email, address1=f"Road x{character}{character}y")
    assert await found(haystack, f"{character}{character}") == [wanted]
    assert await found(haystack, f"x{character}{character}y") == [wanted]
    assert await found(haystack, f"road{character}x") == []


@pytest.mark.parametrize("search", ["AND", "OR", "NOT", "a NEAR b", "x* -y", '"', "'; --", "%%%"])
async def test_words_of_a_query_language_are_searched_as_they_are(
    haystack: Cast, search: str
) -> None:
    wanted = await subscriber(haystack, address1=f"One {search} two")
    assert wanted in await found(haystack, search)


@for_each("search", ["", " ", "  \t ", "\u00a0"])
async def test_a_blank_search_returns_everything(haystack: Cast, search: str) -> None:
    whole = page_of(await haystack.get(PATH))
    assert page_of(await haystack.get(PATH, search=search)) == whole
    assert len(whole["items"]) == 2


async def test_a_new_row_is_found_immediately(haystack: Cast) -> None:
    subscription = await make_subscription(haystack, city="Xanthi")
    wanted = subscription["subscriber"]["id"]
    assert await found(haystack, "xanthi") == [wanted]
    path = f"/v1/subscriptions/{subscription['id']}/"
    assert (await haystack.patch(path, {"city": "Quedlinburg"})).status_code == 200
    assert await found(haystack, "xanthi") == []
    assert await found(haystack, "quedlin") == [wanted]


async def test_results_come_newest_first_and_in_pages_like_the_list(haystack: Cast) -> None:
    made = [await subscriber(haystack, last_name=f"Needle{number}") for number in range(5)]
    by_one = await walk(haystack, PATH, limit=1, search="needle")
    by_three = await walk(haystack, PATH, limit=3, search="needle")
    assert by_one == by_three
    assert [each["id"] for each in by_one] == sorted(made, reverse=True)


async def test_search_does_not_find_records_of_another_account(haystack: Cast, rival: Cast) -> None:
    await make_issue(rival)
    wanted: Any = await subscriber(rival, last_name="Lovelace")
    assert await found(haystack, "lovelace") == []
    assert await found(haystack, wanted) == []
    assert await found(rival, "lovelace") == [wanted]


async def test_a_search_for_unknown_text_returns_nothing(haystack: Cast) -> None:
    assert await found(haystack, "x" * 255) == []


# --- by email: a filter that the specification does not have --------------------------------------


async def by_email(cast: Cast, email: str, **filters: object) -> list[str]:
    """The ids of the subscribers with an email address."""
    items = page_of(await cast.get(PATH, email=email, **filters))["items"]
    return [each["id"] for each in items]


async def test_an_email_finds_its_subscriber(acme: Cast, rival: Cast) -> None:
    for cast in (acme, rival):
        await make_issue(cast)
    ada = await subscriber(acme, email="ada@example.test", last_name="Lovelace")
    await subscriber(acme, email="bob@example.test", last_name="Lovelace")
    await subscriber(rival, email="eve@example.test")
    for written in ("ada@example.test", " ADA@Example.test "):
        assert await by_email(acme, written) == [ada]
        assert await by_email(acme, written, search="lovelace") == [ada]
        assert await by_email(acme, written, search="byron") == []
    for unknown in ("eve@example.test", "nobody@example.test"):
        assert await by_email(acme, unknown) == []
    assert "email address" in refused(await acme.get(PATH, email="ada"), "validation_error")


async def test_the_email_of_a_merged_subscriber_finds_the_kept_one(acme: Cast) -> None:
    await make_issue(acme)
    kept = await subscriber(acme, email="ada@example.test", last_name="Lovelace")
    await merge(
        acme, kept, await subscriber(acme, email="ada.l@example.test", last_name="Lovelace")
    )
    assert await by_email(acme, "ada.l@example.test") == [kept]
    assert await by_email(acme, "ada.l@example.test", search="lovelace") == [kept]


# --- by whether a subscription is active ----------------------------------------------------------


async def test_subscribers_are_listed_by_whether_a_subscription_is_active(acme: Cast) -> None:
    await make_issue(acme)
    made = [await make_subscription(acme, email=f"{name}@example.test") for name in "abcd"]
    for each in made[1::2]:
        await acme.post(f"/v1/subscriptions/{each['id']}/cancel/", {"mode": "cancel"})
    ids = [each["subscriber"]["id"] for each in made]
    for word, wanted in (("true", ids[0::2]), ("false", ids[1::2])):
        listed = await walk(acme, PATH, limit=1, has_active_subscription=word)
        assert [each["id"] for each in listed] == wanted[::-1]
        assert {each["has_active_subscription"] for each in listed} == {word == "true"}
        searched = await walk(acme, PATH, limit=1, has_active_subscription=word, search="example")
        assert searched == listed
        assert await by_email(acme, "b@example.test", has_active_subscription=word) == (
            [ids[1]] if word == "false" else []
        )
