"""Where a request enters: the checks of every request, in the one order that is decided.

Size, route, key, account, scope, query and body; the handler then meets resource and state.
decision 0008.
"""

import asyncio
from collections.abc import Iterable
from itertools import groupby
from typing import Any
from urllib.parse import unquote

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute
from starlette.routing import Route as Path
from starlette.types import Receive, Scope, Send

from masthead.api.auth import Access, Refused, authenticate
from masthead.api.call import Call
from masthead.api.limits import BODY_SECONDS, MAX_BODY, RateLimit
from masthead.api.routes import Route
from masthead.api.wire import (
    error_reply,
    read_body,
    read_query,
    reply,
    unknown_path,
)
from masthead.model.actors import Principal
from masthead.model.errors import (
    Invalid,
    MethodNotAllowed,
    PayloadTooLarge,
)
from masthead.model.inputs import Query
from masthead.model.values import Scope as KeyScope
from masthead.services.usage import KeyUsage
from masthead.store.connection import Database

NOBODY = Principal(0, "", KeyScope.READ_ONLY, "", "", "", "", True)  # calls public routes


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
