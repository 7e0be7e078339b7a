"""GET /v1/subscriptions/{id}/status/: the status, which needs no API key."""

import pytest

from masthead.model import ids
from masthead.services import accounts
from tests.conftest import BY, Cast, Client
from tests.support.cases import for_each
from tests.support.expect import refused
from tests.support.factories import (
    copies_of,
    import_row,
    make_issue,
    make_membership,
    make_subscription,
)


def status_path(id: str) -> str:
    """The address of a subscription's status."""
    return f"/v1/subscriptions/{id}/status/"


async def status_of(cast: Cast, id: str) -> str:
    """The status, requested without a key."""
    response = await cast.client.get(status_path(id))
    assert response.status_code == 200
    assert set(response.json()) == {"status"}
    status: str = response.json()["status"]
    return status


async def test_the_response_has_only_the_status_and_needs_no_key(
    client: Client, acme: Cast
) -> None:
    await make_issue(acme)
    subscription = await make_subscription(acme)
    response = await client.get(status_path(subscription["id"]))
    assert response.status_code == 200
    assert response.json() == {"status": "Active"}


async def test_the_status_of_an_active_subscription_is_active(acme: Cast) -> None:
    await make_issue(acme)
    subscription = await make_subscription(acme)
    assert await status_of(acme, subscription["id"]) == "Active"


async def test_the_status_of_a_stopped_subscription_is_stopped(acme: Cast) -> None:
    await make_issue(acme)
    subscription = await make_subscription(acme, is_recurring=True)
    await acme.post(f"/v1/subscriptions/{subscription['id']}/cancel/", {"mode": "stop_renewals"})
    assert await status_of(acme, subscription["id"]) == "Active - Renewals stopped"


async def test_the_status_of_a_cancelled_subscription_is_cancelled(acme: Cast) -> None:
    await make_issue(acme)
    subscription = await make_subscription(acme)
    await acme.post(f"/v1/subscriptions/{subscription['id']}/cancel/", {"mode": "cancel"})
    assert await status_of(acme, subscription["id"]) == "Cancelled"


async def test_the_status_of_a_complete_subscription_is_complete(acme: Cast) -> None:
    await make_issue(acme)
    subscription = await make_subscription(acme, length=1)
    copy = (await copies_of(acme, subscription["id"]))[0]
    assert await status_of(acme, subscription["id"]) == "Active"
    await acme.post(f"/v1/copies/{copy['id']}/mark-sent/")
    assert await status_of(acme, subscription["id"]) == "Complete"


async def test_the_status_of_a_past_due_membership_is_past_due(acme: Cast) -> None:
    membership = await make_membership(acme, is_recurring="true", status="Past due")
    assert await status_of(acme, membership["id"]) == "Past due"


async def test_an_imported_subscription_has_a_status(acme: Cast) -> None:
    await make_issue(acme)
    subscription = await import_row(acme, start_issue="1", length="2", status="Cancelled")
    assert await status_of(acme, subscription["id"]) == "Cancelled"


@for_each("id", ["1", "a-b", "0" * 31, "%00", "%FF", "x" * 300])
async def test_an_unknown_or_malformed_id_gets_a_404(client: Client, id: str) -> None:
    refused(await client.get(status_path(id)), "not_found", status=404)


async def test_an_id_of_another_kind_of_record_gets_a_404(client: Client, acme: Cast) -> None:
    issue = await make_issue(acme)
    subscription = await make_subscription(acme)
    for id in (issue["id"], subscription["subscriber"]["id"], ids.new_id(acme.account_id)):
        refused(await client.get(status_path(id)), "not_found", status=404)


@pytest.mark.parametrize("query", ["?x=1", "?limit=0&limit=0", "?%00", "?a=%FF", "?", "?cursor="])
async def test_the_query_string_is_ignored(client: Client, acme: Cast, query: str) -> None:
    await make_issue(acme)
    subscription = await make_subscription(acme)
    response = await client.get(status_path(subscription["id"]) + query)
    assert response.json() == {"status": "Active"}


async def test_any_key_is_ignored(client: Client, acme: Cast, rival: Cast) -> None:
    await make_issue(acme)
    subscription = await make_subscription(acme)
    for key in (acme.key, acme.read_only_key, rival.key, "junk", ""):
        response = await client.get(status_path(subscription["id"]), key=key)
        assert response.json() == {"status": "Active"}


async def test_the_status_of_an_inactive_account_is_returned_too(
    client: Client, acme: Cast
) -> None:
    await make_issue(acme)
    subscription = await make_subscription(acme)
    await accounts.set_account_active(acme.db, acme.account_id, is_active=False, by=BY)
    response = await client.get(status_path(subscription["id"]))
    assert response.status_code == 200
    assert response.json() == {"status": "Active"}


async def test_head_needs_no_key(client: Client, acme: Cast) -> None:
    await make_issue(acme)
    subscription = await make_subscription(acme)
    response = await client.request("HEAD", status_path(subscription["id"]))
    assert response.status_code == 200
    assert response.content == b""


# --- from a script on the page of another site ----------------------------------------------------


@pytest.mark.parametrize("method", ["GET", "HEAD"])
async def test_a_page_of_any_site_can_read_the_status(acme: Cast, method: str) -> None:
    await make_issue(acme)
    subscription = await make_subscription(acme)
    headers = {"Origin": "https://shop.example"}
    known = await acme.client.request(method, status_path(subscription["id"]), headers=headers)
    unknown = await acme.client.request(method, status_path("0" * 31), headers=headers)
    assert (known.status_code, unknown.status_code) == (200, 404)
    for response in (known, unknown):
        assert response.headers["Access-Control-Allow-Origin"] == "*"
        assert "Access-Control-Allow-Credentials" not in response.headers


async def test_a_page_of_another_site_can_read_nothing_else(acme: Cast) -> None:
    await make_issue(acme)
    subscription = await make_subscription(acme)
    for path in (f"/v1/subscriptions/{subscription['id']}/", "/v1/me/", "/v1/nothing/"):
        response = await acme.client.get(
            path, key=acme.key, headers={"Origin": "https://shop.example"}
        )
        assert "Access-Control-Allow-Origin" not in response.headers


ASKS = {"Origin": "https://shop.example", "Access-Control-Request-Method": "GET"}


async def test_a_browser_may_ask_first_whether_a_page_can_read_the_status(client: Client) -> None:
    response = await client.request("OPTIONS", status_path("0" * 31), headers=ASKS)
    assert (response.status_code, response.content) == (204, b"")
    assert response.headers["Access-Control-Allow-Origin"] == "*"
    assert response.headers["Access-Control-Allow-Methods"] == "GET, HEAD"
    assert response.headers["Access-Control-Allow-Headers"] == "*"
    assert response.headers["Access-Control-Max-Age"] == "86400"


async def test_a_browser_that_asks_for_another_path_gets_a_405(client: Client) -> None:
    for path in ("/v1/me/", "/v1/subscriptions/"):
        response = await client.request("OPTIONS", path, headers=ASKS)
        refused(response, "method_not_allowed", status=405)
        assert "Access-Control-Allow-Origin" not in response.headers
