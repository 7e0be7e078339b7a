"""Where a request enters: its id, no caching, the limit of size, and no error unanswered."""

import structlog
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Receive, Scope, Send

from masthead.api.http.asgi import Reply, RequestCycle
from masthead.api.http.codec import error_reply, failure_reply
from masthead.api.http.disconnects import ClientLeft, cancelled_on_disconnect, may_take_long
from masthead.api.http.rate_limit import InFlight
from masthead.api.router import Router
from masthead.model.errors import Invalid, MastheadError

log = structlog.get_logger()


class ApiMiddleware:
    """An ASGI application around the API's door and, for other paths, another application."""

    def __init__(self, app: ASGIApp, in_flight: InFlight, *, is_https: bool) -> None:
        self.app, self._in_flight, self._is_https = app, in_flight, is_https

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, whatever happens inside."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        cycle = RequestCycle(scope, receive, send, self._in_flight, is_https=self._is_https)
        try:
            cycle.admit()
            if may_take_long(cycle):
                with cancelled_on_disconnect(cycle):
                    await self._route(scope, cycle)
            else:
                await self._route(scope, cycle)
        except ClientLeft:
            return
        except Exception as reason:
            refusal = _refusal(cycle, reason)
            if cycle.has_started:
                raise
            await refusal(scope, cycle.receive, cycle.send)
        finally:
            cycle.finish()

    async def _route(self, scope: Scope, cycle: RequestCycle) -> None:
        """Let the API answer, or the application for other paths."""
        router: Router = scope["app"].state.router
        answer = await router.answer(cycle)
        if answer is None:
            inner = {**scope, "path": cycle.path, "request_id": cycle.id}
            await self.app(inner, cycle.receive, cycle.send)
        else:
            await answer(scope, cycle.receive, cycle.send)


def _refusal(cycle: RequestCycle, reason: Exception) -> Reply:
    """The reply to a request that could not be answered."""
    if isinstance(reason, MastheadError):
        return error_reply(reason)
    if isinstance(reason, ClientDisconnect):  # or a broken body, which looks the same from here
        log.info("request body broken", request_id=cycle.id, path=cycle.logged_path)
        message = "The body is malformed or ended early; send the request again."
        return error_reply(Invalid(message, code="invalid_json"))
    log.exception("request failed", request_id=cycle.id, path=cycle.logged_path)
    return failure_reply(cycle.id)
