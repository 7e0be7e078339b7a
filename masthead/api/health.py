"""Whether the service runs, and whether it can work."""

import asyncio
from contextlib import suppress

from starlette.requests import Request

from masthead.api.http.asgi import Reply
from masthead.api.http.codec import error_reply, reply
from masthead.model.errors import Unavailable
from masthead.model.resources import Health
from masthead.store.engine.database import require_version
from masthead.store.engine.interface import Database, DatabaseError

READY_SECONDS = 1.5  # that a probe may take; the answer comes within 2 seconds


async def health(_request: Request) -> Reply:
    """200 as soon as start-up has succeeded; asks nobody."""
    return reply(Health(status="ok"))


async def ready(request: Request) -> Reply:
    """200 if the database can be read and written now and has the right version, else 503."""
    probe: Probe = request.app.state.probe
    try:
        await probe.prove()
    except DatabaseError as reason:
        return error_reply(Unavailable(str(reason).rstrip(".")))
    except Unavailable as reason:
        return error_reply(reason)
    return reply(Health(status="ready"))


class Probe:
    """Asks the database whether it works; concurrent callers share the answer."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._asking: asyncio.Task[None] | None = None

    async def prove(self) -> None:
        """Raises: Unavailable if it does not, or does not say so in time; DatabaseError."""
        if self._asking is None or self._asking.done():
            self._asking = asyncio.create_task(self._ask())
            self._asking.add_done_callback(_take_note)
        done, _ = await asyncio.wait({self._asking}, timeout=READY_SECONDS)
        if not done:
            raise Unavailable
        await self._asking

    async def _ask(self) -> None:
        await require_version(self._db)
        await self._db.probe_write()


def _take_note(asking: asyncio.Task[None]) -> None:
    """Retrieve the outcome, because asyncio logs errors that are not retrieved."""
    with suppress(asyncio.CancelledError):
        asking.exception()
