"""Routes a request to its handler, after the checks that all requests have in common.

The order of the checks is part of the contract (decision 0008): the size of the body (in the
middleware), route, API key, account, scope, idempotency key, query string, body and `If-Match`.
The handler then checks the resource and its state.
"""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import partial
from typing import Any

from msgspec import structs

from masthead.api.authentication import AccessDenied, Authenticator, InvalidKey
from masthead.api.context import RequestContext
from masthead.api.filters import is_empty, next_updated_since, require_right_records
from masthead.api.http.codec import (
    decode_json_body,
    decode_query_string,
    json_response,
    require_plain,
)
from masthead.api.http.paths import allowed_methods, id_text, plain_path
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
from masthead.api.route import Route, find_record, has_tag
from masthead.model.advice import OTHER_METHODS
from masthead.model.emails import Site
from masthead.model.errors import MethodNotAllowed, MissingSlash, PreconditionFailed, UnknownPath
from masthead.model.identity.api_keys import Principal
from masthead.model.identity.ip_addresses import TrustedProxies
from masthead.model.inputs import Query
from masthead.model.types.enums import Scope
from masthead.model.types.messages import similar_path
from masthead.services.identity.security_log import SecurityLog
from masthead.services.key_usage import KeyUsage
from masthead.services.webhooks.resolving import resolve
from masthead.store.engine.interface import Database

ANONYMOUS = Principal(0, "", Scope.READ_ONLY, "", "", "", "", True, None)  # on public routes
NO_QUERY = Query()


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
            self._routes.setdefault(plain_path(route.path), {})[route.method] = route
        self._open_paths = {plain_path(route.path) for route in routes if route.allows_any_origin}
        self._records = {route.name: find_record(route, routes) for route in routes}
        self._db, self._authenticator = db, Authenticator(db, usage, rate_limiter)
        self._idempotent, self._reads = IdempotentRequests(db), ConditionalReads(db)
        self._site = site
        self._security_log, self._trusted_proxies = security_log, trusted_proxies
        self._allow_private_webhooks = allow_private_webhooks

    def _match(self, path: str) -> tuple[str, str]:
        """The path of the routes that a path leads to, and the id in it; empty outside the API."""
        if path in self._routes:
            return path, ""
        parts = path.split("/", 4)  # "", v1, the resource, its id, the rest
        if len(parts) < 5 or not parts[3]:
            return "", ""
        id, parts[3] = parts[3], "{id}"
        plain = "/".join(parts)
        return (plain, id) if plain in self._routes else ("", "")

    async def handle(self, request: HttpRequest) -> JsonResponse | None:
        """The response; None for a path outside the API. Raises: MastheadError."""
        path, id = self._match(request.path)
        if not path:
            self._require_elsewhere(request.path)
            return None
        routes = self._routes[path]
        request.allows_any_origin = path in self._open_paths
        route = routes.get("GET" if request.method == "HEAD" else request.method)
        if route is None:
            if request.is_preflight and request.allows_any_origin:
                return preflight_response(allowed_methods(routes))
            raise _not_allowed(request.method, path, routes)
        request.operation = route.name
        try:
            context, keyed = await self._context(request, route, id)
        except AccessDenied as denied:
            if isinstance(denied, InvalidKey):
                self._log(request, denied)
            return denied.response
        if route.is_read:
            if not is_conditional(request):
                return await self._respond(route, context)
            # one with parameters searches, counts or lists: a revision costs less than its answer
            is_composed = route.query is not Query or route.is_composed
            has_revision = is_composed and route.follows_revision
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

    def _require_elsewhere(self, path: str) -> None:
        """Raises: MissingSlash, UnknownPath unless a path may be that of a page."""
        if self._match(path + "/")[0]:
            raise MissingSlash(path)
        if path.startswith("/v1/") and (meant := similar_path(path, self._routes)):
            raise UnknownPath(path, meant)

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
        return partial(
            respond_if_match,
            account_id=context.account_id,
            condition=condition,
            read=lambda db: self._respond(record, structs.replace(context, db=db, body=None)),
            write=write,
            is_long=route.is_long,
        )

    async def _respond(self, route: Route, context: RequestContext[Any, Any]) -> JsonResponse:
        headers = await next_updated_since(context) if route.has_moments else ()
        content = await route.handler(context)
        if route.names_records and is_empty(content):
            await require_right_records(context)
        response = json_response(content, route.status, headers)
        if route.is_read or has_tag(route, self._records[route.name]):
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
        principal, query, raw, key = ANONYMOUS, NO_QUERY, b"", None
        if not route.is_public:
            principal = await self._authenticator.authenticate(
                request, route.needed_rights, is_write=route.is_write
            )
            request.account = principal.subdomain
            if route.is_write:
                key = read_key(request)
            if route.body is not None:
                raw = await read_body(request)
                require_plain(raw, request.headers.get(b"content-encoding", b""))
            query = decode_query_string(request.query_string, route.query)
        body = None
        if route.body is not None and not raw and not route.requires_body:
            body = route.body()
        elif route.body is not None:
            media_type, currency = request.headers.get(b"content-type"), principal.currency
            body = decode_json_body(raw, media_type, route.body, currency=currency)
        context = RequestContext(
            db=self._db,
            principal=principal,
            path=request.path,
            id=id_text(id) if id else "",
            query=query,
            body=body,
            site=self._site,
            resolved=await resolve(getattr(body, "url", None) or "") if route.names_host else (),
            allow_private_webhooks=self._allow_private_webhooks,
        )
        if key is None:
            return context, None
        return context, keyed_request(principal.account_id, key, request, raw)


def _not_allowed(method: str, path: str, allowed: Iterable[str]) -> MethodNotAllowed:
    """The error of a method that a path does not have, with what to do in place of it."""
    advice = OTHER_METHODS.get(f"{method} {path}", "")
    if method == "PUT" and "PATCH" in allowed:
        advice = "PATCH changes the fields that you send."
    return MethodNotAllowed(method, allowed_methods(allowed), advice)
