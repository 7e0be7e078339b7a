"""Cancel reads, and their statements in the database, when the client disconnects."""

import asyncio
from collections.abc import Callable
from types import TracebackType

from starlette.types import Receive

WATCH_SECONDS = 1.0  # most reads have ended by then and need no task


class ClientDisconnected(Exception):
    """The client of a read has disconnected, and no response is needed."""


class CancelledOnDisconnect:
    """Cancels its block if the client disconnects before the response starts.

    It gives the block what to call when the response starts. Raises: ClientDisconnected if it
    cancelled.
    """

    def __init__(self, receive: Receive) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._task, self._has_disconnected = task, False
        self._receive = receive
        self._watching: asyncio.Task[None] | None = None

    def __enter__(self) -> Callable[[], None]:
        self._timer = asyncio.get_running_loop().call_later(WATCH_SECONDS, self._begin)
        return self._end

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._end()
        if self._has_disconnected and isinstance(error, asyncio.CancelledError):
            self._task.uncancel()
            raise ClientDisconnected from None

    def _begin(self) -> None:
        self._watching = asyncio.create_task(self._wait())

    async def _wait(self) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass
        self._has_disconnected = True
        self._task.cancel()

    def _end(self) -> None:
        """Stop watching."""
        self._timer.cancel()
        if self._watching is not None:
            self._watching.cancel()
