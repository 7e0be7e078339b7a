"""GET /v1/copies/: shape, order, and the five filters alone and together."""

import itertools
from typing import Any

import msgspec
import pytest

from masthead.model.pagination import Page
from masthead.model.resources import Copy
from masthead.store.engine.interface import Transaction
from tests.conftest import Cast, Client
from tests.support.cases import for_each
from tests.support.expect import refused
from tests.support.factories import make_issue, make_issues, make_subscription
from tests.support.walk import walk

PATH = "/v1/copies/"


async def listed(cast: Cast, **filters: object) -> list[dict[str, Any]]:
    """The copies on a page of 200."""
    response = await cast.get(PATH, limit=200, **filters)
    assert response.status_code == 200, response.text
    items: list[dict[str, Any]] = response.json()["items"]
    return items


async def population(cast: Cast) -> list[dict[str, Any]]:
    """Twelve copies that differ in issue, subscription, subscriber, country and status."""
    await make_issues(cast, 1, 3)
    ada, bob = {"email": "ada@example.test"}, {"email": "bob@example.test"}
    made = [
        await make_subscription(cast, **ada, country="DE", length=3),
        await make_subscription(cast, **ada, country="FR", length=3),
        await make_subscription(cast, **bob, country="DE", length=3),
        await make_subscription(cast, **bob, country="FR", length=3),
    ]
    sent = [copy["id"] for copy in await listed(cast) if copy["issue"]["number"] == 1]
    await cast.post(f"{PATH}mark-sent/", {"ids": sent, "date": "2026-03-01"})
    await cast.post(f"/v1/subscriptions/{made[0]['id']}/cancel/", {"mode": "cancel"})
    return await listed(cast)


@pytest.fixture
async def everything(acme: Cast) -> list[dict[str, Any]]:
    """The copies of `population` in Acme."""
    return await population(acme)


async def test_the_database_writes_the_same_json_as_the_encoder(acme: Cast) -> None:
    name = "<" + "".join(map(chr, range(1, 32))) + ' "\\/\x7f\u2028é😀>'
    issue = await make_issue(acme, number=1)

    async def work(tx: Transaction) -> None:
        sql = "UPDATE issue SET name = :name WHERE account_id = :account"
        await tx.execute(sql, {"name": name, "account": acme.account_id})

    await acme.db.write(work, account_id=acme.account_id)
    await make_subscription(acme, length=1)
    await make_subscription(acme, length=1)
    first = (await listed(acme))[0]
    await acme.post(f"{PATH}mark-sent/", {"ids": [first["id"]], "date": "2026-03-01"})
    for path in (PATH, f"/v1/issues/{issue['id']}/copies/"):
        for limit in (1, 2):
            content = (await acme.get(path, limit=limit)).content
            page = msgspec.json.decode(content, type=Page[Copy])
            assert msgspec.json.encode(page) == content
            assert [copy.issue.name for copy in page.items] == [name] * limit
            assert page.has_more == (limit == 1)


async def test_an_account_without_copies_gets_an_empty_page(acme: Cast) -> None:
    response = await acme.get(PATH)
    assert response.status_code == 200
    assert response.json() == {"items": [], "has_more": False, "cursor": None}


async def test_a_copy_is_shown_in_full(acme: Cast) -> None:
    issue = await make_issue(acme, number=4, name="Winter")
    created = await make_subscription(acme, start_issue=4, length=1, country="AT")
    (copy,) = await listed(acme)
    assert type(copy["id"]) is int
    assert 0 < copy["id"] < 2**53
    assert copy == {
        "id": copy["id"],
        "date_sent": None,
        "status": "Not sent",
        "country": "AT",
        "issue": {"id": issue["id"], "number": 4, "name": "Winter"},
        "subscriber_id": created["subscriber"]["id"],
        "subscription_id": created["id"],
    }


async def test_the_newest_copies_come_first(acme: Cast) -> None:
    await make_issue(acme)
    made = [(await make_subscription(acme, length=1))["id"] for _ in range(4)]
    assert [copy["subscription_id"] for copy in await listed(acme)] == made[::-1]


async def test_copy_ids_are_unique_and_the_newest_is_the_highest(acme: Cast) -> None:
    ids = [copy["id"] for copy in await population(acme)]
    assert len(set(ids)) == 12
    assert ids == sorted(ids, reverse=True)


async def test_filters_can_be_combined_in_any_way(acme: Cast) -> None:
    everything = await population(acme)
    assert len(everything) == 12
    values: dict[str, tuple[str | None, ...]] = {
        "status": (None, "Sent", "Cancelled", "Not sent"),
        "issue": (None, *sorted({copy["issue"]["id"] for copy in everything})[:2]),
        "subscriber": (None, *sorted({copy["subscriber_id"] for copy in everything})),
        "subscription": (None, *sorted({copy["subscription_id"] for copy in everything})[:3]),
        "country": (None, "DE", "FR"),
    }
    for chosen in itertools.product(*values.values()):
        filters = {name: value for name, value in zip(values, chosen, strict=True) if value}
        expected = [
            copy
            for copy in everything
            if all(field(copy, name) == value for name, value in filters.items())
        ]
        assert await listed(acme, **filters) == expected, filters


def field(copy: dict[str, Any], name: str) -> object:
    """The field that the filter compares."""
    looked_at: dict[str, object] = {
        "status": copy["status"],
        "issue": copy["issue"]["id"],
        "subscriber": copy["subscriber_id"],
        "subscription": copy["subscription_id"],
        "country": copy["country"],
    }
    return looked_at[name]


@for_each("limit", [1, 2, 3, 200])
async def test_paging_with_any_limit_returns_every_copy_once(
    acme: Cast, everything: list[dict[str, Any]], limit: int
) -> None:
    assert await walk(acme, PATH, limit=limit) == everything


@for_each("limit", [1, 2, 3, 200])
@for_each("names", [("issue",), ("country",), ("issue", "country")], ids="+".join)
async def test_paging_through_each_status_returns_every_copy_once(
    acme: Cast, everything: list[dict[str, Any]], names: tuple[str, ...], limit: int
) -> None:
    chosen = next(copy for copy in everything if copy["status"] == "Cancelled")
    filters = {name: field(chosen, name) for name in names}
    expected = [
        copy
        for copy in everything
        if all(field(copy, name) == value for name, value in filters.items())
    ]
    assert len({copy["status"] for copy in expected}) > 1
    assert await walk(acme, PATH, limit=limit, **filters) == expected


@pytest.mark.parametrize("limit", [1, 2, 3])
@pytest.mark.parametrize("names", [("issue",), ("country",), ("issue", "country")], ids="+".join)
async def test_paging_returns_every_copy_once_while_statuses_change(
    acme: Cast, names: tuple[str, ...], limit: int
) -> None:
    issue, *_ = await make_issues(acme, 1, 2)
    made = [await make_subscription(acme, length=2) for _ in range(8)]
    values = {"issue": issue["id"], "country": "DE"}
    filters = {name: values[name] for name in names}
    before = [copy["id"] for copy in await listed(acme, **filters)]
    seen, cursor, turn = list[int](), dict[str, str](), 0
    while True:
        page = (await acme.get(PATH, limit=limit, **filters, **cursor)).json()
        seen += [copy["id"] for copy in page["items"]]
        if not page["has_more"]:
            break
        cursor = {"cursor": page["cursor"]}
        # a copy on an earlier page, the next one, the last one, and all of another subscription
        ids = [seen[-1], before[min(len(seen), len(before) - 1)], before[-1 - turn]]
        await acme.post(f"{PATH}mark-sent/", {"ids": ids})
        await acme.post(f"/v1/subscriptions/{made[turn]['id']}/cancel/", {"mode": "cancel"})
        turn = min(turn + 1, len(made) - 1)
    assert seen == before


async def test_a_filtered_list_has_pages(acme: Cast) -> None:
    everything = await population(acme)
    expected = [copy for copy in everything if copy["status"] == "Not sent"]
    assert await walk(acme, PATH, limit=2, status="Not sent") == expected


async def test_paging_returns_every_copy_once_while_copies_are_marked(acme: Cast) -> None:
    everything = await population(acme)
    seen, cursor = list[int](), dict[str, str]()
    while True:
        page = (await acme.get(PATH, limit=5, **cursor)).json()
        seen += [copy["id"] for copy in page["items"]]
        await acme.post(f"{PATH}mark-sent/", {"ids": seen})
        if not page["has_more"]:
            break
        cursor = {"cursor": page["cursor"]}
    assert seen == [copy["id"] for copy in everything]


async def test_a_country_filter_may_be_in_lower_case(acme: Cast) -> None:
    await population(acme)
    assert await listed(acme, country="de") == await listed(acme, country="DE") != []


@for_each("status", ["", "sent", "Not%20sent", " Sent", "Active", "not sent"])
async def test_an_unknown_status_is_refused(acme: Cast, status: str) -> None:
    message = refused(await acme.get(PATH, status=status), "validation_error")
    assert "status" in message
    assert "Not sent" in message


@for_each("name", ["issue", "subscriber", "subscription"])
@for_each("value", ["NOSUCH", "nosuch1"])
async def test_a_filter_with_an_unknown_id_finds_nothing(
    acme: Cast, everything: list[dict[str, Any]], name: str, value: str
) -> None:
    assert everything
    assert await listed(acme, **{name: value}) == []


async def test_a_filter_with_an_unused_country_finds_nothing(acme: Cast) -> None:
    await population(acme)
    assert await listed(acme, country="FJ") == []


@for_each("name", ["issue", "subscriber", "subscription"])
async def test_an_empty_id_filter_is_refused(acme: Cast, name: str) -> None:
    assert name in refused(await acme.get(PATH, **{name: ""}), "validation_error")


@for_each("name", ["search", "source", "date_sent", "subscriber_id"])
async def test_the_error_for_an_unknown_parameter_names_it(acme: Cast, name: str) -> None:
    assert name in refused(await acme.get(PATH, **{name: "x"}), "unknown_parameter")


async def test_copies_of_another_account_are_not_listed(acme: Cast, rival: Cast) -> None:
    theirs = (await population(rival))[0]
    assert await listed(acme) == []
    for name in ("issue", "subscriber", "subscription"):
        assert await listed(acme, **{name: field(theirs, name)}) == []


async def test_a_cursor_is_only_valid_with_its_filters(acme: Cast) -> None:
    await population(acme)
    cursor = (await acme.get(PATH, limit=1, country="DE")).json()["cursor"]
    refused(await acme.get(PATH, country="FR", cursor=cursor), "invalid_cursor")
    refused(await acme.get(PATH, cursor=cursor), "invalid_cursor")


async def test_a_read_only_key_can_list_copies(client: Client, acme: Cast) -> None:
    await population(acme)
    response = await client.get(PATH, key=acme.read_only_key)
    assert len(response.json()["items"]) == 12
