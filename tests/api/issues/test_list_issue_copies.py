"""GET /v1/issues/{id}/copies/: the copies of one issue, with four filters."""

import itertools
from typing import Any

import pytest

from tests.conftest import Cast, Client
from tests.support.expect import refused
from tests.support.factories import make_issue, make_issues, make_subscription
from tests.support.walk import walk


async def listed(cast: Cast, issue_id: str, **filters: object) -> list[dict[str, Any]]:
    """The copies of an issue on the first page."""
    response = await cast.get(f"/v1/issues/{issue_id}/copies/", **filters)
    assert response.status_code == 200, response.text
    items: list[dict[str, Any]] = response.json()["items"]
    return items


async def population(cast: Cast) -> tuple[str, list[dict[str, Any]]]:
    """Two issues, of which the second has four copies, of every status and in two countries."""
    _, issue = await make_issues(cast, 1, 2)
    ada, bob = {"email": "ada@example.test"}, {"email": "bob@example.test"}
    made = [
        await make_subscription(cast, **ada, country="DE"),
        await make_subscription(cast, **ada, country="FR"),
        await make_subscription(cast, **bob, country="DE"),
        await make_subscription(cast, **bob, country="FR"),
    ]
    newest = (await listed(cast, issue["id"]))[0]
    await cast.post(f"/v1/copies/{newest['id']}/mark-sent/")
    await cast.post(f"/v1/subscriptions/{made[0]['id']}/cancel/", {"mode": "cancel"})
    return issue["id"], await listed(cast, issue["id"])


async def test_only_the_copies_of_the_issue_are_listed_newest_first(acme: Cast) -> None:
    issue_id, copies = await population(acme)
    everything = (await acme.get("/v1/copies/")).json()["items"]
    assert len(everything) == 8
    assert copies == [copy for copy in everything if copy["issue"]["id"] == issue_id]


async def test_an_issue_without_copies_has_an_empty_page(acme: Cast) -> None:
    issue = await make_issue(acme)
    response = await acme.get(f"/v1/issues/{issue['id']}/copies/")
    assert response.json() == {"items": [], "has_more": False, "cursor": None}


async def test_filters_can_be_combined_in_any_way(acme: Cast) -> None:
    issue_id, copies = await population(acme)
    values: dict[str, tuple[str | None, ...]] = {
        "status": (None, "Sent", "Cancelled", "Not sent"),
        "subscriber_id": (None, *sorted({copy["subscriber_id"] for copy in copies})),
        "subscription_id": (None, *sorted({copy["subscription_id"] for copy in copies})),
        "country": (None, "DE", "FR"),
    }
    for chosen in itertools.product(*values.values()):
        wanted = {name: value for name, value in zip(values, chosen, strict=True) if value}
        expected = [copy for copy in copies if {**copy, **wanted} == copy]
        filters = {name.removesuffix("_id"): value for name, value in wanted.items()}
        assert await listed(acme, issue_id, **filters) == expected, filters


@pytest.mark.parametrize("limit", [1, 2, 3, 200])
async def test_paging_with_any_limit_returns_every_copy_once(acme: Cast, limit: int) -> None:
    issue_id, copies = await population(acme)
    assert await walk(acme, f"/v1/issues/{issue_id}/copies/", limit=limit) == copies


async def test_a_country_filter_may_be_in_lower_case(acme: Cast) -> None:
    issue_id, _ = await population(acme)
    assert len(await listed(acme, issue_id, country="de")) == 2


async def test_a_filter_without_matches_returns_no_items(acme: Cast, rival: Cast) -> None:
    issue_id, _ = await population(acme)
    _, theirs = await population(rival)
    for filters in (
        {"country": "FJ"},
        {"subscriber": "NOSUCH"},
        {"subscription": "NOSUCH"},
        {"subscriber": theirs[0]["subscriber_id"]},
        {"subscription": theirs[0]["subscription_id"]},
    ):
        assert await listed(acme, issue_id, **filters) == []


@pytest.mark.parametrize("status", ["", "sent", "Unsent"])
async def test_an_unknown_status_is_refused(acme: Cast, status: str) -> None:
    issue = await make_issue(acme)
    response = await acme.get(f"/v1/issues/{issue['id']}/copies/", status=status)
    assert "status" in refused(response, "validation_error")


@pytest.mark.parametrize("name", ["subscriber", "subscription"])
async def test_an_empty_id_filter_is_refused(acme: Cast, name: str) -> None:
    issue = await make_issue(acme)
    response = await acme.get(f"/v1/issues/{issue['id']}/copies/", **{name: ""})
    assert name in refused(response, "validation_error")


@pytest.mark.parametrize("name", ["issue", "search"])
async def test_the_error_for_an_unknown_parameter_names_it(acme: Cast, name: str) -> None:
    issue = await make_issue(acme)
    response = await acme.get(f"/v1/issues/{issue['id']}/copies/", **{name: "x"})
    assert name in refused(response, "unknown_parameter")


@pytest.mark.parametrize("unknown", ["NOSUCH", "1", "a-b"])
async def test_an_unknown_issue_is_not_found(acme: Cast, unknown: str) -> None:
    await make_issue(acme, number=1)
    refused(await acme.get(f"/v1/issues/{unknown}/copies/"), "not_found", status=404)


async def test_the_query_is_checked_before_the_issue(acme: Cast) -> None:
    refused(await acme.get("/v1/issues/NOSUCH/copies/", limit=0), "validation_error")


async def test_an_issue_of_another_account_is_not_found(acme: Cast, rival: Cast) -> None:
    issue_id, _ = await population(rival)
    refused(await acme.get(f"/v1/issues/{issue_id}/copies/"), "not_found", status=404)


async def test_a_cursor_is_only_valid_for_its_issue(acme: Cast) -> None:
    issue_id, _ = await population(acme)
    other = (await acme.get("/v1/issues/")).json()["items"][-1]["id"]
    cursor = (await acme.get(f"/v1/issues/{issue_id}/copies/", limit=1)).json()["cursor"]
    response = await acme.get(f"/v1/issues/{other}/copies/", cursor=cursor)
    refused(response, "invalid_cursor")
    refused(await acme.get("/v1/copies/", cursor=cursor), "invalid_cursor")


async def test_a_read_only_key_can_list_the_copies_of_an_issue(client: Client, acme: Cast) -> None:
    issue_id, copies = await population(acme)
    response = await client.get(f"/v1/issues/{issue_id}/copies/", key=acme.read_only_key)
    assert response.json()["items"] == copies
