"""Programs of others: whatever happens, they have ended, and their parent knows."""

import asyncio
import os
from pathlib import Path

import pytest

from masthead.store.engine.interface import DatabaseError
from masthead.store.engine.moving import programs
from masthead.store.engine.moving.programs import Program, running
from tests.support.waiting import PATIENCE

STUBBORN = "trap '' INT; echo $$; exec sleep 1000"
ENDLESS = "echo $$; exec yes"


def is_gone(pid: bytes) -> bool:
    """Whether a process has ended, and its parent knows."""
    return not Path("/proc", pid.decode().strip()).exists()


@pytest.mark.parametrize("script", [STUBBORN, ENDLESS], ids=["ignores SIGINT", "writes on"])
async def test_a_program_has_ended_after_a_block_that_fails(
    script: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(programs, "STOP_SECONDS", 0.2)
    pids = []

    async def work() -> None:
        async with running(["sh", "-c", script], os.environ) as program:
            pids.append(await program.read_line())
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await asyncio.wait_for(work(), PATIENCE)
    assert is_gone(pids[0])


async def test_a_program_has_ended_after_a_block_that_is_cancelled_twice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(programs, "STOP_SECONDS", 0.2)
    pids = asyncio.Queue[bytes]()

    async def work() -> None:
        async with running(["sh", "-c", STUBBORN], os.environ) as program:
            pids.put_nowait(await program.read_line())
            await program.read()

    task = asyncio.create_task(work())
    pid = await pids.get()
    for _ in range(2):
        task.cancel()
        await asyncio.sleep(0)
        await asyncio.sleep(0)
    with pytest.raises(asyncio.CancelledError):
        await task
    assert is_gone(pid)


async def read_all(program: Program) -> None:
    """Read everything."""
    while await program.read():
        pass


async def test_a_program_that_hangs_or_fails_is_named() -> None:
    with pytest.raises(DatabaseError, match=r"^`sleep` has read and written nothing"):
        async with running(["sleep", "1000"], os.environ, patience=0.1) as program:
            await read_all(program)
    with pytest.raises(DatabaseError, match=r"^`sh` failed: broken$"):
        async with running(["sh", "-c", "echo broken >&2; exit 3"], os.environ) as program:
            await read_all(program)
