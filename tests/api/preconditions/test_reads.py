"""GET with `If-None-Match`: 304 if, and only if, the answer is the one that the client has."""

import re
from collections.abc import Awaitable, Callable
from datetime import date, timedelta
from functools import partial
from typing import Any

import pytest

from masthead.api.http.response import JsonResponse
from masthead.api.preconditions import reads
from masthead.api.preconditions.entity_tags import entity_tag
from masthead.api.preconditions.reads import ConditionalReads
from masthead.api.routes import ROUTES
from masthead.model.clock import now
from masthead.services import sources
from masthead.store.accounts import update_daily_date
from masthead.store.engine.interface import Parameters
from tests.api.preconditions.test_entity_tags import request_with
from tests.conftest import BY, Cast, Client
from tests.support.billing import bill_one, turn_on_billing
from tests.support.factories import (
    make_claim,
    make_delivery_report,
    make_dispatch,
    make_issue,
    make_membership,
    make_subscription,
    plan_address,
)
from tests.support.keyed_requests import REQUESTS, send
from tests.support.read_model import render_all
from tests.support.subscribers import merge

GETS = [route.path for route in ROUTES if route.method == "GET"]
ISSUES = "/v1/issues/"


async def get_if_changed(cast: Cast, path: str, tag: str) -> tuple[int, bytes]:
    """Status and body of a GET request of a client that has an answer with this tag."""
    response = await cast.client.get(path, key=cast.key, headers={"If-None-Match": tag})
    assert response.status_code in (200, 304, 404), response.text
    if response.status_code == 304:
        assert response.headers["ETag"]
        assert "Content-Length" not in response.headers
        assert "Content-Type" not in response.headers  # a cache would take it for the body's
    return response.status_code, response.content


async def paths_of(cast: Cast) -> list[str]:
    """A path for each route with GET, of the newest record.

    Those of sandboxes refuse accounts with real time.
    """
    found = []
    is_sandbox = "sandbox_day" in (await cast.get("/v1/me/")).json()
    for path in GETS:
        if path.startswith("/v1/sandbox/") and not is_sandbox:
            continue
        collection, *rest = re.split(r"\{\w+\}", path)
        if not rest:
            found.append(path)
            continue
        items = (await cast.get(collection)).json()["items"]
        found += [f"{collection}{item['id']}{rest[0]}" for item in items[:1]]
    (subscriber, *_) = (await cast.get("/v1/subscribers/")).json()["items"]
    query = f"?subscriber={subscriber['id']}"
    return [path + (query if path.endswith("/why/") else "") for path in found]


async def answers(cast: Cast, paths: list[str]) -> dict[str, tuple[str, bytes]]:
    """Tag and body of each path, asked for without a condition."""
    found = {}
    for path in paths:
        response = await cast.get(path)
        assert response.status_code in (200, 404), response.text
        found[path] = response.headers.get("ETag", ""), response.content
    return found


async def check_after(cast: Cast, write: Callable[[], Awaitable[object]]) -> int:
    """Check that each path gets 304 after a write if its answer is the same, and only then.

    Returns how many answers the write has changed.
    """
    paths = await paths_of(cast)
    before = await answers(cast, paths)
    for path, (tag, _) in before.items():
        for _ in range(2):  # the second time, the worker knows the answer
            assert await get_if_changed(cast, path, tag) == (304, b"")
    await write()
    changed = 0
    after = await answers(cast, paths)
    for path, (tag, body) in before.items():
        new_tag, new_body = after[path]
        assert (tag == new_tag) is (body == new_body), path
        changed += tag != new_tag
        expected = (304, b"") if tag == new_tag else (200 if new_tag else 404, new_body)
        assert await get_if_changed(cast, path, tag) == expected, path
    return changed


async def fill(cast: Cast) -> None:
    """Let the account have a record of each kind."""
    await make_issue(cast, 51, name="Fifty-one")
    reported = await make_subscription(cast, start_issue=51, email="r@x.test")
    await make_delivery_report(cast, reported["id"])
    await make_claim(cast, await make_subscription(cast, start_issue=51, email="c@x.test"))
    other = await make_issue(cast, 52, name="Fifty-two")
    await make_dispatch(cast, other["id"])
    await make_membership(cast)


@pytest.mark.parametrize("operation", REQUESTS)
async def test_after_each_write_only_what_it_has_changed_is_sent_again(
    operation: str, acme: Cast
) -> None:
    is_of_sandbox = "/sandbox/" in operation  # an account is one before its first request
    if not is_of_sandbox:
        await fill(acme)
    path, body = await REQUESTS[operation](acme)
    if is_of_sandbox:
        await fill(acme)
    method = operation.partition(" ")[0]

    async def write() -> None:
        response = await send(acme, method, path, body, None)
        assert response.status_code in (200, 201), response.text

    assert await check_after(acme, write) > 0


async def rename_source(cast: Cast) -> None:
    await sources.rename_source(cast.db, cast.account_id, cast.shop, name="Kiosk", by=BY)


async def deactivate_source(cast: Cast) -> None:
    await sources.set_source_active(cast.db, cast.account_id, cast.shop, is_active=False, by=BY)


async def merge_subscribers(cast: Cast) -> None:
    first, second, *_ = (await cast.get("/v1/subscribers/")).json()["items"]
    await merge(cast, first["id"], second["id"])


@pytest.mark.parametrize(
    "write", [rename_source, deactivate_source, merge_subscribers], ids=lambda each: each.__name__
)
async def test_the_same_holds_after_writes_of_the_pages(
    write: Callable[[Cast], Awaitable[None]], acme: Cast
) -> None:
    await fill(acme)
    assert await check_after(acme, lambda: write(acme)) > 0


async def test_control_an_account_whose_revision_does_not_rise_gets_old_answers(
    acme: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def stuck(*_: object) -> tuple[int, date]:
        return 7, date(2026, 1, 1)

    monkeypatch.setattr(reads, "get_revision", stuck)
    await fill(acme)
    with pytest.raises(AssertionError, match="/v1/issues/"):
        await check_after(acme, lambda: make_issue(acme, 99))


class Counted:
    """Answers of a worker that count how often they are made."""

    def __init__(self, cast: Cast) -> None:
        self.reads, self.made, self._account_id = ConditionalReads(cast.db), 0, cast.account_id

    async def make(self) -> JsonResponse:
        self.made += 1
        return JsonResponse(b"{}", tag=entity_tag(b"{}"))

    async def status(self, query: bytes = b"", tag: bytes = entity_tag(b"{}")) -> int:
        """The status of a request of a client that has the answer with this tag."""
        request = request_with(b"if-none-match", tag)
        request.query_string = query
        response = await self.reads.respond(request, self.make, account_id=self._account_id)
        return response.status


async def test_an_answer_that_the_worker_knows_is_not_made_again(acme: Cast) -> None:
    worker = Counted(acme)
    for _ in range(3):
        assert await worker.status() == 304
    assert worker.made == 1
    assert await worker.status(tag=b'"another"') == 200
    await make_issue(acme)  # the revision of the account rises
    assert await worker.status() == 304
    assert worker.made == 3


async def test_on_another_day_an_answer_is_made_again(acme: Cast) -> None:
    worker = Counted(acme)
    assert await worker.status() == 304
    tomorrow = now().date() + timedelta(days=1)
    await acme.db.write(partial(update_daily_date, account_id=acme.account_id, day=tomorrow))
    assert await worker.status() == 304
    assert worker.made == 2


async def test_the_answer_that_was_not_asked_for_the_longest_is_forgotten(
    acme: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reads, "MAX_KNOWN", 2)
    worker = Counted(acme)
    for query in (b"limit=1", b"limit=2", b"limit=1", b"limit=3"):
        await worker.status(query)
    assert worker.made == 3
    await worker.status(b"limit=1")
    assert worker.made == 3
    await worker.status(b"limit=2")
    assert worker.made == 4


async def test_answers_to_long_query_strings_are_not_kept(acme: Cast) -> None:
    worker = Counted(acme)
    for _ in range(2):
        assert await worker.status(b"search=" + b"x" * 500) == 304
    assert worker.made == 2


async def test_304_takes_one_query(acme: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = list[str]()
    async with acme.db.read() as connection, acme.db.read(aside=True) as aside:
        kinds = {type(acme.db), type(connection), type(aside)}

    def recorded(fetch: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        async def record(self: Any, sql: str, parameters: Parameters) -> Any:
            if "api_key" not in sql and asked[-1:] != [sql]:  # one method may call the other
                asked.append(sql)
            return await fetch(self, sql, parameters)

        return record

    await fill(acme)
    await turn_on_billing(acme)
    invoice = await bill_one(acme)
    await acme.post("/v1/payments/", {"amount": "10", "payer": invoice.payer_id})
    await plan_address(acme, (await make_subscription(acme))["id"], 60)
    await render_all(acme)
    for path in await paths_of(acme):
        tag = (await acme.get(path)).headers["ETag"]
        assert await get_if_changed(acme, path, tag) == (304, b"")  # now the worker knows it
        with monkeypatch.context() as patched:
            for kind in kinds:
                for name in ("fetch_all", "fetch_one"):
                    patched.setattr(kind, name, recorded(getattr(kind, name)))
            assert await get_if_changed(acme, path, tag) == (304, b"")
        assert len(asked) <= 1, (path, asked)
        asked.clear()


async def test_a_star_matches_what_exists(acme: Cast) -> None:
    assert await get_if_changed(acme, ISSUES, "*") == (304, b"")
    path = f"{ISSUES}UNKNOWN/"
    response = await acme.client.get(path, key=acme.key, headers={"If-None-Match": "*"})
    assert response.status_code == 404
    assert "ETag" not in response.headers


async def test_a_malformed_header_is_ignored(acme: Cast) -> None:
    assert (await get_if_changed(acme, ISSUES, "abc"))[0] == 200


async def test_other_accounts_queries_and_paths_are_other_answers(acme: Cast, rival: Cast) -> None:
    await make_issue(acme, 1)
    tag = (await acme.get(ISSUES)).headers["ETag"]
    for _ in range(2):
        assert (await get_if_changed(acme, ISSUES, tag))[0] == 304
        assert (await get_if_changed(rival, ISSUES, tag))[0] == 200
        assert (await get_if_changed(acme, "/v1/copies/", tag))[0] == 200
    assert (await get_if_changed(acme, f"{ISSUES}?limit=1", tag))[0] == 304  # the same bytes


async def test_head_gets_the_tag_and_304(acme: Cast) -> None:
    await make_issue(acme, 1)
    tag = (await acme.get(ISSUES)).headers["ETag"]
    response = await acme.client.request("HEAD", ISSUES, key=acme.key)
    assert response.headers["ETag"] == tag
    response = await acme.client.request(
        "HEAD", ISSUES, key=acme.key, headers={"If-None-Match": tag}
    )
    assert response.status_code == 304


async def test_a_condition_comes_after_the_checks_of_the_request(
    client: Client, acme: Cast
) -> None:
    headers = {"If-None-Match": "*"}
    assert (await client.get(ISSUES, headers=headers)).status_code == 401
    for query in ("?page=2", "?cursor=x", "?limit=0"):
        response = await client.get(ISSUES + query, key=acme.key, headers=headers)
        assert response.status_code == 400
        assert "ETag" not in response.headers


async def test_the_public_status_has_a_tag_too(client: Client, acme: Cast) -> None:
    await make_issue(acme)
    path = f"/v1/subscriptions/{(await make_subscription(acme))['id']}/status/"
    tag = (await client.get(path)).headers["ETag"]
    response = await client.get(path, headers={"If-None-Match": tag})
    assert response.status_code == 304
    await acme.post(path.replace("status", "cancel"), {"mode": "cancel"})
    response = await client.get(path, headers={"If-None-Match": tag})
    assert response.json() == {"status": "Cancelled"}
