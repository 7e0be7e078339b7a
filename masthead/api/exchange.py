"""One request as it comes in, and its reply as it goes out: bytes and headers, no more."""

import asyncio
import re
import secrets
from collections.abc import Callable
from urllib.parse import unquote_to_bytes

from starlette.requests import ClientDisconnect
from starlette.types import Message, Receive, Scope, Send

from masthead.api.limits import BODY_SECONDS, MAX_BODY
from masthead.model.errors import Invalid, PayloadTooLarge

REQUEST_ID = re.compile(rb"[A-Za-z0-9._-]{1,128}")
JSON = (b"content-type", b"application/json")

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


class Exchange:
    """One request and its answer, as they pass.

    id: the request's id, the client's own if it is fit to be one.
    path: as text, in which a slash that was percent-encoded stays so: it parts nothing.
    is_unread: whether some of the body is still to come.
    on_start: is called as soon as the answer begins.
    """

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._receive, self._send = receive, send
        self.method: str = scope["method"]
        self.path = _path(scope)
        self.query_string: bytes = scope["query_string"]
        self.lines: list[tuple[bytes, bytes]] = scope["headers"]
        self.headers = dict(self.lines)
        given = self.headers.get(b"x-request-id")
        is_usable = given is not None and REQUEST_ID.fullmatch(given)
        self.id = given.decode() if given and is_usable else secrets.token_hex(16)
        self.length = self.headers.get(b"content-length", b"0")
        self.is_unread = self.length != b"0" or b"transfer-encoding" in self.headers
        self.has_started = False
        self.on_start: Callable[[], None] = lambda: None

    def refuse_oversized(self) -> None:
        """Raises: PayloadTooLarge if the body is said to be over the limit."""
        if self.length.isdigit() and int(self.length[:20]) > MAX_BODY:
            raise PayloadTooLarge(MAX_BODY)

    async def receive(self) -> Message:
        """The next part of the request."""
        message = await self._receive()
        self.is_unread = self.is_unread and message.get("more_body", False)
        return message

    async def send(self, message: Message) -> None:
        """Pass on a part of the answer, with the headers that every answer has."""
        if message["type"] == "http.response.start":
            self.has_started = True
            self.on_start()
            own = [(b"x-request-id", self.id.encode())]
            if all(name != b"cache-control" for name, _ in message["headers"]):
                own.append((b"cache-control", b"no-store"))
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


async def read_bytes(exchange: Exchange, seconds: float = BODY_SECONDS) -> bytes:
    """The body, counted as it comes in. Raises: PayloadTooLarge; Invalid if it takes too long."""
    body, is_all = bytearray(), False
    try:
        async with asyncio.timeout(seconds):
            while not is_all:
                message = await exchange.receive()
                if message["type"] == "http.disconnect":
                    raise ClientDisconnect
                body += message.get("body", b"")
                is_all = not message.get("more_body", False)
                if len(body) > MAX_BODY:
                    raise PayloadTooLarge(MAX_BODY)
    except TimeoutError:
        raise Invalid(
            f"The body had not arrived after {seconds:.0f} seconds; send it again.",
            code="invalid_json",
        ) from None
    return bytes(body)
