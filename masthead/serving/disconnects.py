"""Cancel reads, and their statements in the database, when the client disconnects."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from starlette.types import Receive

WATCH_SECONDS = 1.0  # most reads have ended by then and need no task


class ClientDisconnected(Exception):
    """The client of a read has disconnected, and no response is needed."""


@contextmanager
def cancelled_on_disconnect(receive: Receive) -> Iterator[Callable[[], None]]:
    """Cancel the block if its client disconnects before the response starts.

    It yields what to call when the response starts. Raises: ClientDisconnected if it cancelled.
    """
    watch = _Watch(receive)
    try:
        yield watch.end
    except asyncio.CancelledError:
        if not watch.has_disconnected:
            raise
        watch.task.uncancel()
        raise ClientDisconnected from None
    finally:
        watch.end()


class _Watch:
    """Waits for the client of a slow request to disconnect. task: the task of the request."""

    def __init__(self, receive: Receive) -> None:
        task = asyncio.current_task()
        assert task is not None
        self.task, self.has_disconnected = task, False
        self._receive = receive
        self._watching: asyncio.Task[None] | None = None
        self._timer = asyncio.get_running_loop().call_later(WATCH_SECONDS, self._begin)

    def _begin(self) -> None:
        self._watching = asyncio.create_task(self._wait())

    async def _wait(self) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass
        self.has_disconnected = True
        self.task.cancel()

    def end(self) -> None:
        """Stop watching."""
        self._timer.cancel()
        if self._watching is not None:
            self._watching.cancel()
