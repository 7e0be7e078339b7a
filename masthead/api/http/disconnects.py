"""Cancel reads, and their statements in the database, when the client disconnects."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from masthead.api.http.asgi import RequestCycle

WATCH_SECONDS = 1.0  # most reads have ended by then and need no task
READS = frozenset({"GET", "HEAD"})


def may_take_long(cycle: RequestCycle) -> bool:
    """Whether a request is a read that may search or count: a page, or a list with parameters.

    Other reads take well under a millisecond; to watch them would cost a tenth of that.
    """
    return cycle.method in READS and (bool(cycle.query_string) or not cycle.path.startswith("/v1/"))


class ClientLeft(Exception):
    """The client of a read has disconnected, and no response is needed."""


@contextmanager
def cancelled_on_disconnect(cycle: RequestCycle) -> Iterator[None]:
    """Cancel the block if its client disconnects before the response begins.

    Raises: ClientLeft then.
    """
    watch = _Watch(cycle)
    cycle.on_start = watch.end
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

    def __init__(self, cycle: RequestCycle) -> None:
        task = asyncio.current_task()
        assert task is not None
        self.task, self.has_left = task, False
        self._cycle = cycle
        self._watching: asyncio.Task[None] | None = None
        self._timer = asyncio.get_running_loop().call_later(WATCH_SECONDS, self._begin)

    def _begin(self) -> None:
        self._watching = asyncio.create_task(self._wait())

    async def _wait(self) -> None:
        while (await self._cycle.receive())["type"] != "http.disconnect":
            pass
        self.has_left = True
        self.task.cancel()

    def end(self) -> None:
        """Stop watching."""
        self._timer.cancel()
        if self._watching is not None:
            self._watching.cancel()
