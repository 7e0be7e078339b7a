"""Following events: each once they are handled, also after a restart."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator

from masthead_client.connection import AsyncConnection, Connection
from masthead_client.lists import Page
from masthead_client.types import Event, PublicEventType

PATH = "/v1/events/"


class EventFeed:
    """`client.events(…)`."""

    _connection: Connection

    def __call__(
        self,
        cursor: str | None = None,
        *,
        save: Callable[[str], object] | None = None,
        type: PublicEventType | None = None,
        record: str | None = None,
        limit: int = 200,
        poll_seconds: float | None = None,
    ) -> Iterator[Event]:
        """The events after a cursor, oldest first; without one, from the oldest that exists.

        save: called with a new cursor when the events before it are handled, that is when the loop
        asks for the next one. Store it, and pass it as `cursor` after a restart: no event is
        missed. Those of the page that was interrupted, up to `limit`, come again.
        type, record: only events of that type, or of the record with that id. A cursor is valid
        for the same ones only.
        poll_seconds: how long to wait when there are no more events; without it, the loop ends.

        Raises: CursorExpired, if events after the cursor were deleted.
        """
        while True:
            query = {"cursor": cursor, "limit": limit, "type": type, "record": record}
            page = self._connection.call(Page[Event], "GET", PATH, query=query)
            yield from page["items"]
            cursor = page["cursor"]
            if save and cursor is not None:
                save(cursor)
            if page["has_more"]:
                continue
            if poll_seconds is None:
                return
            time.sleep(poll_seconds)


class AsyncEventFeed:
    """`client.events(…)`, for `async for`."""

    _connection: AsyncConnection

    async def __call__(
        self,
        cursor: str | None = None,
        *,
        save: Callable[[str], Awaitable[object]] | None = None,
        type: PublicEventType | None = None,
        record: str | None = None,
        limit: int = 200,
        poll_seconds: float | None = None,
    ) -> AsyncIterator[Event]:
        """The events after a cursor, as `EventFeed` yields them; `save` is awaited."""
        while True:
            query = {"cursor": cursor, "limit": limit, "type": type, "record": record}
            page = await self._connection.call(Page[Event], "GET", PATH, query=query)
            for event in page["items"]:
                yield event
            cursor = page["cursor"]
            if save and cursor is not None:
                await save(cursor)
            if page["has_more"]:
                continue
            if poll_seconds is None:
                return
            await asyncio.sleep(poll_seconds)
