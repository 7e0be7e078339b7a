"""A pool of connections to PostgreSQL.

asyncpg's own pool resets each connection that is released, in a task of the event loop: a short
query costs half as much again, and if the server has stopped, the slot of the connection is never
freed. This pool closes a connection that may be broken in the background and frees its slot at
once.
"""

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Any

import asyncpg

from masthead.metrics.text import Samples, sample

CLOSE_SECONDS = 2.0  # to cancel the running statement and to disconnect


class PoolExhausted(Exception):
    """All connections are in use, and none was released in time."""


class Pool:
    """A limited number of connections.

    connect: opens one; wait: seconds to wait while all are in use;
    is_broken: whether a connection must not be used again after an error.
    """

    def __init__(
        self,
        connect: Callable[[], Awaitable[Any]],
        size: int,
        *,
        wait: float,
        is_broken: Callable[[BaseException], bool],
    ) -> None:
        self._connect, self._size, self._wait = connect, size, wait
        self.is_broken = is_broken
        self._slots = asyncio.Semaphore(size)
        self._idle: list[Any] = []
        self._closing: set[asyncio.Task[None]] = set()
        self.generation = 0  # connections of an earlier generation are not reused
        self._used, self._waits, self._waited = 0, 0, 0.0

    async def open(self) -> None:
        """Open a first connection. Raises: errors of asyncpg and of the network."""
        async with self.acquire():
            pass

    def acquire(self) -> "_Lease":
        """A connection until the end of the block. Raises: PoolExhausted; errors of `connect`."""
        return _Lease(self)

    async def take(self) -> Any:
        """An idle connection, or a new one. Raises: PoolExhausted; errors of `connect`."""
        if self._slots.locked():
            await self._wait_for_slot()
        else:
            await self._slots.acquire()
        self._used += 1
        while self._idle:
            connection = self._idle.pop()
            if not connection.is_closed():
                return connection
        try:
            return await self._connect()
        except BaseException:
            self._used -= 1
            self._slots.release()
            raise

    async def _wait_for_slot(self) -> None:
        began = time.perf_counter()
        self._waits += 1
        try:
            async with asyncio.timeout(self._wait):
                await self._slots.acquire()
        except TimeoutError:
            raise PoolExhausted("all connections to the database are in use") from None
        finally:
            self._waited += time.perf_counter() - began

    def release(self, connection: Any, *, is_usable: bool) -> None:
        """Keep a connection for reuse, or close it."""
        if is_usable:
            self._idle.append(connection)
        else:
            self._close_in_background(connection)
        self._used -= 1
        self._slots.release()

    def figures(self, name: str) -> Samples:
        """The samples for `metrics.worker_figures`. name: of the pool."""
        connections = "masthead_database_connections"
        waits = "masthead_database_connection_waits_total"
        waited = "masthead_database_connection_wait_seconds_total"
        return {
            sample(connections, pool=name, state="idle"): len(self._idle),
            sample(connections, pool=name, state="used"): self._used,
            sample(waits, pool=name): self._waits,
            sample(waited, pool=name): self._waited,
        }

    def drop_idle(self) -> None:
        """Close idle connections now, and those in use when they are released."""
        self.generation += 1
        while self._idle:
            self._close_in_background(self._idle.pop())

    def _close_in_background(self, connection: Any) -> None:
        def forget(closing: asyncio.Task[None]) -> None:
            self._closing.discard(closing)
            if closing.cancelled():  # perhaps before it began, so it closed nothing
                connection.terminate()

        closing = asyncio.create_task(_close(connection))
        self._closing.add(closing)
        closing.add_done_callback(forget)

    async def close(self) -> None:
        """Wait until all connections are released, and close them."""
        try:
            for _ in range(self._size):
                await self._slots.acquire()
        finally:  # if it is cancelled, those in use are closed when they are released
            self.drop_idle()
        await asyncio.gather(*self._closing)


async def _close(connection: Any) -> None:
    """Close a connection, and cancel the statement that a cancelled request left running."""
    with contextlib.suppress(OSError, asyncpg.PostgresError, asyncpg.InterfaceError):
        await connection.close(timeout=CLOSE_SECONDS)


class _Lease:
    """A connection that is released at the end of the block."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def __aenter__(self) -> Any:
        self._connection = await self._pool.take()
        self._generation = self._pool.generation
        return self._connection

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        pool = self._pool
        is_current = self._generation == pool.generation
        is_usable = is_current and (error is None or not pool.is_broken(error))
        pool.release(self._connection, is_usable=is_usable)
