"""A client disconnects during its request: a read is cancelled, a write is not."""

import asyncio
import gc
import weakref
from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.responses import StreamingResponse
from starlette.types import Message, Receive, Scope, Send

from masthead.api.http.middleware import ApiMiddleware, is_slow_read
from masthead.api.http.request import PIECE_BYTES, HttpRequest
from masthead.api.http.response import JsonResponse
from masthead.serving import disconnects, requests
from masthead.serving.requests import ActiveRequests
from tests.api.http.test_request import http_scope, saying
from tests.conftest import Cast

ALL: Message = {"type": "http.request", "body": b"", "more_body": False}
LEFT: Message = {"type": "http.disconnect"}


@pytest.fixture(autouse=True)
def watchful(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each read is watched for disconnects from its start."""
    monkeypatch.setattr(disconnects, "WATCH_SECONDS", 0.0)


class Request:
    """A request to a service whose response waits for a signal."""

    def __init__(self, cast: Cast, method: str, receive: Receive) -> None:
        self.is_asked, self.may_answer = asyncio.Event(), asyncio.Event()
        self.sent: list[Message] = []
        self._receive = receive
        self._scope = http_scope(cast, method) | {"query_string": b"limit=50"}
        self._scope["app"] = SimpleNamespace(state={"router": self})

    async def handle(self, request: HttpRequest) -> JsonResponse | None:
        self.handled = weakref.ref(request)
        self.is_asked.set()
        await self.may_answer.wait()
        return JsonResponse(b"{}")

    async def _send(self, message: Message) -> None:
        self.sent.append(message)

    async def run(self) -> None:
        await ApiMiddleware(_page, ActiveRequests(1), is_https=False)(
            self._scope, self._receive, self._send
        )


async def _page(scope: Scope, receive: Receive, send: Send) -> None:
    """A page that is sent in two parts, the second after the client has disconnected."""
    await send({"type": "http.response.start", "status": 200, "headers": []})
    while (await receive())["type"] != "http.disconnect":
        pass
    await send({"type": "http.response.body", "body": b""})


@pytest.mark.parametrize("method", ["GET", "HEAD"])
async def test_a_read_is_cancelled_when_its_client_disconnects(acme: Cast, method: str) -> None:
    request = Request(acme, method, saying(ALL, LEFT))
    async with asyncio.timeout(10):
        await request.run()
    assert request.is_asked.is_set()
    assert request.sent == []


async def test_a_write_is_completed_even_if_its_client_disconnects(acme: Cast) -> None:
    request = Request(acme, "POST", saying(ALL, LEFT))
    running = asyncio.create_task(request.run())
    await request.is_asked.wait()
    await asyncio.sleep(0.05)  # time for a watcher, although there should be none
    request.may_answer.set()
    await running
    assert [message["type"] for message in request.sent] == [
        "http.response.start",
        "http.response.body",
    ]


async def test_a_read_whose_client_waits_is_answered(acme: Cast) -> None:
    request = Request(acme, "GET", saying(ALL))
    running = asyncio.create_task(request.run())
    await request.is_asked.wait()
    await asyncio.sleep(0.05)  # for the watcher to begin
    request.may_answer.set()
    await running
    assert request.sent[0]["status"] == 200


async def test_a_read_that_is_cancelled_for_another_reason_stays_cancelled(acme: Cast) -> None:
    request = Request(acme, "GET", saying(ALL))
    running = asyncio.create_task(request.run())
    await request.is_asked.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running


async def test_after_the_response_starts_the_page_notices_the_disconnect_itself(
    acme: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def no_route(self: Any, _request: HttpRequest) -> None:
        self.is_asked.set()
        await asyncio.sleep(0.05)  # for the watcher to begin

    monkeypatch.setattr(Request, "handle", no_route)
    left: list[Message] = [ALL]

    async def receive() -> Message:
        if left:
            return left.pop()
        await asyncio.sleep(0.1)
        return LEFT

    request = Request(acme, "GET", receive)
    async with asyncio.timeout(10):
        await request.run()
    assert [message["type"] for message in request.sent] == [
        "http.response.start",
        "http.response.body",
    ]


@pytest.mark.parametrize(
    "method, path, query, is_watched",
    [
        ("GET", "/v1/subscribers/", b"search=ada", True),
        ("GET", "/desk/acme/", b"", True),
        ("GET", "/v1/me/", b"", False),
        ("POST", "/v1/issues/", b"", False),
        ("POST", "/desk/acme/issues/", b"", False),
    ],
)
def test_only_reads_that_may_be_slow_are_watched(
    acme: Cast, method: str, path: str, query: bytes, is_watched: bool
) -> None:
    scope = http_scope(acme, method, path) | {"query_string": query}
    request = HttpRequest(scope, saying(), _ignore, ActiveRequests(1))
    assert is_slow_read(request) is is_watched


async def _ignore(_message: Message) -> None:
    """Send nothing."""


async def test_a_read_is_freed_without_the_garbage_collector(acme: Cast) -> None:
    request = Request(acme, "GET", saying(ALL))
    request.may_answer.set()
    gc.disable()
    try:
        await request.run()
        await asyncio.sleep(0.001)  # the cancelled timer of the watch is due before this one
        assert request.handled() is None
    finally:
        gc.enable()


async def test_a_download_ends_when_its_client_disconnects(acme: Cast) -> None:
    parts = iter([bytes(PIECE_BYTES)] * 1_000)

    async def read() -> AsyncIterator[bytes]:
        for part in parts:
            yield part  # without a pause, and sends to this client have none either

    scope = http_scope(acme, "GET")
    request = HttpRequest(scope, saying(LEFT), _ignore, ActiveRequests(1))
    await StreamingResponse(read())(scope, request.receive, request.send)
    assert len(list(parts)) > 900


async def test_a_download_is_sent_in_pieces_and_a_client_that_receives_none_is_dropped(
    acme: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    active_requests, peer, sent = ActiveRequests(1), ("10.0.0.1", "1"), list[bytes]()
    monkeypatch.setattr(requests, "SEND_SECONDS", -1.0)

    async def send(message: Message) -> None:
        sent.append(message.get("body", b""))
        assert active_requests.peers_to_drop() == ([peer] if message.get("more_body") else [])

    scope = http_scope(acme, "GET") | {"client": peer}
    request = HttpRequest(scope, saying(), send, active_requests)
    content = bytes(range(256)) * 1024
    await StreamingResponse(iter([content, content]))(scope, request.receive, request.send)
    assert b"".join(sent) == content * 2
    assert max(map(len, sent)) == PIECE_BYTES
    assert active_requests.peers_to_drop() == []
