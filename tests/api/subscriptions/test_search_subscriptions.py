"""GET /v1/subscriptions/?search=: every field that is searched, and how."""

from typing import Any

import pytest

from tests.conftest import Cast
from tests.support.cases import for_each
from tests.support.expect import refused
from tests.support.factories import import_row, make_issue, make_subscription

PATH = "/v1/subscriptions/"


async def found(cast: Cast, search: str) -> list[str]:
    """The ids that a search finds."""
    response = await cast.get(PATH, search=search)
    assert response.status_code == 200, response.text
    return [each["id"] for each in response.json()["items"]]


@for_each(
    "field, value, part",
    [
        ("order_id", "SHOP-77310", "p-773"),
        ("first_name", "Wilhelmina", "helm"),
        ("last_name", "Quartermain", "rterm"),
        ("company", "Zweitausend & Eins", "tausend"),
        ("address1", "17 Kirkgate Passage", "kirkgate"),
        ("address2", "c/o Vandermeer", "vanderm"),
        ("city", "Xanthi", "xanth"),
        ("state", "Yucatán", "yucat"),
        ("postcode", "ZX81 9QQ", "zx81"),
        ("phone", "+31 6 55512345", "55512"),
        ("notes", "Prefers brown envelopes", "envelop"),
        ("promo_code", "WINTERSALE", "tersal"),
        ("email", "needle@haystack.test", "needle@hay"),
    ],
)
async def test_search_looks_at_each_searchable_field(
    acme: Cast, issue: dict[str, Any], field: str, value: str, part: str
) -> None:
    await make_subscription(acme)
    wanted = await make_subscription(acme, **{field: value})
    assert await found(acme, part) == [wanted["id"]]


@pytest.mark.parametrize("part", ["babbage", "charles b", "engine.test"])
async def test_search_looks_at_the_gifter(acme: Cast, part: str) -> None:
    await make_issue(acme)
    row = {"start_issue": "1", "length": "4", "is_gift": "true"}
    await import_row(acme, **row, gifter_name="Mary", gifter_email="mary@example.test")
    wanted = await import_row(
        acme, **row, gifter_name="Charles Babbage", gifter_email="charles@engine.test"
    )
    assert await found(acme, part) == [wanted["id"]]


async def test_search_looks_at_the_ids_of_subscription_and_subscriber(acme: Cast) -> None:
    await make_issue(acme)
    await make_subscription(acme)
    wanted = await make_subscription(acme)
    assert await found(acme, wanted["id"]) == [wanted["id"]]
    assert await found(acme, wanted["id"][-12:].lower()) == [wanted["id"]]
    assert await found(acme, wanted["subscriber"]["id"]) == [wanted["id"]]


async def test_search_looks_at_the_name_of_the_subscriber(acme: Cast) -> None:
    await make_issue(acme)
    await make_subscription(acme, email="ada@example.test", first_name="Ada", last_name="Byron")
    second = await make_subscription(
        acme, email="ada@example.test", first_name="Augusta", last_name="King"
    )
    assert second["id"] in await found(acme, "byron")
    assert await found(acme, "king") == [second["id"]]


@pytest.mark.parametrize(
    "value, search",
    [
        ("Müller", "muller"),
        ("Muller", "MÜLLER"),
        ("Müller", "mu\u0308ller"),
        ("Straße", "strasse"),
        ("STRASSE", "straße"),
        ("Ångström", "angstrom"),
        ("Łódź", "łódź"),
        ("Σίσυφος", "ΣΙΣΥΦΟΣ"),
        ("東京都", "京"),
        ("Ян", "ян"),
    ],
)
async def test_search_ignores_case_and_accents(acme: Cast, value: str, search: str) -> None:
    await make_issue(acme)
    await make_subscription(acme, city="Elsewhere")
    wanted = await make_subscription(acme, city=value)
    assert await found(acme, search) == [wanted["id"]]


async def test_every_term_must_occur_in_some_field(acme: Cast) -> None:
    await make_issue(acme)
    wanted = await make_subscription(acme, last_name="Lovelace", city="Xanthi")
    await make_subscription(acme, last_name="Lovelace", city="Ravenna")
    assert await found(acme, "  xanthi   lovelace ") == [wanted["id"]]
    assert await found(acme, "lovelace nowhere") == []


async def test_terms_of_one_and_two_characters_are_found(acme: Cast) -> None:
    await make_issue(acme)
    await make_subscription(acme, notes="plain")
    wanted = await make_subscription(acme, notes="¶§")
    assert await found(acme, "§") == [wanted["id"]]
    assert await found(acme, "¶§") == [wanted["id"]]
    assert await found(acme, "§¶") == []


@pytest.mark.parametrize("character", ["%", "_", "\\", "'", '"', "*", "(", "^", "-%", "%%%"])
async def test_special_characters_are_searched_as_they_are(acme: Cast, character: str) -> None:
    await make_issue(acme)
    await make_subscription(acme, notes="plain text", email="plain@example.test")
    wanted = await make_subscription(acme, notes=f"a {character} b")
    assert await found(acme, character) == [wanted["id"]]
    assert await found(acme, f"a{character}") == []


@pytest.mark.parametrize("operator", ["plain OR nothing", "plain NOT nothing", "notes:plain"])
async def test_search_has_no_operators(acme: Cast, operator: str) -> None:
    await make_issue(acme)
    await make_subscription(acme, notes="plain text")
    assert await found(acme, operator) == []


@pytest.mark.parametrize("blank", ["", "   "])
async def test_a_blank_search_returns_everything(acme: Cast, blank: str) -> None:
    await make_issue(acme)
    created = await make_subscription(acme)
    assert await found(acme, blank) == [created["id"]]


async def test_a_new_row_is_found_immediately(acme: Cast) -> None:
    await make_issue(acme)
    created = await make_subscription(acme, notes="first words")
    assert await found(acme, "first words") == [created["id"]]
    await acme.patch(f"{PATH}{created['id']}/", {"notes": "second thoughts"})
    assert await found(acme, "second thoughts") == [created["id"]]
    assert await found(acme, "first words") == []


async def test_the_newest_results_come_first(acme: Cast) -> None:
    await make_issue(acme)
    made = [(await make_subscription(acme, notes="same"))["id"] for _ in range(4)]
    assert await found(acme, "same") == sorted(made, reverse=True)


async def test_search_has_at_most_255_characters(acme: Cast) -> None:
    assert await found(acme, "x" * 255) == []
    message = refused(await acme.get(PATH, search="x" * 256), "validation_error")
    assert "search" in message


async def test_search_refuses_nul(acme: Cast) -> None:
    refused(await acme.get(PATH, search="a\x00b"), "validation_error")


async def test_search_does_not_find_records_of_another_account(acme: Cast, rival: Cast) -> None:
    await make_issue(rival)
    theirs = await make_subscription(rival, notes="secret words")
    assert await found(rival, "secret") == [theirs["id"]]
    assert await found(acme, "secret") == []


async def test_a_patch_keeps_the_other_fields_searchable(acme: Cast) -> None:
    await make_issue(acme)
    row = {"email": "ada@example.test", "first_name": "Ada", "last_name": "Byron"}
    created = await import_row(
        acme,
        **row,
        order_id="FIRST-1001",
        start_issue="1",
        length="1",
        city="Xanthi",
        state="Thrace",
        promo_code="WINTERSALE",
        is_gift="true",
        gifter_name="Charles Babbage",
        gifter_email="charles@engine.test",
    )
    await import_row(acme, order_id="SECOND-1002", renews="FIRST-1001", promo_code="SUMMERSALE")
    await acme.patch(f"{PATH}{created['id']}/", {"first_name": "Augusta", "city": "Ravenna"})
    for search in (
        *("first-1001", "second-1002", "wintersale", "summersale", "babbage", "engine.test"),
        *("augusta", "ravenna", "thrace", "ada byron", created["id"], "ada@example.test"),
    ):
        assert await found(acme, search) == [created["id"]], search
    assert await found(acme, "xanthi") == []
