"""Cancel reads, and their statements in the database, when the client disconnects."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from masthead.api.exchange import Exchange

WATCH_SECONDS = 1.0  # most reads have ended by then and need no task
READS = frozenset({"GET", "HEAD"})


class ClientLeft(Exception):
    """The client of a read has disconnected; there is nobody to answer."""


@contextmanager
def cancelled_on_disconnect(exchange: Exchange) -> Iterator[None]:
    """Cancel the block if the request reads and the client leaves before the response starts.

    Raises: ClientLeft then.
    """
    if exchange.method not in READS:
        yield
        return
    watch = _Watch(exchange)
    exchange.on_start = watch.end
    try:
        yield
    except asyncio.CancelledError:
        if not watch.has_left:
            raise
        watch.task.uncancel()
        raise ClientLeft from None
    finally:
        watch.end()


class _Watch:
    """Waits for the client of a slow request to disconnect. task: the task of the request."""

    def __init__(self, exchange: Exchange) -> None:
        task = asyncio.current_task()
        assert task is not None
        self.task, self.has_left = task, False
        self._exchange = exchange
        self._watching: asyncio.Task[None] | None = None
        self._timer = asyncio.get_running_loop().call_later(WATCH_SECONDS, self._begin)

    def _begin(self) -> None:
        self._watching = asyncio.create_task(self._wait())

    async def _wait(self) -> None:
        while (await self._exchange.receive())["type"] != "http.disconnect":
            pass
        self.has_left = True
        self.task.cancel()

    def end(self) -> None:
        """Stop watching."""
        self._timer.cancel()
        if self._watching is not None:
            self._watching.cancel()
