"""Cancel reads, and their statements in the database, when the client disconnects."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from masthead.api.http.request import HttpRequest

WATCH_SECONDS = 1.0  # most reads have ended by then and need no task
READS = frozenset({"GET", "HEAD"})


def is_slow_read(request: HttpRequest) -> bool:
    """Whether a request is a read that may search or count: a page, or a list with parameters.

    Other reads take well under a millisecond; watching them would add a tenth of that.
    """
    if request.method not in READS:
        return False
    return bool(request.query_string) or not request.path.startswith("/v1/")


class ClientDisconnected(Exception):
    """The client of a read has disconnected, and no response is needed."""


@contextmanager
def cancelled_on_disconnect(request: HttpRequest) -> Iterator[None]:
    """Cancel the block if its client disconnects before the response starts.

    Raises: ClientDisconnected in that case.
    """
    watch = _Watch(request)
    request.on_response_start = watch.end
    try:
        yield
    except asyncio.CancelledError:
        if not watch.has_disconnected:
            raise
        watch.task.uncancel()
        raise ClientDisconnected from None
    finally:
        watch.end()
        request.on_response_start = None  # a reference cycle would keep the request in memory


class _Watch:
    """Waits for the client of a slow request to disconnect. task: the task of the request."""

    def __init__(self, request: HttpRequest) -> None:
        task = asyncio.current_task()
        assert task is not None
        self.task, self.has_disconnected = task, False
        self._request = request
        self._watching: asyncio.Task[None] | None = None
        self._timer = asyncio.get_running_loop().call_later(WATCH_SECONDS, self._begin)

    def _begin(self) -> None:
        self._watching = asyncio.create_task(self._wait())

    async def _wait(self) -> None:
        while (await self._request.receive())["type"] != "http.disconnect":
            pass
        self.has_disconnected = True
        self.task.cancel()

    def end(self) -> None:
        """Stop watching."""
        self._timer.cancel()
        if self._watching is not None:
            self._watching.cancel()
