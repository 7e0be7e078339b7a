"""The curl commands of the API reference and of `/docs` do what their operations say."""

import re

import httpx
import msgspec

from masthead.api.openapi import texts
from masthead.api.routes import ROUTES
from tests.conftest import Cast
from tests.support.become_sandbox import become_sandbox
from tests.support.factories import make_issue

EXAMPLES = texts.read_examples()
OPERATIONS = texts.read_operations()


async def run(cast: Cast, operation: str, ids: dict[str, str]) -> httpx.Response:
    """The response to the command of an operation. ids: the real ones, by those of the examples."""
    command = OPERATIONS[operation].text.partition("```sh")[2].partition("```")[0]
    for example, real in ids.items():
        command = command.replace(example, real)
    address = re.search(r'\$API([^\s"]+)', command)
    body = re.search(r"-d '(.*?)'", command, re.DOTALL)
    assert address
    return await cast.client.request(
        operation.partition(" ")[0],
        address[1],
        key=cast.key if "$AUTH" in command else None,
        json=msgspec.json.decode(body[1]) if body else None,
    )


async def test_lists_can_be_read(acme: Cast) -> None:
    lists = [str(route) for route in ROUTES if route.name.startswith("list_")]
    lists = [operation for operation in lists if "{id}" not in operation]
    assert len(lists) > 5
    await become_sandbox(acme)  # the list of its emails refuses accounts with real time
    for operation in lists:
        response = await run(acme, operation, {})
        assert response.status_code == 200, (operation, response.text)


async def test_a_subscription_can_be_created_found_changed_and_cancelled(acme: Cast) -> None:
    await make_issue(acme, number=1)
    ids = {EXAMPLES["Source"]["id"]: acme.shop}
    made = await run(acme, "POST /v1/subscriptions/", ids)
    assert made.status_code == 201, made.text
    ids[EXAMPLES["Subscription"]["id"]] = made.json()["id"]
    ids[EXAMPLES["Subscriber"]["id"]] = made.json()["subscriber"]["id"]

    subscriber = await run(acme, "GET /v1/subscribers/{id}/", ids)
    assert subscriber.json()["email"] == "ada@example.org"
    changed = await run(acme, "PATCH /v1/subscriptions/{id}/", ids)
    assert changed.json()["shipping_address"]["city"] == "Paris"
    listed = await run(acme, "GET /v1/subscriptions/", ids)
    assert [each["id"] for each in listed.json()["items"]] == [made.json()["id"]]
    cancelled = await run(acme, "POST /v1/subscriptions/{id}/cancel/", ids)
    assert cancelled.json()["status"] == "Cancelled"
    status = await run(acme, "GET /v1/subscriptions/{id}/status/", ids)
    assert status.json() == {"status": "Cancelled"}


async def test_an_issue_can_be_created_changed_frozen_and_sent(acme: Cast) -> None:
    issue = await make_issue(acme, number=1)
    ids = {EXAMPLES["Source"]["id"]: acme.shop, EXAMPLES["Issue"]["id"]: issue["id"]}
    assert (await run(acme, "POST /v1/issues/", ids)).json()["number"] == 2
    changed = await run(acme, "PATCH /v1/issues/{id}/", ids)
    assert changed.json()["release_date_actual"] == "2026-06-01"
    await run(acme, "POST /v1/subscriptions/", ids)
    copies = await run(acme, "GET /v1/issues/{id}/copies/", ids)
    assert len(copies.json()["items"]) == 1
    frozen = await run(acme, "POST /v1/dispatches/", ids)
    assert frozen.json()["copies"] == 1
    ids[EXAMPLES["DispatchRunDetail"]["id"]] = frozen.json()["id"]
    lines = await run(acme, "GET /v1/dispatches/{id}/lines/", ids)
    assert lines.json()["items"][0]["first_name"] == "Ada"
    marked = await run(acme, "POST /v1/dispatches/{id}/mark-sent/", ids)
    assert marked.json()["sent"] == 1
    undone = await run(acme, "POST /v1/dispatches/{id}/undo/", ids)
    assert undone.json()["status"] == "frozen"
    discarded = await run(acme, "POST /v1/dispatches/{id}/discard/", ids)
    assert discarded.json()["status"] == "discarded"
