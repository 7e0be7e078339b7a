"""A request with an `Idempotency-Key` is done once; a repetition gets the answer to the first."""

from typing import Any

import pytest

from masthead.api.authentication import Access
from masthead.api.route import Route
from masthead.api.routes import ROUTES
from masthead.model.types.enums import Scope
from masthead.services import keys
from tests.conftest import BY, Cast
from tests.support.expect import refused
from tests.support.factories import copies_of, make_issue, make_subscription, manual
from tests.support.keyed_requests import REQUESTS, new_key, send
from tests.support.walk import walk

WRITES = [route for route in ROUTES if route.method in ("POST", "PATCH")]
SUBSCRIPTIONS = "/v1/subscriptions/"


async def written(cast: Cast) -> list[tuple[str, int]]:
    """How many rows each table has that a write of the API adds to."""
    counts = []
    for table in ("audit", "copy", "subscription", "issue", "dispatch", "delivery_report", "claim"):
        row = await cast.db.fetch_one(
            f"SELECT count(*) AS n FROM {table} WHERE account_id = :account_id",  # noqa: S608 - our own
            {"account_id": cast.account_id},
        )
        assert row is not None
        counts.append((table, row["n"]))
    return counts


async def stored(cast: Cast) -> int:
    """How many answers of the account are stored."""
    row = await cast.db.fetch_one(
        "SELECT count(*) AS n FROM stored_answer WHERE account_id = :account_id",
        {"account_id": cast.account_id},
    )
    assert row is not None
    return int(row["n"])


def test_only_read_write_keys_can_send_what_writes() -> None:
    assert {route.access for route in WRITES} == {Access.WRITE}


@pytest.mark.parametrize("route", WRITES, ids=str)
async def test_a_repetition_gets_the_same_answer_and_changes_nothing(
    acme: Cast, route: Route
) -> None:
    path, body = await REQUESTS[str(route)](acme)
    request, key = (route.method, path, body), new_key()
    first = await send(acme, *request, key)
    assert first.status_code == route.status, first.text
    assert "Idempotent-Replayed" not in first.headers
    done = await written(acme)
    again = await send(acme, *request, key)
    assert again.headers["Idempotent-Replayed"] == "true"
    assert (again.status_code, again.content) == (first.status_code, first.content)
    assert again.headers["Content-Type"] == "application/json"
    assert await written(acme) == done
    assert await stored(acme) == 1


@pytest.mark.parametrize("route", WRITES, ids=str)
async def test_an_answer_is_the_same_with_a_key_and_without(
    acme: Cast, rival: Cast, route: Route
) -> None:
    def shape(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: shape(part) for name, part in value.items()}
        return [shape(part) for part in value] if isinstance(value, list) else type(value)

    answers = []
    for cast, key in ((acme, new_key()), (rival, None)):
        path, body = await REQUESTS[str(route)](cast)
        answers.append(await send(cast, route.method, path, body, key))
    assert shape(answers[0].json()) == shape(answers[1].json())
    assert answers[0].status_code == answers[1].status_code
    assert await stored(rival) == 0


@pytest.mark.parametrize("route", WRITES, ids=str)
async def test_a_refused_request_is_not_stored(acme: Cast, route: Route) -> None:
    path, body = await REQUESTS[str(route)](acme)
    key = new_key()
    answer = await send(acme, route.method, path, {**body, "no_such_field": 1}, key)
    refused(answer, "unknown_field")
    assert await stored(acme) == 0
    corrected = await send(acme, route.method, path, body, key)
    assert corrected.status_code == route.status, corrected.text


async def test_a_request_that_its_write_refuses_is_not_stored(acme: Cast) -> None:
    key, body = new_key(), manual(acme)
    refused(await send(acme, "POST", SUBSCRIPTIONS, body, key), "unknown_start_issue")
    await make_issue(acme)
    created = await send(acme, "POST", SUBSCRIPTIONS, body, key)
    assert created.status_code == 201
    assert "Idempotent-Replayed" not in created.headers


async def test_an_unknown_record_is_not_stored(acme: Cast) -> None:
    path = f"{SUBSCRIPTIONS}{'0' * 31}/"
    refused(await send(acme, "PATCH", path, {"notes": "x"}, new_key()), "not_found", status=404)
    assert await stored(acme) == 0


async def test_a_request_with_a_read_only_key_is_not_stored(acme: Cast) -> None:
    await make_issue(acme)
    answer = await acme.client.post(
        SUBSCRIPTIONS,
        key=acme.read_only_key,
        json=manual(acme),
        headers={"Idempotency-Key": new_key()},
    )
    refused(answer, "read_only_key", status=403)
    assert await stored(acme) == 0


async def test_a_record_that_changed_since_then_does_not_change_the_answer(acme: Cast) -> None:
    path, body = await REQUESTS["POST /v1/subscriptions/"](acme)
    key = new_key()
    first = await send(acme, "POST", path, body, key)
    await acme.patch(f"{path}{first.json()['id']}/", {"notes": "Changed"})
    assert (await send(acme, "POST", path, body, key)).content == first.content


OTHERS: dict[str, tuple[str, str, bytes]] = {
    "other value": ("POST", "/v1/issues/", b'{"number": 8}'),
    "white space": ("POST", "/v1/issues/", b'{"number":7}'),
    "more white space": ("POST", "/v1/issues/", b'{"number": 7}\n'),
    "other order": ("POST", "/v1/issues/", b'{"name": "A", "number": 7}'),
    "other path": ("POST", "/v1/copies/mark-sent/", b'{"ids": [1]}'),
}


@pytest.mark.parametrize("kind", OTHERS)
async def test_a_key_of_another_request_is_refused(acme: Cast, kind: str) -> None:
    key = new_key()
    assert (await send(acme, "POST", "/v1/issues/", b'{"number": 7}', key)).status_code == 201
    message = refused(await send(acme, *OTHERS[kind], key), "idempotency_key_reused", status=422)
    assert "byte for byte" in message
    assert [each["number"] for each in await walk(acme, "/v1/issues/")] == [7]


async def test_a_key_of_another_method_is_refused(acme: Cast) -> None:
    key, path = new_key(), f"/v1/issues/{(await make_issue(acme))['id']}/"
    assert (await send(acme, "PATCH", path, {"name": "A"}, key)).status_code == 200
    answer = await send(acme, "POST", "/v1/issues/", {"name": "A", "number": 2}, key)
    refused(answer, "idempotency_key_reused", status=422)


async def test_accounts_have_separate_keys(acme: Cast, rival: Cast) -> None:
    key = new_key()
    answers = [
        await send(cast, "POST", "/v1/issues/", {"number": 7}, key) for cast in (acme, rival)
    ]
    assert [each.status_code for each in answers] == [201, 201]
    assert answers[0].json()["id"] != answers[1].json()["id"]


async def test_another_api_key_of_the_account_gets_the_answer(acme: Cast) -> None:
    _, other = await keys.create_key(
        acme.db, acme.account_id, user=acme.owner, scope=Scope.READ_WRITE, by=BY
    )
    headers = {"Idempotency-Key": new_key()}
    answers = [
        await acme.client.post("/v1/issues/", key=key, json={"number": 7}, headers=headers)
        for key in (acme.key, other)
    ]
    assert answers[0].content == answers[1].content
    assert answers[1].headers["Idempotent-Replayed"] == "true"


async def test_a_get_ignores_the_key(acme: Cast) -> None:
    headers = {"Idempotency-Key": ""}
    for _ in range(2):
        answer = await acme.client.get("/v1/me/", key=acme.key, headers=headers)
        assert answer.status_code == 200
        assert "Idempotent-Replayed" not in answer.headers


async def test_a_key_and_personal_data_are_stored_as_digests_only(acme: Cast) -> None:
    path, body = await REQUESTS["POST /v1/subscriptions/"](acme)
    await send(acme, "POST", path, body, "ada@example.test")
    row = await acme.db.fetch_one(
        "SELECT * FROM stored_answer WHERE account_id = :account_id",
        {"account_id": acme.account_id},
    )
    assert row is not None
    assert "ada@example.test" not in repr(dict(row))


async def test_copies_are_marked_once(acme: Cast) -> None:
    await make_issue(acme)
    (copy, *_) = await copies_of(acme, (await make_subscription(acme))["id"])
    key = new_key()
    request = "POST", "/v1/copies/mark-sent/", {"ids": [copy["id"]], "date": "2026-05-03"}
    await send(acme, *request, key)
    await acme.post("/v1/copies/mark-sent/", {"ids": [copy["id"]], "date": "2026-05-04"})
    assert (await send(acme, *request, key)).json()["items"][0]["date_sent"] == "2026-05-03"
    (now, *_) = await copies_of(acme, copy["subscription_id"])
    assert now["date_sent"] == "2026-05-04"
