"""Where a request enters: the checks of every request, in the one order that is decided.

Size, route, key, account, scope, query and body; the handler then meets resource and state.
decision 0008.
"""

import asyncio
import re
import uuid
from collections.abc import Iterable
from itertools import groupby
from typing import Any
from urllib.parse import unquote, unquote_to_bytes

import structlog
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import BaseRoute
from starlette.routing import Route as Path
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from masthead.api.auth import Access, Refused, authenticate
from masthead.api.call import Call
from masthead.api.limits import RateLimit
from masthead.api.routes import Route
from masthead.api.wire import (
    error_reply,
    failure_reply,
    read_body,
    read_query,
    reply,
    unknown_path,
)
from masthead.model.actors import Principal
from masthead.model.errors import (
    Invalid,
    MastheadError,
    MethodNotAllowed,
    PayloadTooLarge,
)
from masthead.model.inputs import Query
from masthead.model.values import Scope as KeyScope
from masthead.services.usage import KeyUsage
from masthead.store.connection import Database

MAX_BODY = 1024 * 1024  # bytes
BODY_SECONDS = 30.0
REQUEST_ID = re.compile(rb"[A-Za-z0-9._-]{1,128}")
NOBODY = Principal(0, "", KeyScope.READ_ONLY, "", "", "", "", True)  # calls public routes

log = structlog.get_logger()


class Envelope:
    """Around every request: its id, no caching, the limit of size, and no error unanswered."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        given = headers.get(b"x-request-id", b"")
        request_id = given if REQUEST_ID.fullmatch(given) else uuid.uuid4().hex.encode()
        has_started = False
        is_unread = headers.get(b"content-length", b"0") != b"0" or b"transfer-encoding" in headers

        async def receive_noted() -> Message:
            nonlocal is_unread
            message = await receive()
            is_unread = is_unread and message.get("more_body", False)
            return message

        async def send_signed(message: Message) -> None:
            nonlocal has_started
            if message["type"] == "http.response.start":
                has_started = True
                own = [(b"x-request-id", request_id), (b"cache-control", b"no-store")]
                if is_unread:  # else the client would send its next request into a closed line
                    own.append((b"connection", b"close"))
                message = {**message, "headers": [*message["headers"], *own]}
            await send(message)

        try:
            declared = headers.get(b"content-length", b"0")
            if declared.isdigit() and int(declared[:20]) > MAX_BODY:
                raise PayloadTooLarge(MAX_BODY)
            await self.app({**scope, "path": _path(scope)}, receive_noted, send_signed)
        except MastheadError as refusal:
            await error_reply(refusal)(scope, receive, send_signed)
        except ClientDisconnect:
            return
        except Exception:
            log.exception("request failed", request_id=request_id.decode(), path=scope["path"])
            if has_started:
                raise
            await failure_reply(request_id.decode())(scope, receive, send_signed)


def _path(scope: Scope) -> str:
    """The path as text, in which a slash that was percent-encoded stays so: it parts nothing."""
    raw: bytes = scope.get("raw_path") or scope["path"].encode()
    if b"%" not in raw:
        return str(scope["path"])
    guarded = re.sub(rb"%(2f|25)", rb"%25\1", raw, flags=re.IGNORECASE)
    return unquote_to_bytes(guarded).decode(errors="replace")


class Endpoint:
    """All routes of one path, as an ASGI application."""

    def __init__(self, routes: Iterable[Route], door: "Door") -> None:
        self.routes = {route.method: route for route in routes}
        methods = [m for name in self.routes for m in (name, "HEAD" if name == "GET" else "") if m]
        self.allowed = ", ".join(methods)
        self.door = door

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        request = Request(scope, receive)
        method = "GET" if request.method == "HEAD" else request.method
        if method not in self.routes:
            raise MethodNotAllowed(request.method, self.allowed)
        try:
            response = await self.door.answer(request, self.routes[method])
        except Refused as refused:
            response = refused.response
        except MastheadError as refusal:
            response = error_reply(refusal)
        if request.method == "HEAD":
            response.body = b""  # the headers still tell the length
        await response(scope, receive, send)


class Door:
    """Turns requests into calls of handlers, and answers into replies."""

    def __init__(
        self, db: Database, usage: KeyUsage, rate_limit: RateLimit, placeholder_domain: str
    ) -> None:
        self.db, self.usage, self.rate_limit = db, usage, rate_limit
        self.placeholder_domain = placeholder_domain

    async def answer(self, request: Request, route: Route) -> Response:
        """The reply of the route's handler. Raises: Refused, MastheadError."""
        principal, query, raw = NOBODY, Query(), b""
        if route.access is not Access.PUBLIC:
            principal = await authenticate(request, self.db, route.access)
            self.usage.note(principal)
            self.rate_limit.count(principal.key_id)
            if route.body is not None:
                raw = await read_bytes(request)
            query = read_query(request.scope["query_string"], route.query)
        body = None
        if route.body is not None and not raw and not route.needs_body:
            body = route.body()
        elif route.body is not None:
            body = read_body(raw, request.headers.get("Content-Type"), route.body)
        call: Call[Any, Any] = Call(
            db=self.db,
            principal=principal,
            path=request.scope["path"],
            id=_segment(request.path_params),
            query=query,
            body=body,
            placeholder_domain=self.placeholder_domain,
        )
        return reply(await route.handler(call), route.status)


def _segment(parameters: dict[str, str]) -> str:
    """The id in a path; what no text column can hold becomes a replacement character."""
    text = next(iter(parameters.values()), "")
    return unquote(text).replace("\0", "\N{REPLACEMENT CHARACTER}")


async def read_bytes(request: Request, seconds: float = BODY_SECONDS) -> bytes:
    """The body, counted as it comes in. Raises: PayloadTooLarge; Invalid if it takes too long."""
    body = bytearray()
    try:
        async with asyncio.timeout(seconds):
            async for chunk in request.stream():
                body += chunk
                if len(body) > MAX_BODY:
                    raise PayloadTooLarge(MAX_BODY)
    except TimeoutError:
        raise Invalid(
            f"The body had not arrived after {seconds:.0f} seconds; send it again.",
            code="invalid_json",
        ) from None
    return bytes(body)


def paths_of(routes: Iterable[Route], door: Door) -> list[BaseRoute]:
    """What the router needs: an endpoint for each path, in the order of the routes."""
    return [Path(path, Endpoint(group, door)) for path, group in groupby(routes, lambda r: r.path)]


async def wrong_method(request: Request, reason: Exception) -> Response:
    """The reply of a path outside the table to a method that it has not."""
    assert isinstance(reason, HTTPException)
    allowed = (reason.headers or {})["Allow"]
    return error_reply(MethodNotAllowed(request.method, ", ".join(sorted(allowed.split(", ")))))


async def nowhere(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer what no path matches."""
    await unknown_path()(scope, receive, send)
