"""One HTTP request: its headers, and the ASGI messages that it receives and sends."""

import asyncio
import re
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from random import getrandbits
from urllib.parse import unquote_to_bytes

from starlette.types import Message, Receive, Scope, Send

from masthead.api.http.response import (
    ANY_ORIGIN,
    CLOSE,
    HTTPS_ONLY,
    NO_SNIFFING,
    NO_STORE,
    Headers,
    JsonResponse,
    in_accepted_coding,
)
from masthead.metrics.requests import DISCONNECTED, OTHER
from masthead.model.errors import Invalid, PayloadTooLarge, Unavailable
from masthead.serving import requests
from masthead.serving.connections import Peer
from masthead.serving.requests import BODY_SECONDS, MAX_BODY, PAGES, ActiveRequests

REQUEST_ID = re.compile(rb"[A-Za-z0-9._-]{1,128}")
TRACE_PARENT = re.compile(rb"(?!ff)[0-9a-f]{2}-((?!0{32})[0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}")
HOST = re.compile(rb"[\w.~!$&'()*+,;=%:\[\]-]+", re.ASCII)
ONE_HOST = "The request needs exactly one `Host` header with the name of a host."
NO_PEER = ("", "")
DISCARD_SECONDS = 2.0  # for the rest of a body that no handler reads
PIECE_BYTES = 64 * 1024  # of a stream; the server keeps several until the client has received them
MAX_PATH = 2_048  # characters; there is nothing at longer ones
MAX_ENCODED_PATH = 3 * MAX_PATH  # bytes; longer ones are not decoded
MAX_SHOWN = 32  # characters of a part of a path in the log
OLD_VERSIONS = ("1", "1.0")  # versions of HTTP that do not require a Host


class HttpRequest:
    """One request, with methods to read its body and to answer it.

    active_requests: counts the request until it is answered. is_https: whether browsers reach the
    service over https; a proxy may also say so for a single request.
    id: the request's id; the client's own if it has the right form.
    peer: the network address at the other end of the connection.
    operation, account: what it is about, once that is known; for logs and metrics.
    status: of the response. endpoint: of another application that answered it.
    path: as text. A percent-encoded slash stays encoded, so that it does not separate segments.
    raw_headers: all of them, in order; `headers` has the last of each name.
    has_repeated_names: whether several headers have the same name.
    has_unread_body: whether a part of the body has not been received yet.
    on_response_start: called when the response starts.
    allows_any_origin: whether scripts on the pages of any site can read the response.
    rate_limits: headers that say how many requests the API key has left; empty without a limit.
    """

    def __init__(
        self,
        scope: Scope,
        receive: Receive,
        send: Send,
        active_requests: ActiveRequests,
        *,
        is_https: bool = False,
    ) -> None:
        self._receive, self._send, self._active_requests = receive, send, active_requests
        self._peer: Peer = scope.get("client") or NO_PEER  # granian gives the port as text
        self._body_bytes = 0
        self.method: str = scope["method"]
        raw: bytes | None = scope.get("raw_path")
        self.path: str = scope["path"] if raw and b"%" not in raw else _path(scope)
        self.peer = self._peer[0]
        self.query_string: bytes = scope["query_string"]
        self.raw_headers: list[tuple[bytes, bytes]] = scope["headers"]
        self.headers = headers = dict(self.raw_headers)
        self.has_repeated_names = len(headers) != len(self.raw_headers)
        given = headers.get(b"x-request-id")
        self.id = _request_id(given) if given else _random_id()
        self._content_length = headers.get(b"content-length", b"0")
        self.has_unread_body = self._content_length != b"0" or b"transfer-encoding" in headers
        self.response_started = False
        self.status, self.operation, self.account = DISCONNECTED, OTHER, ""
        self.endpoint: object = None
        self.allows_any_origin = False
        self.rate_limits: Headers = ()
        self._is_https = (
            is_https or scope["scheme"] == "https" or headers.get(b"x-forwarded-proto") == b"https"
        )
        self._version: str = scope["http_version"]
        self._trace_id: str = scope.get("trace_id", "")  # of our own span, if there are traces
        self.on_response_start: Callable[[], None] | None = None

    @property
    def is_preflight(self) -> bool:
        """Whether a browser asks, for a script on a page, what it may send to this path."""
        headers = self.headers
        return self.method == "OPTIONS" and b"access-control-request-method" in headers

    @property
    def path_for_log(self) -> str:
        """The path without what may be secret: of a page, which may be a link, its first part.

        A part that is longer than the id of a record may be a key.
        """
        parts = self.path.split("/")
        shown = parts if self.path.startswith("/v1/") else parts[:2]
        return "/".join("…" if len(part) > MAX_SHOWN else part for part in shown)

    def log_fields(self) -> dict[str, object]:
        """What log lines tell about this request: no key, no link, and nothing of its body."""
        fields: dict[str, object] = {"request_id": self.id, "operation": self.operation}
        if self.account:
            fields["account"] = self.account
        if self._trace_id:
            fields["trace_id"] = self._trace_id
        elif trace := TRACE_PARENT.fullmatch(self.headers.get(b"traceparent", b"")):
            fields["trace_id"] = trace[1].decode()
        return fields

    def header_values(self, name: bytes) -> list[bytes]:
        """The values of all headers of this name."""
        if name not in self.headers:
            return []
        if not self.has_repeated_names:
            return [self.headers[name]]
        return [value for key, value in self.raw_headers if key == name]

    def begin(self) -> None:
        """Check the headers and count the request. `finish` must be called in any case.

        Raises: PayloadTooLarge if the announced length of the body is over the limit of the API;
        Invalid if there is not exactly one Host; Unavailable if there are too many requests.
        """
        host = self.headers.get(b"host", b"")  # granian adds an empty one if there is none
        if not _is_host(host) and (host or self._version not in OLD_VERSIONS):
            raise Invalid(ONE_HOST)
        if self.has_repeated_names and len(self.header_values(b"host")) > 1:
            raise Invalid(ONE_HOST)
        if self.has_unread_body:
            if self._announced_bytes() > MAX_BODY and not self.path.startswith(PAGES):
                raise PayloadTooLarge(MAX_BODY)
            if self.method not in ("GET", "HEAD"):
                return
        if self.path != "/health":
            self._active_requests.add(self._peer)

    def _announced_bytes(self) -> int:
        """The length of the body, as its header says; 0 if it says nothing."""
        return int(self._content_length[:20]) if self._content_length.isdigit() else 0

    def finish(self) -> None:
        """Stop counting the request."""
        self.on_response_start = None  # a reference cycle would keep the request in memory
        self._active_requests.remove(self._peer, self._body_bytes)

    def release_body(self, size: int) -> None:
        """Stop counting bytes of the body that are no longer in memory."""
        self._body_bytes -= size
        self._active_requests.release_body_bytes(self._peer, size)

    async def receive(self) -> Message:
        """The next part of the request. Raises: Unavailable if there are too many requests."""
        message = await self._receive()
        if self.has_unread_body:
            size = len(message.get("body", b""))
            self._body_bytes += size
            self._active_requests.add_body_bytes(self._peer, size)
            self.has_unread_body = message.get("more_body", message["type"] == "http.disconnect")
            if not self.has_unread_body:
                self._active_requests.add(self._peer)
        return message

    async def discard_body(self) -> None:
        """Receive a body that nothing has read, without keeping it, after the response.

        A connection that is closed with unread bytes is reset, and some clients then do not see
        the response. Only an announced body of at most 1 MiB is received.
        """
        if not 0 < self._announced_bytes() <= MAX_BODY:
            return
        with suppress(TimeoutError, Unavailable):
            async with asyncio.timeout(DISCARD_SECONDS):
                while self.has_unread_body:
                    message = await self.receive()
                    if message["type"] == "http.disconnect":
                        return
                    self.release_body(len(message.get("body", b"")))

    async def send(self, message: Message) -> None:
        """Pass on a part of another application's response, with the headers of all responses."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            names = {name for name, _ in message["headers"]}
            common = [each for each in self._start_response() if each[0] not in names]
            message["headers"] = [*message["headers"], *common]
        elif self.method == "HEAD":  # the Content-Length header is still that of the body
            message = {**message, "body": b""}
        if message.get("more_body"):
            await self._stream(message["body"])
        else:
            await self._send(message)

    async def _stream(self, body: bytes) -> None:
        """Send a part of a stream. It waits while the client receives nothing.

        Sends to a client that has disconnected return at once. The pause lets the task end then.
        """
        for start in range(0, len(body), PIECE_BYTES):
            piece = body[start : start + PIECE_BYTES]
            with self._active_requests.sending(self._peer):
                await self._send({"type": "http.response.body", "body": piece, "more_body": True})
            await asyncio.sleep(0)

    async def respond(self, response: JsonResponse) -> None:
        """Send a response of the API, with the headers of all responses."""
        if b"accept-encoding" in self.headers:
            response = in_accepted_coding(response, self.headers[b"accept-encoding"])
        self.status = response.status
        headers = response.all_headers()
        headers += self._start_response()
        body = b"" if self.method == "HEAD" else response.body
        await self._send(
            {"type": "http.response.start", "status": response.status, "headers": headers}
        )
        await self._send({"type": "http.response.body", "body": body})

    def _start_response(self) -> list[tuple[bytes, bytes]]:
        """Record that the response starts; returns the headers that every response has."""
        self.response_started = True
        if self.on_response_start is not None:
            self.on_response_start()
        headers = [(b"x-request-id", self.id.encode()), NO_STORE, NO_SNIFFING, *self.rate_limits]
        if self._is_https:
            headers.append(HTTPS_ONLY)
        if self.allows_any_origin:
            headers.append(ANY_ORIGIN)
        # the connection cannot be used for the next request, or should not be
        if self.has_unread_body or self._active_requests.is_draining:
            headers.append(CLOSE)
        return headers


def _request_id(given: bytes) -> str:
    """The id that the client has given if it has the right form, else a random one."""
    return given.decode() if REQUEST_ID.fullmatch(given) else _random_id()


def _random_id() -> str:
    """32 hexadecimal digits; formatting the number would take three times as long."""
    return getrandbits(128).to_bytes(16, "big").hex()


@lru_cache(maxsize=64)
def _is_host(host: bytes) -> bool:
    return HOST.fullmatch(host) is not None


def _path(scope: Scope) -> str:
    raw: bytes = scope.get("raw_path") or scope["path"].encode()
    if b"%" not in raw or len(raw) > MAX_ENCODED_PATH:
        return str(scope["path"])
    guarded = re.sub(rb"%(2f|25)", rb"%25\1", raw, flags=re.IGNORECASE)
    return unquote_to_bytes(guarded).decode(errors="replace")


async def read_body(request: HttpRequest, seconds: float = BODY_SECONDS) -> bytes:
    """The whole body. Raises: PayloadTooLarge; Invalid if it takes too long; ClientDisconnect."""
    try:
        return await requests.read_body(request.receive, seconds=seconds)
    except TimeoutError:
        raise Invalid(
            f"The body did not arrive within {seconds:.0f} seconds; send it again.",
            code="invalid_json",
        ) from None
