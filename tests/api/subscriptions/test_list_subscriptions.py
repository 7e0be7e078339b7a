"""GET /v1/subscriptions/: order, shape and the filters, alone and together."""

import itertools
from typing import Any

import pytest

from tests.conftest import Cast
from tests.support.cases import for_each
from tests.support.expect import refused
from tests.support.factories import import_row, make_issue, make_membership, make_subscription
from tests.support.subscribers import merge
from tests.support.walk import walk

PATH = "/v1/subscriptions/"


async def listed(cast: Cast, **filters: object) -> list[dict[str, Any]]:
    """The subscriptions on the first page."""
    response = await cast.get(PATH, **filters)
    assert response.status_code == 200, response.text
    items: list[dict[str, Any]] = response.json()["items"]
    return items


async def population(cast: Cast) -> list[dict[str, Any]]:
    """Six subscriptions that differ in subscriber, country, source and gift; newest first."""
    await make_issue(cast)
    ada, bob = {"email": "ada@example.test"}, {"email": "bob@example.test"}
    gift = {"is_gift": "true", "gifter_name": "Charles", "gifter_email": "charles@example.test"}
    row = {"start_issue": "1", "length": "4"}
    made = [
        await make_subscription(cast, **ada, country="DE", notes="crimson"),
        await make_subscription(cast, **ada, country="FR", notes="crimson"),
        await import_row(cast, **row, **bob, country="DE", notes="crimson"),
        await import_row(cast, **row, **ada, **gift, country="DE", notes="azure"),
        await import_row(cast, **row, **bob, **gift, country="FR", notes="crimson"),
        await import_row(cast, **row, **ada, country="FR", notes="azure"),
    ]
    return sorted(made, key=lambda each: str(each["id"]), reverse=True)


@pytest.fixture
async def everything(acme: Cast) -> list[dict[str, Any]]:
    """The subscriptions of `population` in Acme."""
    return await population(acme)


async def test_an_account_without_subscriptions_gets_an_empty_page(acme: Cast) -> None:
    response = await acme.get(PATH)
    assert response.status_code == 200
    assert response.json() == {"items": [], "has_more": False, "cursor": None}


async def test_each_item_has_the_full_shape_of_a_single_subscription(acme: Cast) -> None:
    await population(acme)
    await make_membership(
        acme, interval_months="1", period_start="2099-01-01", period_end="2099-01-31"
    )
    items = await listed(acme)
    assert len(items) == 7
    for item in items:
        assert item == (await acme.get(f"{PATH}{item['id']}/")).json()


async def test_the_newest_subscriptions_come_first(acme: Cast) -> None:
    everything = await population(acme)
    assert await listed(acme) == everything


async def test_each_page_continues_after_the_one_before(acme: Cast) -> None:
    everything = await population(acme)
    first = (await acme.get(PATH, limit=4)).json()
    assert first["has_more"] is True
    second = (await acme.get(PATH, limit=4, cursor=first["cursor"])).json()
    assert second["has_more"] is False
    assert second["cursor"] is None
    assert first["items"] + second["items"] == everything


async def test_filters_can_be_combined_in_any_way(acme: Cast) -> None:
    everything = await population(acme)
    people = {each["subscriber"]["email"]: each["subscriber"]["id"] for each in everything}
    values: dict[str, tuple[object, ...]] = {
        "subscriber": (None, *people.values()),
        "country": (None, "DE", "FR"),
        "source": (None, acme.shop, acme.imported),
        "is_gift": (None, True, False),
        "search": (None, "crimson"),
    }
    for chosen in itertools.product(*values.values()):
        named = zip(values, chosen, strict=True)
        filters = {name: value for name, value in named if value is not None}
        expected = [
            each["id"]
            for each in everything
            if all(field(each, name) == value for name, value in filters.items())
        ]
        query = {name: text(value) for name, value in filters.items()}
        assert [each["id"] for each in await listed(acme, **query)] == expected, filters


def field(subscription: dict[str, Any], name: str) -> object:
    """The field that the filter compares."""
    looked_at: dict[str, object] = {
        "subscriber": subscription["subscriber"]["id"],
        "country": subscription["shipping_address"]["country"],
        "source": subscription["source"]["id"],
        "is_gift": subscription["is_gift"],
        "search": subscription["notes"],
    }
    return looked_at[name]


def text(value: object) -> object:
    """A value as written in a query: booleans in lower case."""
    return str(value).lower() if isinstance(value, bool) else value


@for_each("limit", [1, 2, 3, 200])
@for_each("name", ["country", "source"])
async def test_paging_through_gifts_and_others_returns_every_subscription_once(
    acme: Cast, everything: list[dict[str, Any]], name: str, limit: int
) -> None:
    value = {"country": "DE", "source": acme.imported}[name]
    expected = [each for each in everything if field(each, name) == value]
    assert {each["is_gift"] for each in expected} == {True, False}
    assert await walk(acme, PATH, limit=limit, **{name: value}) == expected


async def test_a_filtered_list_has_pages(acme: Cast) -> None:
    everything = await population(acme)
    expected = [each for each in everything if each["shipping_address"]["country"] == "DE"]
    assert await walk(acme, PATH, limit=1, country="DE") == expected


async def test_a_country_filter_may_be_in_lower_case(acme: Cast) -> None:
    await population(acme)
    assert await listed(acme, country="de") == await listed(acme, country="DE") != []


async def test_the_country_filter_uses_the_current_country(acme: Cast) -> None:
    await make_issue(acme)
    created = await make_subscription(acme, country="DE")
    await acme.patch(f"{PATH}{created['id']}/", {"country": "FR"})
    assert await listed(acme, country="DE") == []
    assert [each["id"] for each in await listed(acme, country="FR")] == [created["id"]]


@for_each(
    "filters",
    [{"country": "FJ"}, {"subscriber": "NOSUCH"}, {"source": "NOSUCH"}],
)
async def test_a_filter_without_matches_returns_no_items(
    acme: Cast, everything: list[dict[str, Any]], filters: dict[str, str]
) -> None:
    assert everything
    assert (await acme.get(PATH, **filters)).json() == {
        "items": [],
        "has_more": False,
        "cursor": None,
    }


async def test_a_source_without_subscriptions_returns_no_items(acme: Cast) -> None:
    await population(acme)
    assert await listed(acme, source=acme.checkout) == []


async def test_ids_of_another_account_return_no_items(acme: Cast, rival: Cast) -> None:
    await population(acme)
    theirs = (await population(rival))[0]
    assert await listed(acme, subscriber=theirs["subscriber"]["id"]) == []
    assert await listed(acme, source=rival.shop) == []


async def test_subscriptions_of_another_account_are_not_listed(acme: Cast, rival: Cast) -> None:
    await population(rival)
    assert await listed(acme) == []
    assert await listed(acme, search="crimson") == []


@pytest.mark.parametrize("name", ["subscriber", "source"])
async def test_an_id_filter_that_is_no_id_is_refused(acme: Cast, name: str) -> None:
    for value in ("", "a b%é"):
        assert name in refused(await acme.get(PATH, **{name: value}), "validation_error")


@for_each("value", ["", "maybe", "2", " true", "null"])
async def test_is_gift_must_be_true_or_false(acme: Cast, value: str) -> None:
    assert "is_gift" in refused(await acme.get(PATH, is_gift=value), "validation_error")


@for_each("name", ["is_comp", "issue", "Country", "subscriber_id"])
async def test_the_error_for_an_unknown_parameter_names_it(acme: Cast, name: str) -> None:
    assert name in refused(await acme.get(PATH, **{name: "x"}), "unknown_parameter")


async def test_a_cursor_is_only_valid_with_its_filters(acme: Cast) -> None:
    await population(acme)
    cursor = (await acme.get(PATH, limit=1, country="DE")).json()["cursor"]
    refused(await acme.get(PATH, limit=1, country="FR", cursor=cursor), "invalid_cursor")
    refused(await acme.get(PATH, limit=1, cursor=cursor), "invalid_cursor")
    again = await acme.get(PATH, limit=2, country="DE", cursor=cursor)
    assert again.status_code == 200


async def test_memberships_are_listed_with_the_other_subscriptions(acme: Cast) -> None:
    await make_issue(acme)
    await make_subscription(acme)
    await make_membership(
        acme, interval_months="1", period_start="2099-01-01", period_end="2099-01-31"
    )
    assert {each["type"] for each in await listed(acme)} == {"subscription", "membership"}


async def test_cancelled_subscriptions_stay_in_the_list(acme: Cast) -> None:
    await make_issue(acme)
    created = await make_subscription(acme)
    await acme.post(f"{PATH}{created['id']}/cancel/", {"mode": "cancel"})
    assert [each["status"] for each in await listed(acme)] == ["Cancelled"]


# --- filters that the specification does not have -------------------------------------------------


async def ids_of(cast: Cast, **filters: object) -> list[str]:
    """The ids of the subscriptions on the first page."""
    return [each["id"] for each in await listed(cast, **filters)]


async def test_an_order_id_finds_its_subscription_also_that_of_a_renewal(
    acme: Cast, rival: Cast
) -> None:
    await make_issue(acme)
    await make_issue(rival)
    first = await make_subscription(acme, order_id="A-1", notes="crimson")
    other = await make_subscription(acme, order_id="A-10")
    await import_row(acme, order_id="A-2", renews="A-1", length="4")
    await make_subscription(rival, order_id="A-3")
    assert await ids_of(acme, order_id="A-1") == [first["id"]]
    assert await ids_of(acme, order_id=" A-2 ") == [first["id"]]
    assert await ids_of(acme, order_id="A-10") == [other["id"]]
    for unknown in ("A-3", "a-1", "A-"):
        assert await ids_of(acme, order_id=unknown) == []
    assert await ids_of(acme, order_id="A-1", search="crimson", status="Active") == [first["id"]]
    assert await ids_of(acme, order_id="A-1", country="FJ") == []
    assert await ids_of(acme, order_id="A-10", search="crimson") == []


async def test_an_email_finds_the_subscriptions_of_its_subscriber(acme: Cast, rival: Cast) -> None:
    everything = await population(acme)
    await make_issue(rival)
    await make_subscription(rival, email="eve@example.test")
    adas = [each for each in everything if each["subscriber"]["email"] == "ada@example.test"]
    assert len(adas) == 4
    for written in ("ada@example.test", " ADA@Example.test "):
        assert await listed(acme, email=written) == adas
    assert await walk(acme, PATH, limit=1, email="ada@example.test") == adas
    expected = [each for each in adas if field(each, "country") == "FR"]
    assert await listed(acme, email="ada@example.test", country="FR") == expected
    expected = [each for each in adas if each["notes"] == "azure"]
    assert await listed(acme, email="ada@example.test", search="azure") == expected
    for unknown in ("eve@example.test", "nobody@example.test"):
        assert await ids_of(acme, email=unknown) == []
    assert "email" in refused(await acme.get(PATH, email="ada"), "validation_error")


async def test_the_email_of_a_merged_subscriber_finds_those_of_the_kept_one(acme: Cast) -> None:
    await make_issue(acme)
    kept = await make_subscription(acme, email="ada@example.test")
    gone = await make_subscription(acme, email="ada.l@example.test")
    await merge(acme, kept["subscriber"]["id"], gone["subscriber"]["id"])
    for email in ("ada@example.test", "ada.l@example.test"):
        assert await ids_of(acme, email=email) == [gone["id"], kept["id"]]


async def test_the_status_can_be_combined_with_other_filters_and_a_search(acme: Cast) -> None:
    await make_issue(acme)
    active = await make_subscription(acme, notes="crimson", country="DE")
    ended = await make_subscription(acme, notes="crimson", country="FR")
    await acme.post(f"{PATH}{ended['id']}/cancel/", {"mode": "cancel"})
    assert await ids_of(acme, status="Active") == [active["id"]]
    assert await ids_of(acme, status="Cancelled") == [ended["id"]]
    assert await ids_of(acme, status="Cancelled", country="DE") == []
    assert await ids_of(acme, status="Cancelled", search="crimson") == [ended["id"]]
    message = refused(await acme.get(PATH, status="active"), "validation_error")
    assert "`Active - Renewals stopped`" in message


@for_each("name", ["order_id", "email", "status"])
async def test_an_empty_filter_is_refused(acme: Cast, name: str) -> None:
    refused(await acme.get(PATH, **{name: ""}), "validation_error")
