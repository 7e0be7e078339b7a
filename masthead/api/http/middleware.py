"""Where a request enters: its id, no caching, the limit of size, and no error unanswered."""

import structlog
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Receive, Scope, Send

from masthead.api.http.asgi import Exchange, Reply
from masthead.api.http.codec import error_reply, failure_reply
from masthead.api.http.disconnects import ClientLeft, cancelled_on_disconnect, may_take_long
from masthead.api.http.rate_limit import InFlight
from masthead.api.router import Door
from masthead.model.errors import Invalid, MastheadError

log = structlog.get_logger()


class Envelope:
    """An ASGI application around the API's door and, for other paths, another application."""

    def __init__(self, app: ASGIApp, in_flight: InFlight, *, is_https: bool) -> None:
        self.app, self._in_flight, self._is_https = app, in_flight, is_https

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, whatever happens inside."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        exchange = Exchange(scope, receive, send, self._in_flight, is_https=self._is_https)
        try:
            exchange.admit()
            if may_take_long(exchange):
                with cancelled_on_disconnect(exchange):
                    await self._route(scope, exchange)
            else:
                await self._route(scope, exchange)
        except ClientLeft:
            return
        except Exception as reason:
            refusal = _refusal(exchange, reason)
            if exchange.has_started:
                raise
            await refusal(scope, exchange.receive, exchange.send)
        finally:
            exchange.finish()

    async def _route(self, scope: Scope, exchange: Exchange) -> None:
        """Let the API answer, or the application for other paths."""
        door: Door = scope["app"].state.door
        answer = await door.answer(exchange)
        if answer is None:
            inner = {**scope, "path": exchange.path, "request_id": exchange.id}
            await self.app(inner, exchange.receive, exchange.send)
        else:
            await answer(scope, exchange.receive, exchange.send)


def _refusal(exchange: Exchange, reason: Exception) -> Reply:
    """The reply to a request that could not be answered."""
    if isinstance(reason, MastheadError):
        return error_reply(reason)
    if isinstance(reason, ClientDisconnect):  # or a broken body, which looks the same from here
        log.info("request body broken", request_id=exchange.id, path=exchange.logged_path)
        message = "The body is malformed or ended early; send the request again."
        return error_reply(Invalid(message, code="invalid_json"))
    log.exception("request failed", request_id=exchange.id, path=exchange.logged_path)
    return failure_reply(exchange.id)
