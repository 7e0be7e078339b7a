"""Run programs of others, such as `psql`: no other code starts one.

A program has a deadline for each step, is read to its end, and has ended when its block ends:
even if it hangs, or if the block fails or is cancelled, once or again.
"""

import asyncio
import contextlib
import os
import signal
import subprocess
import tempfile
from collections.abc import AsyncIterator, Awaitable, Coroutine, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

from masthead.store.engine.interface import DatabaseError

CHUNK = 256 * 1024
# Seconds in which a program may move no byte. `psql` moves none while PostgreSQL creates the
# indexes of a large database. Nothing limits the whole: a restore may take hours.
PATIENCE = 4 * 3600.0
STOP_SECONDS = 10.0  # to cancel the statement after SIGINT, and to end after SIGKILL
ERROR_BYTES = 4_000  # of the end of what a program says
_HANGING = (
    "`{name}` has read and written nothing for {hours:g} hours, and was stopped. The server may be "
    "unreachable, or `pg_stat_activity` shows what it waits for. Then run the command again."
)

NO_LOGIN: Mapping[str, Any] = MappingProxyType({})

T = TypeVar("T")


class Program:
    """A program that runs. What it writes must be read, or it is when its block ends.

    Each step raises: DatabaseError if it takes as long as the program may move nothing.
    """

    def __init__(self, name: str, process: asyncio.subprocess.Process, patience: float) -> None:
        self._name, self._process, self._patience = name, process, patience

    async def read(self) -> bytes:
        """The next bytes that it writes, at most CHUNK; none at the end."""
        assert self._process.stdout is not None
        return await self._in_time(self._process.stdout.read(CHUNK))

    async def read_line(self) -> bytes:
        """The next line that it writes, with its end; empty at the end."""
        assert self._process.stdout is not None
        return await self._in_time(self._process.stdout.readline())

    async def write(self, content: bytes) -> None:
        """Pass bytes to it, as soon as it takes them. Raises: BrokenPipeError if it has ended."""
        assert self._process.stdin is not None
        self._process.stdin.write(content)
        await self._in_time(self._process.stdin.drain())

    async def end(self) -> int:
        """Read what it still writes until it ends by itself; its exit code."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        while self._process.stdout is not None and await self.read():
            pass
        return await self._in_time(self._process.wait())

    async def stop(self) -> None:
        """End it if it still runs; on SIGINT, `psql` cancels its statement on the server."""
        self._patience = STOP_SECONDS
        try:
            for number in (signal.SIGINT, signal.SIGKILL):
                if self._process.returncode is None:
                    self._process.send_signal(number)
                    with contextlib.suppress(DatabaseError):
                        await self.end()
        finally:
            if self._process.returncode is None:
                self._process.kill()

    async def _in_time(self, step: Awaitable[T]) -> T:
        try:
            async with asyncio.timeout(self._patience):
                return await step
        except TimeoutError:
            hours = self._patience / 3600
            raise DatabaseError(_HANGING.format(name=self._name, hours=hours)) from None


@contextlib.asynccontextmanager
async def running(
    command: Sequence[str],
    environment: Mapping[str, str],
    *,
    is_written: bool = False,
    patience: float | None = None,
    login: Mapping[str, Any] = NO_LOGIN,
) -> AsyncIterator[Program]:
    """A program for the block, which must succeed.

    is_written: whether the block writes to it, else the block reads. patience: seconds in which it
    may move no byte; None for PATIENCE. login: its `user`, `group` and `cwd`, if they are not
    those of this process.

    Raises: DatabaseError with the end of its message; OSError if it cannot be started.
    """
    name = Path(command[0]).name
    with tempfile.TemporaryFile() as errors:
        process = await asyncio.create_subprocess_exec(
            *command,
            env=environment,
            stdin=subprocess.PIPE if is_written else subprocess.DEVNULL,
            stdout=subprocess.DEVNULL if is_written else subprocess.PIPE,
            stderr=errors,
            limit=CHUNK,
            start_new_session=True,  # Ctrl-C goes only to this process, which stops the program
            **login,
        )
        program = Program(name, process, PATIENCE if patience is None else patience)
        try:
            yield program
            code = await program.end()
        finally:
            await completed(program.stop())
        if code:
            errors.seek(max(errors.seek(0, os.SEEK_END) - ERROR_BYTES, 0))
            message = errors.read().decode(errors="replace").strip()
            raise DatabaseError(f"`{name}` failed: {message or f'exit code {code}'}")


async def completed(work: Coroutine[Any, Any, None]) -> None:
    """Complete some cleaning, even if this task is cancelled meanwhile; then raise that."""
    task, stopped = asyncio.ensure_future(work), None
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError as reason:
            stopped = reason
    if stopped is not None:
        raise stopped from task.exception()
    task.result()
