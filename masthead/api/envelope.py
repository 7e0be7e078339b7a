"""Where a request enters: its id, no caching, the limit of size, and no error unanswered."""

import structlog
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Receive, Scope, Send

from masthead.api.disconnects import cancelled_on_disconnect
from masthead.api.door import Door
from masthead.api.exchange import Exchange
from masthead.api.wire import error_reply, failure_reply
from masthead.model.errors import MastheadError

log = structlog.get_logger()


class Envelope:
    """An ASGI application around the API's door and, for other paths, another application."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, whatever happens inside."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        exchange = Exchange(scope, receive, send)
        try:
            exchange.refuse_oversized()
            door: Door = scope["app"].state.door
            with cancelled_on_disconnect(exchange):
                answer = await door.answer(exchange)
                if answer is None:
                    within = {**scope, "path": exchange.path}
                    await self.app(within, exchange.receive, exchange.send)
                    return
        except MastheadError as refusal:
            answer = error_reply(refusal)
        except ClientDisconnect:
            return
        except Exception:
            log.exception("request failed", request_id=exchange.id, path=exchange.path)
            if exchange.has_started:
                raise
            answer = failure_reply(exchange.id)
        await answer(scope, exchange.receive, exchange.send)
