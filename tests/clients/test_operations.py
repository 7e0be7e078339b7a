"""Operations of the clients against the API, on both databases."""

import asyncio
import re
from collections.abc import Awaitable
from typing import Any

import pytest

from masthead_client import ApiError, AsyncMasthead, Masthead, PreconditionFailed, etag
from masthead_client.errors import NotModified
from tests.conftest import Cast
from tests.support.become_sandbox import become_sandbox
from tests.support.factories import make_issue, make_issues, make_subscription
from tests.support.keyed_requests import REQUESTS
from tests.support.openapi import described
from tools.clients.operations import Operation, read_operations

OPERATIONS = {f"{each.method} {each.path}": each for each in read_operations(described())}


def ids_in(path: str, operation: Operation) -> list[str]:
    """The values of the parameters in a path."""
    found = re.fullmatch(re.sub(r"\{\w+\}", r"(\\w+)", operation.path), path)
    assert found
    return list(found.groups())


@pytest.mark.parametrize("name", REQUESTS)
async def test_a_method_writes_what_its_operation_writes(
    acme: Cast, office: AsyncMasthead, name: str
) -> None:
    operation = OPERATIONS[name]
    path, fields = await REQUESTS[name](acme)
    method = getattr(getattr(office, operation.resource), operation.name)
    record = await method(*ids_in(path, operation), **fields, idempotency_key="k-1")
    again = await method(*ids_in(path, operation), **fields, idempotency_key="k-1")
    assert again == record
    schema = described()["components"]["schemas"][operation.answer]
    assert {*schema["required"]} <= {*record}


async def test_every_list_can_be_read(acme: Cast, office: AsyncMasthead) -> None:
    await become_sandbox(acme)  # the list of its emails refuses accounts with real time
    issue = await make_issue(acme)
    subscription = await make_subscription(acme)
    run = await office.dispatches.create(issue=issue["id"])
    hook = await office.webhooks.create(url="https://93.184.215.14/hook")
    ids = {
        "issues": issue["id"],
        "subscriptions": subscription["id"],
        "dispatches": run["id"],
        "webhooks": hook["id"],
    }
    counts: dict[str, int] = {}
    for operation in OPERATIONS.values():
        if operation.is_list:
            method = getattr(getattr(office, operation.resource), operation.name)
            listing = method(*[ids[operation.resource] for _ in operation.ids])
            counts[operation.id] = len([each async for each in listing])
    assert counts["list_dispatch_lines"] == counts["list_subscriptions"] == 1
    assert counts["list_refunds"] == counts["list_claims"] == 0
    assert counts["list_sandbox_emails"] == 0
    assert counts["list_events"] > 2


async def test_a_list_reads_all_pages(acme: Cast, office: AsyncMasthead, desk: Masthead) -> None:
    await make_issues(acme, 1, 5)
    expected = [5, 4, 3, 2, 1]
    assert [issue["number"] async for issue in office.issues.list(limit=2)] == expected
    listing = desk.issues.list(limit=2)
    assert await asyncio.to_thread(lambda: [each["number"] for each in listing]) == expected
    assert await asyncio.to_thread(lambda: len([*listing.pages()])) == 3
    newest = await office.issues.list(limit=1).first()
    assert newest
    assert newest["number"] == 5
    pages = [page async for page in office.issues.list(limit=2).pages()]
    following = office.issues.list(limit=2, cursor=pages[0]["cursor"])
    assert [issue["number"] async for issue in following] == expected[2:]
    assert await asyncio.to_thread(desk.claims.list().first) is None


async def test_changes_since_a_moment(acme: Cast, office: AsyncMasthead) -> None:
    await make_issues(acme, 1, 3)
    changes = office.issues.list(updated_since="1970-01-01", limit=2)
    assert len([each async for each in changes]) == 3
    moment = changes.next_updated_since
    assert moment
    await make_issue(acme, number=9)
    later = office.issues.list(updated_since=moment)
    assert 9 in [issue["number"] async for issue in later]


async def test_filters_of_several_values_and_booleans(acme: Cast, office: AsyncMasthead) -> None:
    await make_issue(acme)
    made = await make_subscription(acme, email="a+b@example.test")
    found = office.subscriptions.list(
        status=["Active", "Past due"], is_gift=False, email="a+b@example.test"
    )
    assert [each["id"] async for each in found] == [made["id"]]


async def test_a_record_is_changed_only_if_it_is_the_one_that_was_read(
    acme: Cast, office: AsyncMasthead
) -> None:
    made = await make_issue(acme)
    read = await office.issues.get(made["id"])
    tag = etag(read)
    assert tag
    with pytest.raises(NotModified):
        await office.issues.get(made["id"], if_none_match=tag)
    [page] = [page async for page in office.issues.list().pages()]
    assert etag(page["items"][0]) is None, "only a whole response has a tag"
    same = office.issues.list(if_none_match=etag(page))
    with pytest.raises(NotModified):
        await same.first()
    changed = await office.issues.update(made["id"], name="Spring", if_match=tag)
    assert changed["name"] == "Spring"
    with pytest.raises(PreconditionFailed):
        await office.issues.update(made["id"], name="Autumn", if_match=tag)
    assert etag(changed) == etag(await office.issues.get(made["id"])) != tag


async def test_an_error_has_its_code_fields_and_request_id(
    acme: Cast, office: AsyncMasthead, desk: Masthead
) -> None:
    wrong: dict[str, Any] = {"number": "1", "name": 5}
    requests: list[Awaitable[Any]] = [
        office.issues.create(**wrong),
        asyncio.to_thread(desk.issues.create, **wrong),
    ]
    for request in requests:
        with pytest.raises(ApiError, match="`number`") as caught:
            await request
        error = caught.value
        assert (error.status, error.code, error.field) == (400, "validation_error", "number")
        assert error.fields == ["number", "name"]
        assert "`name`" in error.errors[1]["message"]
        assert error.request_id
        assert error.request_id in str(error)
    made = await make_issue(acme)
    with pytest.raises(ApiError) as caught:
        await office.issues.create(number=1)
    assert (caught.value.code, caught.value.record_id) == ("duplicate_issue_number", made["id"])
