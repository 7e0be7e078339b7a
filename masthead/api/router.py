"""Routes a request to its handler, after the checks that all requests have in common.

The order of the checks is part of the contract (decision 0008): the size of the body (in the
middleware), route, API key, account, scope, idempotency key, query string, body and `If-Match`.
The handler then checks the resource and its state.
"""

import re
from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import partial
from typing import Any
from urllib.parse import unquote

from msgspec import Struct, structs

from masthead.api.authentication import Access, AccessDenied, Authenticator, InvalidKey
from masthead.api.context import RequestContext
from masthead.api.filters import is_empty, next_updated_since, require_right_records
from masthead.api.http.codec import (
    decode_json_body,
    decode_query_string,
    json_response,
    require_plain,
)
from masthead.api.http.rate_limit import RateLimiter
from masthead.api.http.request import HttpRequest, read_body
from masthead.api.http.response import JsonResponse, preflight_response
from masthead.api.idempotency.header import read_key
from masthead.api.idempotency.requests import IdempotentRequests, KeyedRequest, keyed_request
from masthead.api.preconditions.entity_tags import (
    IF_NONE_MATCH,
    entity_tag,
    is_conditional,
    read_if_match,
)
from masthead.api.preconditions.reads import ConditionalReads
from masthead.api.preconditions.writes import respond_if_match
from masthead.model.actors import Principal
from masthead.model.errors import (
    MethodNotAllowed,
    MissingSlash,
    PreconditionFailed,
    UnknownPath,
)
from masthead.model.identity.ip_addresses import TrustedProxies
from masthead.model.identity.rights import Right
from masthead.model.inputs import Change, Creation, Query
from masthead.model.types.enums import Scope
from masthead.model.types.messages import similar_path
from masthead.model.types.text import MAX_TEXT
from masthead.services.emails.notices import Site
from masthead.services.identity.security_log import SecurityLog
from masthead.services.key_usage import KeyUsage
from masthead.services.webhooks.resolving import resolve
from masthead.store.engine.interface import Database

ANONYMOUS = Principal(0, "", Scope.READ_ONLY, "", "", "", "", True, None)  # on public routes

Handler = Callable[[RequestContext[Any, Any]], Awaitable[Struct | bytes]]


class Route(Struct, frozen=True, kw_only=True):
    """One operation of the API.

    summary: its title in the documentation. response, query, body: the structs that it returns and
    accepts; body is None if it takes none. requires_body: whether the body may not be empty.
    rights: which the key needs, beside its scope. None, for all, is only for routes without a key.
    allows_any_origin: whether scripts on the pages of any site can call it from a browser.
    is_long: whether its statements may take minutes, as in `Database.write`.
    follows_revision: whether each change of its response is a write of the account.
    names_host: whether the handler needs the IP addresses of the host in `url` of the body. They
    are looked up before its transaction, which would wait for them.
    afterwards: done before each response, also a repeated one, in transactions of its own.
    """

    method: str
    path: str
    handler: Handler
    summary: str
    response: Any
    access: Access = Access.READ
    rights: tuple[Right, ...] | None = None
    status: int = 200
    query: type[Query] = Query
    body: type[Creation | Change] | None = None
    requires_body: bool = True
    allows_any_origin: bool = False
    is_long: bool = False
    names_host: bool = False
    follows_revision: bool = True
    afterwards: Callable[[RequestContext[Any, Any]], Awaitable[object]] | None = None

    def __str__(self) -> str:
        return f"{self.method} {self.path}"

    @property
    def name(self) -> str:
        """The name of the operation: the name of its handler."""
        return self.handler.__name__


def find_record(route: Route, routes: Iterable[Route]) -> Route | None:
    """GET of the record that a route creates, reads or changes; None if there is none."""
    path = f"/v1/{route.path.split('/')[2]}/{{id}}/"
    return next(
        (each for each in routes if each.method == "GET" and _plain(each.path) == path), None
    )


def has_tag(route: Route, record: Route | None) -> bool:
    """Whether a route returns an entity tag: its response is also what GET returns afterwards."""
    return route.method == "GET" or (record is not None and record.response is route.response)


class Router:
    """Finds the route of a request, authenticates and decodes it, and calls the handler."""

    def __init__(
        self,
        routes: Sequence[Route],
        db: Database,
        usage: KeyUsage,
        rate_limiter: RateLimiter,
        site: Site,
        security_log: SecurityLog,
        trusted_proxies: TrustedProxies,
        *,
        allow_private_webhooks: bool = False,
    ) -> None:
        self._routes: dict[str, dict[str, Route]] = {}  # by path and method
        for route in routes:
            self._routes.setdefault(_plain(route.path), {})[route.method] = route
        self._records = {route.name: find_record(route, routes) for route in routes}
        self._db, self._authenticator = db, Authenticator(db, usage, rate_limiter)
        self._idempotent, self._reads = IdempotentRequests(db), ConditionalReads(db)
        self._site = site
        self._security_log, self._trusted_proxies = security_log, trusted_proxies
        self._allow_private_webhooks = allow_private_webhooks

    def _match(self, path: str) -> tuple[dict[str, Route], str]:
        """The routes of a path by method (none for a path outside the API), and the id in it."""
        if routes := self._routes.get(path):
            return routes, ""
        parts = path.split("/", 4)  # "", v1, the resource, its id, the rest
        if len(parts) < 5 or not parts[3]:
            return {}, ""
        id, parts[3] = parts[3], "{id}"
        return self._routes.get("/".join(parts), {}), id

    async def handle(self, request: HttpRequest) -> JsonResponse | None:
        """The response; None for a path outside the API. Raises: MastheadError."""
        routes, id = self._match(request.path)
        if not routes:
            if self._match(request.path + "/")[0]:
                raise MissingSlash(request.path)
            is_api = request.path.startswith("/v1/")
            if is_api and (meant := similar_path(request.path, self._routes)):
                raise UnknownPath(request.path, meant)
            return None
        request.allows_any_origin = any(route.allows_any_origin for route in routes.values())
        route = routes.get("GET" if request.method == "HEAD" else request.method)
        if route is None:
            if request.is_preflight and request.allows_any_origin:
                return preflight_response(_allowed(routes))
            raise MethodNotAllowed(request.method, _allowed(routes))
        request.operation = route.name
        try:
            context, keyed = await self._context(request, route, id)
        except AccessDenied as denied:
            if isinstance(denied, InvalidKey):
                self._log(request, denied)
            return denied.response
        if route.method == "GET":
            if not is_conditional(request):
                return await self._respond(route, context)
            # one with parameters searches, counts or lists: a revision costs less than its answer
            has_revision = route.query is not Query and route.follows_revision
            account_id = context.account_id if has_revision else None
            return await self._reads.respond(
                request, lambda: self._respond(route, context), account_id=account_id
            )
        write = self._on_condition(request, route, context)
        if keyed is None:
            response = await write(self._db)
        else:
            response = await self._idempotent.respond(keyed, write, is_long=route.is_long)
        if route.afterwards is not None:
            await route.afterwards(context)
        return response

    def _on_condition(
        self, request: HttpRequest, route: Route, context: RequestContext[Any, Any]
    ) -> Callable[[Database], Awaitable[JsonResponse]]:
        """What writes, if the record is a version that `If-Match` names.

        Raises: PreconditionFailed if the condition is not of this kind.
        """

        def write(db: Database) -> Awaitable[JsonResponse]:
            return self._respond(route, structs.replace(context, db=db))

        condition = read_if_match(request)
        if IF_NONE_MATCH in request.headers:
            raise PreconditionFailed("`If-None-Match` is only for GET; leave it out.")
        if condition is None:
            return write
        record = self._records[route.name]
        if record is None or not context.id:
            raise PreconditionFailed(
                f"`If-Match` is not possible with {route}, which changes no single record that has "
                "an `ETag`. Leave it out."
            )

        def read(db: Database) -> Awaitable[JsonResponse]:
            return self._respond(record, structs.replace(context, db=db, body=None))

        return partial(
            respond_if_match,
            account_id=context.account_id,
            condition=condition,
            read=read,
            write=write,
            is_long=route.is_long,
        )

    async def _respond(self, route: Route, context: RequestContext[Any, Any]) -> JsonResponse:
        headers = await next_updated_since(context)
        content = await route.handler(context)
        if is_empty(content):
            await require_right_records(context)
        response = json_response(content, route.status, headers)
        if route.method == "GET" or has_tag(route, self._records[route.name]):
            response.tag = entity_tag(response.body)
        return response

    def _log(self, request: HttpRequest, denied: InvalidKey) -> None:
        forwarded = [value.decode("latin-1") for value in request.header_values(b"x-forwarded-for")]
        self._security_log.refusal(
            "bad key",
            request_id=request.id,
            address=self._trusted_proxies.client_address(request.peer, forwarded),
            reason=denied.reason,
            **({"key": denied.prefix} if denied.prefix else {}),
        )

    async def _context(
        self, request: HttpRequest, route: Route, id: str
    ) -> tuple[RequestContext[Any, Any], KeyedRequest | None]:
        """The argument of the handler; the request with its idempotency key, if it has one.

        Raises: AccessDenied, MastheadError.
        """
        principal, query, raw, key = ANONYMOUS, Query(), b"", None
        if route.access is not Access.PUBLIC:
            principal = await self._authenticator.authenticate(request, route.access, route.rights)
            request.account = principal.subdomain
            if route.access is Access.WRITE:
                key = read_key(request)
            if route.body is not None:
                raw = await read_body(request)
                require_plain(raw, request.headers.get(b"content-encoding", b""))
            query = decode_query_string(request.query_string, route.query)
        body = None
        if route.body is not None and not raw and not route.requires_body:
            body = route.body()
        elif route.body is not None:
            body = decode_json_body(raw, request.headers.get(b"content-type"), route.body)
        context = RequestContext(
            db=self._db,
            principal=principal,
            path=request.path,
            id=_id_text(id) if id else "",
            query=query,
            body=body,
            site=self._site,
            resolved=await resolve(getattr(body, "url", None) or "") if route.names_host else (),
            allow_private_webhooks=self._allow_private_webhooks,
        )
        if key is None:
            return context, None
        return context, keyed_request(principal.account_id, key, request, raw)


def _plain(path: str) -> str:
    """The path of a route with the same name for each id."""
    return re.sub(r"\{\w+\}", "{id}", path)


def _allowed(methods: Iterable[str]) -> str:
    """The methods of a path, for the header `Allow`."""
    return ", ".join(m for name in methods for m in (name, "HEAD" if name == "GET" else "") if m)


def _id_text(id: str) -> str:
    """The id in a path; characters that no text column can hold are replaced.

    A text that is longer than any id is truncated; no record has the truncated id either.
    """
    text = (unquote(id) if "%" in id else id)[:MAX_TEXT]
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}")
