"""Let a migration on PostgreSQL wait for its locks in short attempts; see decision 0053.

A statement that changes a table waits until all transactions that use the table have ended, and all
later ones wait behind it. So an attempt gives up soon, and lets the others go first.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any, NamedTuple

import asyncpg

from masthead.store.engine.interface import DatabaseError
from masthead.store.engine.postgres.session import REFUSALS

PATIENCE = 600.0  # seconds until a migration gives up
LOCK_SECONDS = 2.0  # that a statement waits for a lock, and others wait behind it
PAUSE_SECONDS = 5.0  # between two attempts
LOOK_SECONDS = 0.25  # between two looks at what blocks an attempt
NO_LOCK = asyncpg.LockNotAvailableError, asyncpg.DeadlockDetectedError

FIND_BLOCKER = """
SELECT pid,
       application_name,
       extract(epoch FROM clock_timestamp() - xact_start)::integer AS seconds
  FROM pg_stat_activity
 WHERE pid = ANY (pg_blocking_pids($1))
 ORDER BY xact_start NULLS LAST
 LIMIT 1
"""

Tell = Callable[[str], None]
Versions = tuple[str | None, str]  # of a schema before and after


class Blocker(NamedTuple):
    """The oldest transaction that blocks a migration; seconds: its age, None if it is hidden."""

    pid: int
    application: str
    seconds: int | None

    def __str__(self) -> str:
        name = f"Process {self.pid} of PostgreSQL ({self.application or 'without a name'})"
        if self.seconds is None:
            return f"{name} has a transaction that blocks a table"
        return f"{name} has a transaction that blocks a table and is {self.seconds} s old"


class Watch:
    """Looks from another connection at what blocks a process of PostgreSQL; the last one stays."""

    def __init__(self, connect: Callable[[], Awaitable[Any]]) -> None:
        self._connect = connect
        self.blocker: Blocker | None = None

    @asynccontextmanager
    async def looking_at(self, pid: int) -> AsyncIterator[None]:
        """Look during the block."""
        task = asyncio.create_task(self._look_at(pid))
        try:
            yield
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    async def _look_at(self, pid: int) -> None:
        await asyncio.sleep(LOOK_SECONDS)  # most migrations need no second connection
        with suppress(*REFUSALS):  # the migration does not depend on it
            connection = await self._connect()
            try:
                while True:
                    if row := await connection.fetchrow(FIND_BLOCKER, pid):
                        self.blocker = Blocker(*row)
                    await asyncio.sleep(LOOK_SECONDS)
            finally:
                connection.terminate()

    def describe(self) -> str:
        """The transaction that blocks, as the beginning of a sentence."""
        return str(self.blocker or "Another transaction blocks a table")


def limit_waiting() -> str:
    """The statement that limits how long each statement of a transaction waits for a lock."""
    return f"SET LOCAL lock_timeout = {LOCK_SECONDS * 1000:.0f}"


async def repeat(
    attempt: Callable[[Watch], Awaitable[Versions]],
    connect: Callable[[], Awaitable[Any]],
    *,
    patience: float,
    tell: Tell,
) -> Versions:
    """Try again until an attempt gets its locks; returns its result.

    attempt: one transaction. patience: seconds until the last attempt begins. tell: gets a sentence
    for each attempt that failed. Raises: DatabaseError if the last attempt gets no lock.
    """
    until = time.monotonic() + patience
    while True:
        watch = Watch(connect)
        try:
            return await attempt(watch)
        except NO_LOCK as refusal:
            if time.monotonic() + PAUSE_SECONDS > until:
                raise _given_up(watch) from refusal
        tell(f"{watch.describe()}. The migration is tried again in {PAUSE_SECONDS:g} s.")
        await asyncio.sleep(PAUSE_SECONDS)


def _given_up(watch: Watch) -> DatabaseError:
    pid = watch.blocker.pid if watch.blocker else "PID"
    return DatabaseError(
        f"The database cannot be migrated, and nothing was changed: {watch.describe()}. Wait for "
        "its end, or find it in pg_stat_activity and end it with "
        f"`SELECT pg_terminate_backend({pid})`. Then run `masthead migrate` again."
    )
