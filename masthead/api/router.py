"""The checks of every request to the API, in the one order that is decided, then its handler.

Size (in the envelope), route, key, account, scope, query and body; the handler then meets resource
and state. decision 0008.
"""

import re
from collections.abc import Iterable
from typing import Any
from urllib.parse import unquote

from masthead.api.authentication import Access, Authenticator, BadKey, Refused
from masthead.api.context import RequestContext
from masthead.api.http.asgi import Reply, RequestCycle, read_bytes
from masthead.api.http.codec import read_body, read_query, reply
from masthead.api.http.rate_limit import RateLimit
from masthead.api.routes import Route
from masthead.model.actors import Principal
from masthead.model.errors import MethodNotAllowed
from masthead.model.inputs import Query
from masthead.model.ip_addresses import TrustedProxies
from masthead.model.types.enums import Scope as KeyScope
from masthead.model.types.text import MAX_TEXT
from masthead.services.identity.security_log import SecurityLog
from masthead.services.key_usage import KeyUsage
from masthead.store.engine.interface import Database

NOBODY = Principal(0, "", KeyScope.READ_ONLY, "", "", "", "", True, None)  # calls public routes


class Router:
    """Turns requests into calls of handlers, and answers into replies."""

    def __init__(
        self,
        routes: Iterable[Route],
        db: Database,
        usage: KeyUsage,
        rate_limit: RateLimit,
        placeholder_domain: str,
        security_log: SecurityLog,
        trusted_proxies: TrustedProxies,
    ) -> None:
        self._paths: dict[str, dict[str, Route]] = {}
        for route in routes:
            self._paths.setdefault(_shape(route.path), {})[route.method] = route
        self._db, self._authenticator = db, Authenticator(db, usage, rate_limit)
        self._placeholder_domain = placeholder_domain
        self._security_log, self._trusted_proxies = security_log, trusted_proxies

    def _find(self, path: str) -> tuple[dict[str, Route], str]:
        """The routes of a path by method, none if it is not the API's; and the id in it."""
        if routes := self._paths.get(path):
            return routes, ""
        parts = path.split("/", 4)  # "", v1, the resource, its id, the rest
        if len(parts) < 5 or not parts[3]:
            return {}, ""
        id, parts[3] = parts[3], "{id}"
        return self._paths.get("/".join(parts), {}), id

    async def answer(self, cycle: RequestCycle) -> Reply | None:
        """The reply to a request, None if its path is not the API's. Raises: MastheadError."""
        routes, id = self._find(cycle.path)
        if not routes:
            return None
        route = routes.get("GET" if cycle.method == "HEAD" else cycle.method)
        if route is None:
            raise MethodNotAllowed(cycle.method, _allowed(routes))
        try:
            context = await self._call(cycle, route, id)
        except Refused as refused:
            if isinstance(refused, BadKey):
                self._log(cycle, refused)
            return refused.reply
        return reply(await route.handler(context), route.status)

    def _log(self, cycle: RequestCycle, refused: BadKey) -> None:
        forwarded = [
            value.decode("latin-1") for name, value in cycle.lines if name == b"x-forwarded-for"
        ]
        self._security_log.refusal(
            "bad key",
            request_id=cycle.id,
            address=self._trusted_proxies.client_address(cycle.peer, forwarded),
            reason=refused.reason,
            **({"key": refused.prefix} if refused.prefix else {}),
        )

    async def _call(self, cycle: RequestCycle, route: Route, id: str) -> RequestContext[Any, Any]:
        """What the handler is given. Raises: Refused, MastheadError."""
        principal, query, raw = NOBODY, Query(), b""
        if route.access is not Access.PUBLIC:
            principal = await self._authenticator.admit(cycle, route.access)
            if route.body is not None:
                raw = await read_bytes(cycle)
            query = read_query(cycle.query_string, route.query)
        body = None
        if route.body is not None and not raw and not route.needs_body:
            body = route.body()
        elif route.body is not None:
            body = read_body(raw, cycle.headers.get(b"content-type"), route.body)
        return RequestContext(
            db=self._db,
            principal=principal,
            path=cycle.path,
            id=_text(id),
            query=query,
            body=body,
            placeholder_domain=self._placeholder_domain,
        )


def _shape(path: str) -> str:
    """A route's path, whatever it calls its id."""
    return re.sub(r"\{\w+\}", "{id}", path)


def _allowed(methods: Iterable[str]) -> str:
    """The methods of a path, for the header `Allow`."""
    return ", ".join(m for name in methods for m in (name, "HEAD" if name == "GET" else "") if m)


def _text(id: str) -> str:
    """The id in a path; characters that no text column can hold are replaced.

    A text that is longer than any id is truncated; no record has the truncated id either.
    """
    text = (unquote(id) if "%" in id else id)[:MAX_TEXT]
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}")
