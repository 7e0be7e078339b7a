"""Whether the service runs, and whether it can work."""

from starlette.requests import Request

from masthead.api.exchange import Reply
from masthead.api.wire import error_reply, reply
from masthead.model.errors import Unavailable
from masthead.model.resources import Health
from masthead.store.connection import DatabaseError
from masthead.store.database import require_version


async def health(_request: Request) -> Reply:
    """200 as soon as start-up has succeeded; asks nobody."""
    return reply(Health(status="ok"))


async def ready(request: Request) -> Reply:
    """200 if the database answers now and has the right version, else 503."""
    try:
        await require_version(request.app.state.db)
    except DatabaseError as reason:
        return error_reply(Unavailable(str(reason).rstrip(".")))
    except Unavailable as reason:
        return error_reply(reason)
    return reply(Health(status="ready"))
