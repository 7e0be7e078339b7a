"""Connections to PostgreSQL that are kept between uses.

asyncpg's pool opens, counts and closes them; but to hand one back to it takes a task of the event
loop, which costs a short query over again (45 us of 80). So what was used without trouble is kept
here, and goes back only if something is wrong with it or somebody waits at the pool.
"""

from collections.abc import Callable, Coroutine
from types import TracebackType
from typing import Any

import asyncpg

WAIT_SECONDS = 10.0


class Pool:
    """At most so many connections, that are told the same settings of their session."""

    def __init__(self, pool: Any) -> None:
        self._pool = pool
        self._idle: list[Any] = []
        self._waiting = 0
        self._is_open = True

    @classmethod
    async def open(
        cls,
        url: str,
        size: int,
        session: dict[str, str],
        prepare: Callable[[Any], Coroutine[Any, Any, None]],
    ) -> "Pool":
        """The pool, with one connection made. Raises: errors of asyncpg and of the network.

        session: settings; prepare: what is done once to each connection.
        """
        pool = await asyncpg.create_pool(
            url,
            min_size=1,
            max_size=size,
            timeout=WAIT_SECONDS,
            command_timeout=600,
            server_settings=session,
            init=prepare,
        )
        return cls(pool)

    def lend(self) -> "_Loan":
        """A connection until the end of the block. Raises: TimeoutError if there is none soon."""
        return _Loan(self)

    async def take(self) -> Any:
        """A connection that is at rest."""
        while self._idle:
            connection = self._idle.pop()
            if _is_connected(connection):
                return connection
            await self._pool.release(connection)
        self._waiting += 1
        try:
            return await self._pool.acquire(timeout=WAIT_SECONDS)
        finally:
            self._waiting -= 1

    async def give_back(self, connection: Any, *, is_well: bool) -> None:
        """Keep a connection, or let the pool see to it."""
        if is_well and self._is_open and not self._waiting:
            self._idle.append(connection)
        else:
            await self._pool.release(connection)

    async def close(self) -> None:
        """Wait for what is under way and close the connections."""
        self._is_open = False
        while self._idle:
            await self._pool.release(self._idle.pop())
        await self._pool.close()


def _is_connected(connection: Any) -> bool:
    try:
        return not connection.is_closed()
    except asyncpg.InterfaceError:  # the server ended it, and so the pool has it back already
        return False


class _Loan:
    """A connection that is given back at the end of the block."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def __aenter__(self) -> Any:
        self._connection = await self._pool.take()
        return self._connection

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._pool.give_back(self._connection, is_well=kind is None)
