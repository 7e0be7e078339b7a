"""ASGI: start-up, disconnects, slow and broken connections, and the Host header."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
import structlog
from starlette.applications import Starlette
from starlette.types import Message, Receive

from masthead.api.http.request import HttpRequest, read_body
from masthead.app import create_app
from masthead.model.errors import Invalid
from masthead.serving.requests import ActiveRequests
from masthead.settings import Settings
from masthead.store.engine.interface import DatabaseError
from tests.conftest import Cast, Client, serving
from tests.support.cases import for_each
from tests.support.walk import walk


def http_scope(cast: Cast, method: str = "POST", path: str = "/v1/issues/") -> dict[str, Any]:
    """A request as a server passes it to the service."""
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": [
            (b"host", b"masthead.test"),
            (b"authorization", f"Bearer {cast.key}".encode()),
            (b"content-type", b"application/json"),
        ],
    }


def saying(*messages: Message) -> Receive:
    """The messages that the client sends, and then nothing."""
    left = iter(messages)

    async def receive() -> Message:
        for message in left:
            return message
        await asyncio.Event().wait()
        raise AssertionError("the event is never set")

    return receive


async def test_the_service_starts_and_stops_with_the_server(database_url: str) -> None:
    app = create_app(Settings(database_url=database_url), background=False)
    said: list[str] = []

    async def send(message: Message) -> None:
        said.append(message["type"])

    messages = ({"type": "lifespan.startup"}, {"type": "lifespan.shutdown"})
    await app({"type": "lifespan", "state": {}}, saying(*messages), send)
    assert said == ["lifespan.startup.complete", "lifespan.shutdown.complete"]


async def test_the_error_for_an_empty_database_names_the_migrate_command(
    empty_database: Callable[[], str],
) -> None:
    with pytest.raises(DatabaseError, match="masthead migrate"):
        async with serving(Settings(database_url=empty_database())):
            pass


async def test_a_client_that_disconnects_during_its_body_changes_nothing(
    app: Starlette, acme: Cast
) -> None:
    begun = {"type": "http.request", "body": b'{"number": 1}', "more_body": True}
    said: list[Message] = []

    async def send(message: Message) -> None:
        said.append(message)

    await app(http_scope(acme), saying(begun, {"type": "http.disconnect"}), send)
    assert said[0]["status"] == 400
    assert await walk(acme, "/v1/issues/") == []


@pytest.mark.parametrize("path", ["/v1/issues/", "/health"])
async def test_a_connection_that_breaks_during_the_response_is_handled_by_the_server(
    app: Starlette, acme: Cast, path: str
) -> None:
    async def send(message: Message) -> None:
        if message["type"] == "http.response.body":
            raise OSError("broken pipe")

    with pytest.raises(OSError, match="broken pipe"):
        await app(http_scope(acme, "GET", path), saying({"type": "http.request"}), send)


async def test_a_body_that_does_not_arrive_in_time_is_refused(acme: Cast) -> None:
    begun = {"type": "http.request", "body": b"{", "more_body": True}

    async def send(message: Message) -> None:
        raise AssertionError("nothing is answered here")

    request = HttpRequest(http_scope(acme), saying(begun), send, ActiveRequests(1))
    with pytest.raises(Invalid, match="did not arrive") as refusal:
        await read_body(request, seconds=0.01)
    assert refusal.value.code == "invalid_json"


@pytest.mark.parametrize(
    "junk, closes",
    [
        ([(b"content-length", b"2000000")], True),
        ([(b"content-length", b"13"), (b"authorization", b"Bearer junk")], True),
        ([(b"transfer-encoding", b"chunked"), (b"authorization", b"Bearer junk")], True),
        ([(b"content-length", b"13")], False),
        ([(b"content-length", b"0"), (b"authorization", b"Bearer junk")], False),
        ([(b"authorization", b"Bearer junk")], False),
    ],
)
async def test_only_a_response_before_the_body_is_read_closes_the_connection(
    app: Starlette, acme: Cast, junk: list[tuple[bytes, bytes]], closes: bool
) -> None:
    scope = http_scope(acme)
    scope["headers"] = [*junk, *scope["headers"]]
    said: list[Message] = []

    async def send(message: Message) -> None:
        said.append(message)

    await app(scope, saying({"type": "http.request", "body": b'{"number": 1}'}), send)
    assert ((b"connection", b"close") in said[0]["headers"]) is closes


async def test_a_refused_head_request_has_no_body_either(client: Client) -> None:
    for path, status in (("/nowhere", 404), ("/v1/copies/mark-sent/", 405)):
        response = await client.request("HEAD", path)
        assert (response.status_code, response.content) == (status, b"")
        assert int(response.headers["Content-Length"]) > 0


async def status_of(app: Starlette, scope: dict[str, Any], *said: Message) -> int:
    """The response to a request."""
    answers: list[Message] = []

    async def send(message: Message) -> None:
        answers.append(message)

    await app(scope, saying(*said), send)
    status: int = answers[0]["status"]
    return status


@for_each(
    "version, hosts, status",
    [
        ("1.1", [b"a.test"], 200),
        ("1.1", [], 400),
        ("1.1", [b""], 400),
        ("1.1", [b"a.test/x"], 400),
        ("1.1", [b"a.test", b"a.test"], 400),
        ("1.0", [], 200),
        ("1", [b""], 200),
        ("1", [b"a.test", b"b.test"], 400),
        ("1", [b"<a>"], 400),
    ],
)
async def test_http_1_1_requires_one_host_and_http_1_0_at_most_one(
    app: Starlette, acme: Cast, version: str, hosts: list[bytes], status: int
) -> None:
    scope = http_scope(acme, "GET", "/v1/me/") | {"http_version": version}
    scope["headers"] = [(b"host", host) for host in hosts] + scope["headers"][1:]
    assert await status_of(app, scope, {"type": "http.request"}) == status


async def test_a_header_other_than_host_may_come_twice(app: Starlette, acme: Cast) -> None:
    scope = http_scope(acme, "GET", "/v1/me/")
    scope["headers"] += [(b"accept", b"a"), (b"accept", b"b")]
    assert await status_of(app, scope, {"type": "http.request"}) == 200


async def test_the_path_of_a_malformed_form_is_logged_without_its_end(
    app: Starlette, acme: Cast
) -> None:
    scope = http_scope(acme, "POST", "/link/secret/")
    scope["headers"].append((b"content-length", b"9"))
    with structlog.testing.capture_logs() as lines:
        assert await status_of(app, scope, {"type": "http.disconnect"}) == 400
    assert [(line["event"], line["path"]) for line in lines] == [("request body broken", "/link")]


async def test_logs_tell_the_account_and_the_trace_of_a_request(acme: Cast) -> None:
    told = "4bf92f3577b34da6a3ce929d0e0e4736"
    scope = http_scope(acme)
    scope["headers"].append((b"traceparent", f"00-{told}-00f067aa0ba902b7-01".encode()))

    async def send(_message: Message) -> None:
        raise AssertionError

    def fields() -> dict[str, object]:
        request = HttpRequest(scope, saying(), send, ActiveRequests(1))
        request.account = "acme"
        return {name: value for name, value in request.log_fields().items() if name != "request_id"}

    assert fields() == {"operation": "other", "account": "acme", "trace_id": told}
    scope["trace_id"] = own = "0" * 31 + "1"  # of our own span
    assert fields() == {"operation": "other", "account": "acme", "trace_id": own}
    del scope["trace_id"], scope["headers"][-1]
    assert fields() == {"operation": "other", "account": "acme"}
