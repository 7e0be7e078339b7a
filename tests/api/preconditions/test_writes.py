"""Writes with `If-Match`: they change the version that the client knows, or nothing."""

from typing import Any

import pytest

from masthead.api.routes import ROUTES
from tests.conftest import Cast
from tests.support.expect import refused
from tests.support.factories import make_issue, make_subscription
from tests.support.keyed_requests import REQUESTS, new_key, send

READ = {route.path: route.response for route in ROUTES if route.method == "GET"}
RESPONSES = {str(route): route.response for route in ROUTES}
STATUS = {str(route): route.status for route in ROUTES}
CODE = "precondition_failed"
RENAME = "PATCH /v1/issues/{id}/"
CREDIT = "POST /v1/invoices/{id}/credit/"  # returns another record of the same kind


def record_of(path: str) -> str:
    """The path of the record that a request writes: `/v1/issues/7/` of `/v1/issues/7/x/`."""
    return "/".join([*path.split("/")[:4], ""])


def is_of_a_record(operation: str) -> bool:
    """Whether an operation writes one record that can be read."""
    path = operation.partition(" ")[2]
    return "{" in path and record_of(path) in READ


def returns_its_record(operation: str) -> bool:
    """Whether an operation that writes one record returns it as GET does afterwards."""
    if operation.endswith("/delete/") or operation == CREDIT:
        return False
    return RESPONSES[operation] is READ[record_of(operation.partition(" ")[2])]


VERSIONED = [operation for operation in REQUESTS if is_of_a_record(operation)]
OTHERS = [operation for operation in REQUESTS if not is_of_a_record(operation)]


async def tag_of(cast: Cast, path: str) -> str:
    """The entity tag of a record."""
    response = await cast.get(path)
    assert response.status_code == 200
    return response.headers["ETag"]


def test_the_writes_of_one_record_are_known() -> None:
    assert {"PATCH " in each for each in VERSIONED} == {True, False}
    assert not [operation for operation in OTHERS if "{" in operation]
    assert "POST /v1/subscriptions/{id}/cancel/" in VERSIONED


@pytest.mark.parametrize("operation", [*filter(returns_its_record, VERSIONED)])
async def test_the_current_version_is_changed_and_an_older_one_is_not(
    operation: str, acme: Cast
) -> None:
    method = operation.partition(" ")[0]
    path, body = await REQUESTS[operation](acme)
    record = record_of(path)
    tag = await tag_of(acme, record)
    await make_issue(acme, 77)  # what others write does not make a tag old
    await make_subscription(acme, start_issue=77, email="other@example.test")
    done = await send(acme, method, path, body, None, **{"If-Match": tag})
    assert done.status_code == STATUS[operation], done.text
    changed = await acme.get(record)
    assert done.headers["ETag"] == changed.headers["ETag"] != tag
    assert done.content == changed.content
    late = await send(acme, method, path, body, None, **{"If-Match": tag})
    assert "Get it again" in refused(late, CODE, status=412)
    assert "ETag" not in late.headers
    assert (await acme.get(record)).content == changed.content


@pytest.mark.parametrize("operation", [each for each in VERSIONED if not returns_its_record(each)])
async def test_an_answer_of_another_kind_needs_the_current_version_too(
    operation: str, acme: Cast
) -> None:
    method = operation.partition(" ")[0]
    path, body = await REQUESTS[operation](acme)
    record = record_of(path)
    tag, before = await tag_of(acme, record), (await acme.get(record)).content
    late = await send(acme, method, path, body, None, **{"If-Match": '"old"'})
    assert "Get it again" in refused(late, CODE, status=412)
    assert (await acme.get(record)).content == before
    done = await send(acme, method, path, body, None, **{"If-Match": tag})
    assert done.status_code == STATUS[operation], done.text
    if operation == CREDIT:
        note = f"/v1/invoices/{done.json()['id']}/"
        assert note != record
        assert done.headers["ETag"] == await tag_of(acme, note)
    else:
        assert ("ETag" in done.headers) is operation.endswith("/delete/")


@pytest.mark.parametrize("operation", OTHERS)
async def test_a_condition_that_cannot_be_kept_is_refused_and_nothing_is_done(
    operation: str, acme: Cast
) -> None:
    method = operation.partition(" ")[0]
    path, body = await REQUESTS[operation](acme)
    for tag in ("*", '"a"'):
        answer = await send(acme, method, path, body, None, **{"If-Match": tag})
        assert "is not possible with" in refused(answer, CODE, status=412)
    assert (await send(acme, method, path, body, None)).status_code == STATUS[operation]


@pytest.mark.parametrize("resource", ["dispatches", "issues", "subscriptions"])
async def test_what_is_created_has_the_tag_that_get_returns(resource: str, acme: Cast) -> None:
    path, body = await REQUESTS[f"POST /v1/{resource}/"](acme)
    created = await send(acme, "POST", path, body, None)
    assert created.headers["ETag"] == await tag_of(acme, f"{path}{created.json()['id']}/")


@pytest.mark.parametrize("form", ['"x", {}', "*", "{}, W/{}"])
async def test_one_tag_of_the_list_is_enough(form: str, acme: Cast) -> None:
    path, body = await REQUESTS[RENAME](acme)
    tag = await tag_of(acme, path)
    done = await send(acme, "PATCH", path, body, None, **{"If-Match": form.format(tag, tag)})
    assert done.status_code == 200


async def test_conditions_that_never_hold_are_refused(acme: Cast) -> None:
    path, body = await REQUESTS[RENAME](acme)
    tag = await tag_of(acme, path)
    for header, value, words in (
        ("If-Match", f"W/{tag}", "Send the tag without `W/`"),
        ("If-Match", '"a", W/"b"', "Get it again"),
        ("If-Match", "abc", "quotation marks"),
        ("If-Match", "", "quotation marks"),
        ("If-None-Match", "*", "only for GET"),
        ("If-None-Match", '"a"', "only for GET"),
    ):
        answer = await send(acme, "PATCH", path, body, None, **{header: value})
        assert words in refused(answer, CODE, status=412)
    assert await tag_of(acme, path) == tag


async def test_a_read_may_have_the_condition_too(acme: Cast) -> None:
    path, _ = await REQUESTS[RENAME](acme)
    tag = await tag_of(acme, path)

    async def get(**headers: str) -> Any:
        return await acme.client.get(path, key=acme.key, headers=headers)

    assert (await get(**{"If-Match": tag})).status_code == 200
    assert (await get(**{"If-Match": tag, "If-None-Match": tag})).status_code == 304
    refused(await get(**{"If-Match": '"old"', "If-None-Match": tag}), CODE, status=412)


async def test_an_unknown_record_is_404_whatever_the_condition(acme: Cast) -> None:
    answer = await send(acme, "PATCH", "/v1/issues/X/", {}, None, **{"If-Match": "*"})
    assert answer.status_code == 404


async def test_a_repetition_gets_the_stored_answer_and_is_not_checked_again(acme: Cast) -> None:
    path, body = await REQUESTS[RENAME](acme)
    tag, key = await tag_of(acme, path), new_key()
    first = await send(acme, "PATCH", path, body, key, **{"If-Match": tag})
    again = await send(acme, "PATCH", path, body, key, **{"If-Match": tag})
    assert first.status_code == again.status_code == 200
    assert first.content == again.content
    assert again.headers["Idempotent-Replayed"] == "true"
    assert "ETag" not in again.headers  # the record may have changed since then


async def test_a_refused_condition_leaves_the_idempotency_key_unused(acme: Cast) -> None:
    path, body = await REQUESTS[RENAME](acme)
    tag, key = await tag_of(acme, path), new_key()
    refused(await send(acme, "PATCH", path, body, key, **{"If-Match": '"old"'}), CODE, status=412)
    done = await send(acme, "PATCH", path, body, key, **{"If-Match": tag})
    assert done.status_code == 200
    assert "Idempotent-Replayed" not in done.headers
