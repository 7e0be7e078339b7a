"""The outermost ASGI middleware: routes HTTP requests, and turns exceptions into responses."""

from collections.abc import Callable
from time import perf_counter

import structlog
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Receive, Scope, Send

from masthead.api.http.errors import (
    error_response,
    internal_error_response,
    path_not_found_response,
)
from masthead.api.http.request import MAX_PATH, HttpRequest
from masthead.api.http.response import JsonResponse
from masthead.api.router import Router
from masthead.logs import current_request
from masthead.model.errors import Invalid, MastheadError
from masthead.serving.disconnects import CancelledOnDisconnect, ClientDisconnected
from masthead.serving.requests import ActiveRequests
from masthead.serving.worker import run_lifespan

log = structlog.get_logger()

Report = Callable[[HttpRequest, float], None]  # called with each request and its seconds
READS = frozenset({"GET", "HEAD"})


def is_slow_read(request: HttpRequest) -> bool:
    """Whether a request is a read that may search or count: a page, or a list with parameters.

    Other reads take well under a millisecond; watching them would add a tenth of that.
    """
    if request.method not in READS:
        return False
    return bool(request.query_string) or not request.path.startswith("/v1/")


class ApiMiddleware:
    """Passes requests to the router of the API, and those of other paths to another application."""

    def __init__(
        self,
        app: ASGIApp,
        active_requests: ActiveRequests,
        *,
        is_https: bool,
        report: Report | None = None,
    ) -> None:
        self.app, self._active_requests, self._is_https = app, active_requests, is_https
        self._report = report

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, even if its handler raises an exception."""
        if scope["type"] != "http":
            await run_lifespan(self.app, scope, receive, send)
            return
        request = HttpRequest(scope, receive, send, self._active_requests, is_https=self._is_https)
        began, before = perf_counter(), current_request.set(request)
        try:
            request.begin()
            if is_slow_read(request):
                with CancelledOnDisconnect(request.receive) as request.on_response_start:
                    await self._route(scope, request)
            else:
                await self._route(scope, request)
        except ClientDisconnected:
            return
        except Exception as error:
            response = _response_to(error, request)
            if request.response_started:
                raise
            await request.respond(response)
        finally:
            request.finish()
            if self._report is not None:
                self._report(request, perf_counter() - began)
            current_request.reset(before)

    async def _route(self, scope: Scope, request: HttpRequest) -> None:
        """Pass the request to the API, or to the application for other paths."""
        router: Router = scope["app"].state["router"]  # as an attribute, it costs 0.3 µs more
        response = await router.handle(request)
        if response is None and len(request.path) > MAX_PATH:  # it is not compared with all pages
            response = path_not_found_response()
        if response is not None:
            await request.respond(response)
            return
        inner = {
            **scope,
            "path": request.path,
            "request_id": request.id,
            "release_body": request.release_body,
        }
        try:
            await self.app(inner, request.receive, request.send)
            if request.has_unread_body:
                await request.discard_body()
        finally:
            request.endpoint, request.account = inner.get("endpoint"), inner.get("account", "")


def _response_to(error: Exception, request: HttpRequest) -> JsonResponse:
    """The response to a request that raised an exception; an unexpected one is logged."""
    if isinstance(error, MastheadError):
        return error_response(error)
    if isinstance(error, ClientDisconnect):  # also raised for a malformed body
        log.info("request body broken", request_id=request.id, path=request.path_for_log)
        message = "The body is malformed or ended early; send the request again."
        return error_response(Invalid(message, code="invalid_json"))
    log.exception("request failed", request_id=request.id, path=request.path_for_log)
    return internal_error_response(request.id)
