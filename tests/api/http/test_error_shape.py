"""The error responses: code, headers, and a message that names the problem."""

import gzip
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing
from typing import Any

import apsw
import asyncpg
import httpx
import pytest

from masthead.api.http.errors import STATUS, error_response
from masthead.model.errors import (
    AnswerDeleted,
    Busy,
    Erased,
    KeyReused,
    MastheadError,
    PageNotFound,
    RateLimited,
    RequestInProgress,
    TooManyAttempts,
    Unavailable,
)
from masthead.model.events.cursors import CursorExpired
from masthead.model.orders.known_subscribers import LikelyDuplicates, LikelyPayers
from masthead.settings import Settings
from masthead.store.engine.interface import Transaction, sqlite_path
from tests.conftest import Cast, Client, make_account, serving
from tests.support.cases import for_each
from tests.support.expect import refused
from tests.support.factories import make_issue, make_subscription, manual

MIB = 1024 * 1024
ISSUES = "/v1/issues/"
SUBSCRIPTIONS = "/v1/subscriptions/"
JSON = {"Content-Type": "application/json"}
ZIPPED = gzip.compress(b'{"number": 1}')
ORDER = {
    "source": "S",
    "start_issue": 1,
    "length": 4,
    "country": "DE",
    "order_id": "1",
    "order_date": "2026-01-05",
}
INNARDS = re.compile(r"traceback|sqlite|asyncpg|postgres|select |insert |\.py\b|object at", re.I)


class Refusal:
    """A request that is refused, the response, and the words in its message."""

    def __init__(
        self, code: str, status: int, method: str, path: str, *says: str, **options: Any
    ) -> None:
        self.code, self.status, self.method, self.path = code, status, method, path
        self.says, self.options = says, options

    def __str__(self) -> str:
        return f"{self.code}: {self.method} {self.path}"[:70]

    async def send(self, cast: Cast) -> httpx.Response:
        """Send the request with the key of the account, unless it has another."""
        options = {"key": cast.key, **self.options}
        if options["key"] == "read-only":
            options["key"] = cast.read_only_key
        return await cast.client.request(self.method, self.path, **options)


REFUSALS = [
    Refusal("invalid_json", 400, "POST", ISSUES, "line 1", content=b"{", headers=JSON),
    Refusal("invalid_json", 400, "POST", ISSUES, "object", json=[]),
    Refusal("unsupported_encoding", 415, "POST", ISSUES, "gzip", content=ZIPPED, headers=JSON),
    Refusal(
        "unsupported_encoding",
        415,
        "POST",
        ISSUES,
        "`br`",
        content=b'{"number": 1}',
        headers={**JSON, "Content-Encoding": "br"},
    ),
    Refusal("invalid_json", 400, "POST", ISSUES, "NaN", content=b'{"number": NaN}', headers=JSON),
    Refusal("validation_error", 400, "POST", ISSUES, "`number`", "required", json={}),
    Refusal("validation_error", 400, "POST", ISSUES, "`number`", "0", "1 to", json={"number": 0}),
    Refusal(
        "validation_error", 400, "POST", ISSUES, "`number`", '"7"', "whole", json={"number": "7"}
    ),
    Refusal(
        "validation_error",
        400,
        "PATCH",
        f"{ISSUES}1/",
        "`release_date_actual`",
        "31.12.2026",
        "YYYY-MM-DD",
        json={"release_date_actual": "31.12.2026"},
    ),
    Refusal(
        "validation_error",
        400,
        "PATCH",
        f"{SUBSCRIPTIONS}1/",
        "`country`",
        "UK",
        "`GB`",
        json={"country": "UK"},
    ),
    Refusal(
        "validation_error",
        400,
        "POST",
        f"{SUBSCRIPTIONS}1/cancel/",
        "`mode`",
        "pause",
        "`stop_renewals`",
        "`cancel`",
        json={"mode": "pause"},
    ),
    Refusal(
        "validation_error",
        400,
        "GET",
        f"{ISSUES}?limit=500",
        "`limit`",
        "500",
        "1 to 200",
        "`cursor`",
    ),
    Refusal(
        "validation_error",
        400,
        "GET",
        "/v1/copies/?status=lost",
        "`status`",
        "lost",
        "`Sent`",
        "`Not sent`",
        "`Cancelled`",
    ),
    Refusal("validation_error", 400, "POST", "/v1/copies/one/mark-sent/", "`copy_id`", "one"),
    Refusal(
        "unknown_field",
        400,
        "PATCH",
        f"{SUBSCRIPTIONS}1/",
        "`adress1`",
        "`address1`",
        json={"adress1": "x"},
    ),
    Refusal(
        "unknown_field",
        400,
        "PATCH",
        f"{SUBSCRIPTIONS}1/",
        "`status`",
        "`POST /v1/subscriptions/{id}/cancel/`",
        json={"status": "Cancelled"},
    ),
    Refusal(
        "unknown_field",
        400,
        "PATCH",
        f"{ISSUES}1/",
        "`number`",
        "cannot change",
        json={"number": 2},
    ),
    Refusal(
        "unknown_field",
        400,
        "POST",
        SUBSCRIPTIONS,
        "`email_address`",
        "Did you mean `email`?",
        json={"email_address": "ada@example.test"},
    ),
    Refusal(
        "validation_error",
        400,
        "POST",
        SUBSCRIPTIONS,
        "`price` is 42;",
        'in quotes, such as `"42.00"`',
        json=ORDER | {"price": 42.0},
    ),
    Refusal("unknown_parameter", 400, "GET", f"{ISSUES}?limt=5", "`limt`", "`limit`"),
    Refusal("unknown_parameter", 400, "GET", "/v1/me/?verbose=1", "`verbose`"),
    Refusal("invalid_cursor", 400, "GET", f"{ISSUES}?cursor=AAAA", "`cursor`", "first page"),
    Refusal("not_found", 404, "GET", f"{ISSUES}NONE/", "issue", "NONE", "list"),
    Refusal("not_found", 404, "GET", "/v1/subscribers/NONE/", "subscriber", "NONE", "list"),
    Refusal("not_found", 404, "GET", f"{SUBSCRIPTIONS}NONE/", "subscription", "NONE", "list"),
    Refusal("not_found", 404, "GET", f"{SUBSCRIPTIONS}NONE/status/", "NONE", key=None),
    Refusal("not_found", 404, "GET", "/v1/issue/", "/v1/", "slash", key=None),
    Refusal("method_not_allowed", 405, "DELETE", ISSUES, "DELETE", "GET", "POST", key=None),
    Refusal(
        "read_only_key",
        403,
        "POST",
        ISSUES,
        "read-only",
        "read-write",
        json={"number": 1},
        key="read-only",
    ),
    Refusal(
        "payload_too_large", 413, "POST", ISSUES, str(MIB), content=b" " * (MIB + 1), headers=JSON
    ),
    Refusal(
        "unsupported_media_type",
        400,
        "POST",
        ISSUES,
        "text/plain",
        "application/json",
        content=b"{}",
        headers={"Content-Type": "text/plain"},
    ),
]

each_refusal = for_each("refusal", REFUSALS, ids=str)


@each_refusal
async def test_a_refusal_is_an_api_error_with_a_code(acme: Cast, refusal: Refusal) -> None:
    response = await refusal.send(acme)
    refused(response, refusal.code, status=refusal.status)
    assert response.headers["Content-Type"] == "application/json"


@each_refusal
async def test_a_message_names_the_problem_and_the_solution(acme: Cast, refusal: Refusal) -> None:
    message = refused(await refusal.send(acme), refusal.code, status=refusal.status)
    for part in refusal.says:
        assert part in message
    assert message[0].isupper() or message[0] == "`"
    assert message.endswith((".", "?"))


@each_refusal
async def test_a_message_has_no_internal_details(acme: Cast, refusal: Refusal) -> None:
    response = await refusal.send(acme)
    assert not INNARDS.search(response.text)


# --- the state of the data ------------------------------------------------------------------------


async def test_a_duplicate_issue_number_is_named(acme: Cast) -> None:
    await make_issue(acme, number=7)
    taken = (await acme.get(ISSUES)).json()["items"][0]["id"]
    response = await acme.post(ISSUES, {"number": 7})
    message = refused(response, "duplicate_issue_number", id=taken)
    assert "`number`" in message
    assert "7" in message
    assert not INNARDS.search(message)


async def test_a_duplicate_order_id_names_the_subscription_that_has_it(acme: Cast) -> None:
    await make_issue(acme)
    first = await make_subscription(acme, order_id="1001")
    response = await acme.post(SUBSCRIPTIONS, manual(acme, order_id="1001"))
    message = refused(response, "duplicate_order_id", id=first["id"])
    assert "`order_id`" in message
    assert "1001" in message
    assert first["id"] in message
    assert not INNARDS.search(message)


async def test_the_error_for_an_invalid_source_names_the_list_of_sources(acme: Cast) -> None:
    await make_issue(acme)
    for source in ("NONE", acme.checkout, acme.inactive_source):
        message = refused(
            await acme.post(SUBSCRIPTIONS, manual(acme, source=source)), "invalid_source"
        )
        assert "`source`" in message
        assert source in message
        assert "/v1/sources/" in message


async def test_an_unknown_start_issue_is_named(acme: Cast) -> None:
    response = await acme.post(SUBSCRIPTIONS, manual(acme, start_issue=77))
    message = refused(response, "unknown_start_issue")
    assert "`start_issue`" in message
    assert "77" in message


async def test_the_error_for_a_subscription_that_does_not_recur_names_the_other_mode(
    acme: Cast,
) -> None:
    await make_issue(acme)
    path = f"{SUBSCRIPTIONS}{(await make_subscription(acme))['id']}/cancel/"
    message = refused(await acme.post(path, {"mode": "stop_renewals"}), "not_recurring")
    assert "`cancel`" in message


# --- the service itself ---------------------------------------------------------------------------


async def test_an_internal_error_is_a_500_without_details(scratch_url: str) -> None:
    async with serving(Settings(database_url=scratch_url)) as (app, client):
        cast = await make_account(client, app.state.db, "Acme")

        async def work(tx: Transaction) -> None:
            await tx.execute_many("ALTER TABLE issue RENAME TO gone", [{}])

        await cast.db.write(work)
        response = await cast.get(ISSUES)
        message = refused(response, "internal_error", status=500)
        assert response.headers["X-Request-Id"] in message
        assert response.headers["Cache-Control"] == "no-store"
        assert not INNARDS.search(message)


async def test_above_the_rate_limit_a_429_has_a_retry_after_header(scratch_url: str) -> None:
    settings = Settings(database_url=scratch_url, rate_limit=3)
    async with serving(settings) as (app, client):
        cast = await make_account(client, app.state.db, "Acme")
        for _ in range(3):
            assert (await cast.get("/v1/me/")).status_code == 200
        response = await cast.get("/v1/me/")
        message = refused(response, "rate_limited", status=429)
        assert int(response.headers["Retry-After"]) > 0
        assert "3" in message
        assert "again" in message
        other = await client.get("/v1/me/", key=cast.read_only_key)
        assert other.status_code == 200


async def test_the_rate_limit_of_an_account_counts_all_its_keys(scratch_url: str) -> None:
    settings = Settings(database_url=scratch_url, rate_limit=2, account_rate_limit=3)
    async with serving(settings) as (app, client):
        cast = await make_account(client, app.state.db, "Acme")
        rival = await make_account(client, app.state.db, "Rival")
        statuses = [
            (await client.get("/v1/me/", key=key)).status_code
            for key in (cast.key, cast.key, cast.key, cast.read_only_key)
        ]
        assert statuses == [200, 200, 429, 200]  # the refused one is not counted
        response = await client.get("/v1/me/", key=cast.read_only_key)
        message = refused(response, "rate_limited", status=429)
        assert int(response.headers["Retry-After"]) > 0
        assert message.startswith("This account may make 3 requests a minute")
        assert (await rival.get("/v1/me/")).status_code == 200


async def test_there_is_no_rate_limit_by_default(acme: Cast) -> None:
    for _ in range(300):
        assert (await acme.get("/v1/me/")).status_code == 200


@asynccontextmanager
async def out_of_reach(url: str) -> AsyncIterator[None]:
    """Block other writes to the database and, on PostgreSQL, other reads."""
    if url.startswith("sqlite:"):
        with closing(apsw.Connection(str(sqlite_path(url)))) as other:
            other.execute("BEGIN IMMEDIATE")
            yield
        return
    address, _, name = url.rpartition("/")
    server = await asyncpg.connect(f"{address}/postgres")
    try:
        await server.execute(f'ALTER DATABASE "{name}" WITH ALLOW_CONNECTIONS false')
        await server.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1", name
        )
        yield
        await server.execute(f'ALTER DATABASE "{name}" WITH ALLOW_CONNECTIONS true')
    finally:
        await server.close()


@pytest.mark.slow
async def test_an_unreachable_database_causes_a_503_until_it_is_back(scratch_url: str) -> None:
    async with serving(Settings(database_url=scratch_url)) as (app, client):
        cast = await make_account(client, app.state.db, "Acme")
        async with out_of_reach(scratch_url):
            response = await cast.post(ISSUES, {"number": 1})
            ready = await client.get("/ready")
            assert ready.status_code == 503
        message = refused(response, "unavailable", status=503)
        assert "again" in message
        assert not INNARDS.search(message)
        assert int(response.headers["Retry-After"]) > 0
        assert (await cast.post(ISSUES, {"number": 1})).status_code == 201


# --- the table of codes ---------------------------------------------------------------------------


def family(error: type[MastheadError]) -> Iterator[type[MastheadError]]:
    """All refusals that are derived from one."""
    for child in error.__subclasses__():
        yield child
        yield from family(child)


def test_every_error_has_a_status() -> None:
    only_on_pages = {LikelyDuplicates, LikelyPayers, PageNotFound}
    assert set(family(MastheadError)) - only_on_pages == set(STATUS)
    special: dict[type[MastheadError], int] = {CursorExpired: 410, Erased: 410}
    special |= {RequestInProgress: 409, AnswerDeleted: 410, KeyReused: 422}  # Idempotency-Key
    others = {error: status for error, status in STATUS.items() if special.get(error) != status}
    assert set(STATUS) - set(others) == set(special)
    assert all(status not in (409, 410, 422, 500) for status in others.values())


def test_every_429_and_503_says_when_to_try_again() -> None:
    limited = RateLimited("API key", 60, 7), TooManyAttempts(7)
    errors = (*limited, Busy(), Unavailable())
    assert {type(each) for each in errors} == {
        error for error, status in STATUS.items() if status in (429, 503)
    }
    for error in errors:
        headers = dict(error_response(error).headers)
        assert headers[b"retry-after"] == b"%d" % error.retry_after


# --- headers of every response --------------------------------------------------------------------


async def every_kind(client: Client, cast: Cast, dormant: Cast) -> list[httpx.Response]:
    """One response of each kind: successes, refusals and the two empty ones."""
    return [
        await client.get("/v1/me/", key=cast.key),
        await client.get("/v1/me/"),
        await client.get("/v1/me/", key=dormant.key),
        await client.get("/health"),
        await client.request("HEAD", "/v1/me/", key=cast.key),
        await client.get("/nothing"),
        await client.request("PUT", "/v1/me/"),
        await client.post(ISSUES, key=cast.key, json={"number": 9}),
        await client.post(ISSUES, key=cast.key, json={}),
        await client.post(ISSUES, key=cast.read_only_key, json={}),
        await client.post(ISSUES, content=b" " * (MIB + 1)),
    ]


async def test_every_response_has_a_unique_id_and_must_not_be_cached(
    client: Client, acme: Cast, dormant: Cast
) -> None:
    responses = await every_kind(client, acme, dormant)
    statuses = [response.status_code for response in responses]
    assert statuses == [200, 401, 403, 200, 200, 404, 405, 201, 400, 403, 413]
    for response in responses:
        assert response.headers["X-Request-Id"]
        assert response.headers["Cache-Control"] == "no-store"
    assert len({response.headers["X-Request-Id"] for response in responses}) == len(responses)


@pytest.mark.parametrize("id", ["abc-123", "0f1e2d3c", "a", "A" * 32, "trace_1.2"])
async def test_a_valid_request_id_of_the_client_is_kept(
    client: Client, acme: Cast, id: str
) -> None:
    for key in (acme.key, None):
        response = await client.get("/v1/me/", key=key, headers={"X-Request-Id": id})
        assert response.headers["X-Request-Id"] == id


@for_each("id", ["", " ", "a b", "é", "x" * 1000, "<script>", 'a"b', "a,b\tc", "${jndi:x}"])
async def test_an_invalid_request_id_is_replaced(client: Client, id: str) -> None:
    response = await client.get("/v1/me/", headers=[(b"X-Request-Id", id.encode())])
    given = response.headers["X-Request-Id"]
    assert given
    assert given != id
    assert re.fullmatch(r"[\w.-]+", given, re.ASCII)
