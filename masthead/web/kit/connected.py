"""Cancel slow work when the client has left."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from starlette.requests import ClientDisconnect

from masthead.web.kit.context import PageContext

T = TypeVar("T")


async def while_connected(context: PageContext, work: Coroutine[Any, Any, T]) -> T:
    """The result of work that changes nothing; it is cancelled when the client disconnects.

    The middleware cancels whole pages that only read; here, their work is just awaited.
    Raises: ClientDisconnect; what the work raises.
    """
    if not context.is_post:
        return await work
    working = asyncio.create_task(work)
    leaving = asyncio.create_task(_leave(context))
    try:
        await asyncio.wait([working, leaving], return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            return working.result()
        raise ClientDisconnect
    finally:
        working.cancel()
        leaving.cancel()
        await asyncio.wait([working, leaving])


async def _leave(context: PageContext) -> None:
    """Return when the client has disconnected. The form must have been read."""
    while (await context.request.receive())["type"] != "http.disconnect":
        pass
