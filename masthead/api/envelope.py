"""Around every request: its id, no caching, the limit of size, and no error unanswered."""

import re
import uuid
from urllib.parse import unquote_to_bytes

import structlog
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from masthead.api.limits import MAX_BODY
from masthead.api.wire import error_reply, failure_reply
from masthead.model.errors import MastheadError, PayloadTooLarge

REQUEST_ID = re.compile(rb"[A-Za-z0-9._-]{1,128}")

log = structlog.get_logger()


class Envelope:
    """An ASGI application around another one."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, whatever happens inside."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        exchange = _Exchange(scope, receive, send)
        try:
            exchange.refuse_oversized()
            await self.app({**scope, "path": _path(scope)}, exchange.receive, exchange.send)
        except MastheadError as refusal:
            await error_reply(refusal)(scope, exchange.receive, exchange.send)
        except ClientDisconnect:
            return
        except Exception:
            log.exception("request failed", request_id=exchange.id, path=scope["path"])
            if exchange.has_started:
                raise
            await failure_reply(exchange.id)(scope, exchange.receive, exchange.send)


class _Exchange:
    """One request and its answer, as they pass. is_unread: whether some of the body is to come."""

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._receive, self._send = receive, send
        headers = dict(scope["headers"])
        given = headers.get(b"x-request-id", b"")
        self.id = given.decode() if REQUEST_ID.fullmatch(given) else uuid.uuid4().hex
        self.length = headers.get(b"content-length", b"0")
        self.is_unread = self.length != b"0" or b"transfer-encoding" in headers
        self.is_head = scope["method"] == "HEAD"
        self.has_started = False

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
            own = [(b"x-request-id", self.id.encode()), (b"cache-control", b"no-store")]
            if self.is_unread:  # else the client would send its next request into a closed line
                own.append((b"connection", b"close"))
            message = {**message, "headers": [*message["headers"], *own]}
        elif self.is_head:  # the headers still tell the length
            message = {**message, "body": b""}
        await self._send(message)


def _path(scope: Scope) -> str:
    """The path as text, in which a slash that was percent-encoded stays so: it parts nothing."""
    raw: bytes = scope.get("raw_path") or scope["path"].encode()
    if b"%" not in raw:
        return str(scope["path"])
    guarded = re.sub(rb"%(2f|25)", rb"%25\1", raw, flags=re.IGNORECASE)
    return unquote_to_bytes(guarded).decode(errors="replace")
