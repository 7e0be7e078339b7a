"""Connections to PostgreSQL that are kept between uses.

asyncpg's own pool asks the server to reset each connection that is given back, in a task of the
event loop: a short query costs half as much again, and if the server has stopped, the place of the
connection is never freed. Here a connection that may be broken is closed in the background, and
its place is free at once.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Any

import asyncpg

CLOSE_SECONDS = 2.0  # to cancel the running statement and to disconnect


class PoolExhausted(Exception):
    """All connections are in use, and none was given back in time."""


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
        self._places = asyncio.Semaphore(size)
        self._idle: list[Any] = []
        self._closing: set[asyncio.Task[None]] = set()
        self.generation = 0  # connections of an earlier one are not kept

    async def open(self) -> None:
        """Open a first connection. Raises: errors of asyncpg and of the network."""
        async with self.lend():
            pass

    def lend(self) -> "_Loan":
        """A connection until the end of the block. Raises: PoolExhausted; errors of `connect`."""
        return _Loan(self)

    async def take(self) -> Any:
        """A connection that is at rest."""
        if self._places.locked():
            await self._wait_for_place()
        else:
            await self._places.acquire()
        while self._idle:
            connection = self._idle.pop()
            if not connection.is_closed():
                return connection
        try:
            return await self._connect()
        except BaseException:
            self._places.release()
            raise

    async def _wait_for_place(self) -> None:
        try:
            async with asyncio.timeout(self._wait):
                await self._places.acquire()
        except TimeoutError:
            raise PoolExhausted("all connections to the database are in use") from None

    def give_back(self, connection: Any, *, is_well: bool) -> None:
        """Keep a connection, or close it."""
        if is_well:
            self._idle.append(connection)
        else:
            self._close_aside(connection)
        self._places.release()

    def drop_idle(self) -> None:
        """Close idle connections now, and those in use when they are given back."""
        self.generation += 1
        while self._idle:
            self._close_aside(self._idle.pop())

    def _close_aside(self, connection: Any) -> None:
        closing = asyncio.create_task(_close(connection))
        self._closing.add(closing)
        closing.add_done_callback(self._closing.discard)

    async def close(self) -> None:
        """Wait for what is under way and close the connections."""
        for _ in range(self._size):
            await self._places.acquire()
        self.drop_idle()
        await asyncio.gather(*self._closing)


async def _close(connection: Any) -> None:
    """Close a connection, and cancel the statement that a cancelled request left running."""
    with contextlib.suppress(OSError, asyncpg.PostgresError, asyncpg.InterfaceError):
        await connection.close(timeout=CLOSE_SECONDS)


class _Loan:
    """A connection that is given back at the end of the block."""

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
        is_well = is_current and (error is None or not pool.is_broken(error))
        pool.give_back(self._connection, is_well=is_well)
