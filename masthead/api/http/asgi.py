"""One request as it comes in, and its reply as it goes out: bytes and headers, no more."""

import os
import re
from collections.abc import Callable
from urllib.parse import unquote_to_bytes

from starlette.types import Message, Receive, Scope, Send

from masthead.api.http.rate_limit import InFlight, Peer
from masthead.http_body import BODY_SECONDS, MAX_BODY, read_body
from masthead.model.errors import Invalid, PayloadTooLarge

REQUEST_ID = re.compile(rb"[A-Za-z0-9._-]{1,128}")
HOST = re.compile(rb"[\w.~!$&'()*+,;=%:\[\]-]+", re.ASCII)
ONE_HOST = "A request needs exactly one `Host` header, which names a host."
NO_PEER = ("", "")
OLD_VERSIONS = ("1", "1.0")  # of HTTP, which do not ask for a Host
JSON = (b"content-type", b"application/json")
NO_SNIFFING = (b"x-content-type-options", b"nosniff")
NO_STORE = (b"cache-control", b"no-store")
HTTPS_ONLY = (b"strict-transport-security", b"max-age=31536000")  # a year

Headers = tuple[tuple[bytes, bytes], ...]


class Reply:
    """What a request is answered with; an ASGI application, as Starlette's responses are.

    body: JSON, or empty.
    """

    __slots__ = ("body", "headers", "status")

    def __init__(self, body: bytes, status: int = 200, headers: Headers = ()) -> None:
        self.body, self.status, self.headers = body, status, headers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it."""
        headers = [(b"content-length", b"%d" % len(self.body)), *self.headers]
        if self.body:
            headers.append(JSON)
        await send({"type": "http.response.start", "status": self.status, "headers": headers})
        await send({"type": "http.response.body", "body": self.body})


class RequestCycle:
    """One request and its answer, as they pass.

    in_flight: counts it while it is answered. is_https: whether browsers reach the service over
    https; a proxy may also say so for a single request.
    id: the request's id, the client's own if it is fit to be one.
    peer: the network address at the other end of the connection.
    path: as text, in which a slash that was percent-encoded stays so: it parts nothing.
    is_unread: whether some of the body is still to come.
    on_start: is called when the response starts.
    """

    def __init__(
        self,
        scope: Scope,
        receive: Receive,
        send: Send,
        in_flight: InFlight,
        *,
        is_https: bool = False,
    ) -> None:
        self._receive, self._send, self._in_flight = receive, send, in_flight
        self._peer: Peer = scope.get("client") or NO_PEER  # granian gives the port as text
        self._held = 0
        self.method: str = scope["method"]
        self.path = _path(scope)
        self.peer = self._peer[0]
        self.query_string: bytes = scope["query_string"]
        self.lines: list[tuple[bytes, bytes]] = scope["headers"]
        self.headers = dict(self.lines)
        given = self.headers.get(b"x-request-id")
        is_usable = given is not None and REQUEST_ID.fullmatch(given)
        self.id = given.decode() if given and is_usable else os.urandom(16).hex()
        self.length = self.headers.get(b"content-length", b"0")
        self.is_unread = self.length != b"0" or b"transfer-encoding" in self.headers
        self.has_started = False
        self._is_https = (
            is_https
            or scope["scheme"] == "https"
            or self.headers.get(b"x-forwarded-proto") == b"https"
        )
        self._version: str = scope["http_version"]
        self.on_start: Callable[[], None] = lambda: None

    @property
    def logged_path(self) -> str:
        """The path for the log; outside the API without its end, which may be a secret link."""
        return self.path if self.path.startswith("/v1/") else "/".join(self.path.split("/", 2)[:2])

    def admit(self) -> None:
        """Check everything but the body, first of all.

        Raises: PayloadTooLarge if the announced length of the body is over the limit; Invalid if
        there is not exactly one Host; Unavailable if there are too many requests.
        """
        host = self.headers.get(b"host", b"")  # granian adds an empty one if there is none
        if not HOST.fullmatch(host) and (host or self._version not in OLD_VERSIONS):
            raise Invalid(ONE_HOST)
        if len(self.lines) != len(self.headers) and [n for n, _ in self.lines].count(b"host") > 1:
            raise Invalid(ONE_HOST)
        if self.length.isdigit() and int(self.length[:20]) > MAX_BODY:
            raise PayloadTooLarge(MAX_BODY)
        if self.path != "/health" and (not self.is_unread or self.method in ("GET", "HEAD")):
            self._in_flight.admit(self._peer)

    def finish(self) -> None:
        """Note that the request has been answered."""
        self._in_flight.finish(self._peer, self._held)

    async def receive(self) -> Message:
        """The next part of the request. Raises: Unavailable if there are too many requests."""
        message = await self._receive()
        if self.is_unread:
            size = len(message.get("body", b""))
            self._held += size
            self._in_flight.hold(self._peer, size)
            self.is_unread = message.get("more_body", message["type"] == "http.disconnect")
            if not self.is_unread:
                self._in_flight.admit(self._peer)
        return message

    async def send(self, message: Message) -> None:
        """Pass on a part of the answer, with the headers that every answer has."""
        if message["type"] == "http.response.start":
            self.has_started = True
            self.on_start()
            names = {name for name, _ in message["headers"]}
            own = [(b"x-request-id", self.id.encode())]
            if b"cache-control" not in names:
                own.append(NO_STORE)
            if b"x-content-type-options" not in names:
                own.append(NO_SNIFFING)
            if self._is_https:
                own.append(HTTPS_ONLY)
            if self.is_unread:  # else the client would send its next request into a closed line
                own.append((b"connection", b"close"))
            message["headers"] = [*message["headers"], *own]
        elif self.method == "HEAD":  # the headers still tell the length
            message = {**message, "body": b""}
        await self._send(message)


def _path(scope: Scope) -> str:
    raw: bytes = scope.get("raw_path") or scope["path"].encode()
    if b"%" not in raw:
        return str(scope["path"])
    guarded = re.sub(rb"%(2f|25)", rb"%25\1", raw, flags=re.IGNORECASE)
    return unquote_to_bytes(guarded).decode(errors="replace")


async def read_bytes(cycle: RequestCycle, seconds: float = BODY_SECONDS) -> bytes:
    """The body, counted as it comes in. Raises: PayloadTooLarge; Invalid if it takes too long."""
    try:
        return await read_body(cycle.receive, seconds=seconds)
    except TimeoutError:
        raise Invalid(
            f"The body had not arrived after {seconds:.0f} seconds; send it again.",
            code="invalid_json",
        ) from None
