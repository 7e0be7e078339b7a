"""`GET /health` and `GET /ready`: whether the service runs, and whether the database works."""

import asyncio
from contextlib import suppress

from msgspec import Struct
from starlette.requests import Request

from masthead.api.http.codec import json_response
from masthead.api.http.errors import error_response
from masthead.api.http.response import JsonResponse
from masthead.model.errors import Unavailable
from masthead.store.engine.database import require_version
from masthead.store.engine.interface import Database, DatabaseError

READY_SECONDS = 1.5  # that a probe may take; the response comes within 2 seconds


class Health(Struct, frozen=True):
    """The state of the service."""

    status: str


async def health(_request: Request) -> JsonResponse:
    """200 as soon as the service has started; does not use the database."""
    return json_response(Health(status="ok"))


async def ready(request: Request) -> JsonResponse:
    """200 if the database can be read and written and has the right version, else 503."""
    probe: DatabaseProbe = request.app.state.probe
    try:
        await probe.check()
    except DatabaseError as error:
        return error_response(Unavailable(str(error).rstrip(".")))
    except Unavailable as error:
        return error_response(error)
    return json_response(Health(status="ready"))


class DatabaseProbe:
    """Checks whether the database works; concurrent callers share one check."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._running: asyncio.Task[None] | None = None

    async def check(self) -> None:
        """Raises: Unavailable if the database does not work, or not in time; DatabaseError."""
        if self._running is None or self._running.done():
            self._running = asyncio.create_task(self._use_database())
            self._running.add_done_callback(_retrieve_exception)
        done, _ = await asyncio.wait({self._running}, timeout=READY_SECONDS)
        if not done:
            raise Unavailable
        await self._running

    async def _use_database(self) -> None:
        await require_version(self._db)
        await self._db.probe_write()


def _retrieve_exception(task: asyncio.Task[None]) -> None:
    """Retrieve a task's exception, because asyncio logs exceptions that are not retrieved."""
    with suppress(asyncio.CancelledError):
        task.exception()
