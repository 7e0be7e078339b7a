"""SQLite: several processes write to one file, and one of them has long transactions.

Each database here has a writer thread and a connection of its own, as a process has.
"""

import asyncio
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from masthead.model.errors import Unavailable
from masthead.store.engine.interface import Transaction
from masthead.store.engine.sqlite import connection as sqlite_connection, write_lock
from masthead.store.engine.sqlite.database import SQLiteDatabase
from tests.support.databases import migrated

SECONDS = 0.02  # of a long transaction
MANY = 60  # long transactions, one after the other


@pytest.fixture
async def importing(tmp_path: Path) -> AsyncIterator[SQLiteDatabase]:
    """A database with long transactions."""
    migrated(f"sqlite:///{tmp_path}/masthead.db")
    async with opened(tmp_path) as db:
        yield db


@asynccontextmanager
async def opened(folder: Path) -> AsyncIterator[SQLiteDatabase]:
    """The database again, as another process opens it."""
    db = SQLiteDatabase(folder / "masthead.db")
    try:
        yield db
    finally:
        await db.close()


async def write(tx: Transaction) -> None:
    """A short transaction."""
    await tx.execute("DELETE FROM lease", {})
    row = {"name": "a", "holder": "b", "until_at": "2026-01-01"}
    await tx.insert_rows("lease", [row])


async def write_long(tx: Transaction) -> None:
    """A long transaction."""
    await write(tx)
    time.sleep(SECONDS)  # noqa: ASYNC251 - in the writer thread


async def write_long_often(db: SQLiteDatabase, done: list[bool], begun: asyncio.Event) -> None:
    """Many long transactions; adds to `done` after each whether others wrote meanwhile."""
    for _ in range(MANY):
        await db.write(write_long)
        done.append(db.is_shared())
        begun.set()


async def test_another_process_writes_between_long_transactions(
    importing: SQLiteDatabase, tmp_path: Path
) -> None:
    done, begun = list[bool](), asyncio.Event()
    async with opened(tmp_path) as other:
        running = asyncio.ensure_future(write_long_often(importing, done, begun))
        await begun.wait()
        for _ in range(10):
            await other.write(write)
        assert len(done) < MANY
        await running
    assert not done[0]
    assert True in done


async def test_short_transactions_leave_the_lock_to_a_process_that_has_written(
    importing: SQLiteDatabase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = threading.Event()

    async def write_short(tx: Transaction) -> None:
        await tx.execute("UPDATE lease SET holder = 'c'", {})
        begun.set()
        time.sleep(0.006)  # noqa: ASYNC251 - as 25 rows of an import; the other write waits

    async def delete(tx: Transaction) -> None:
        await tx.execute("DELETE FROM lease", {})

    async def count(tx: Transaction) -> int:
        return len(await tx.fetch_all("SELECT name FROM lease", {}))

    monkeypatch.setattr(write_lock, "FREE_SECONDS", 0.5)
    monkeypatch.setattr(write_lock, "SHARED_SECONDS", 60.0)
    async with opened(tmp_path) as other:
        await other.write(write)
        await importing.write(write_long)
        short = asyncio.ensure_future(importing.write(write_short))
        await asyncio.to_thread(begun.wait)
        waiting = asyncio.ensure_future(other.write(delete))
        assert await importing.write(count) == 0
        await asyncio.gather(short, waiting)


async def test_other_writes_of_the_process_are_noticed(importing: SQLiteDatabase) -> None:
    await importing.write(write_long)
    await importing.write(write)  # after the pause of the long one
    assert not importing.is_shared()
    await asyncio.gather(importing.write(write_long), importing.write(write))
    await importing.write(write)
    assert importing.is_shared()


async def test_other_writes_are_forgotten(
    importing: SQLiteDatabase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(tmp_path) as other:
        await other.write(write)
    await importing.write(write_long)
    await importing.write(write)
    assert importing.is_shared()
    monkeypatch.setattr(write_lock, "SHARED_SECONDS", 0.0)
    assert not importing.is_shared()


async def test_short_transactions_do_not_wait_for_others(
    importing: SQLiteDatabase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(write_lock, "LONG_SECONDS", 60.0)
    async with opened(tmp_path) as other:
        await other.write(write)
    await importing.write(write_long)
    await importing.write(write)
    assert not importing.is_shared()


async def test_a_write_gives_up_if_the_lock_is_never_free(
    importing: SQLiteDatabase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_connection, "BUSY_MILLISECONDS", 50)
    held = sqlite_connection.open_file(tmp_path / "masthead.db", read_only=False)
    held.execute("BEGIN IMMEDIATE")
    with pytest.raises(Unavailable):
        await importing.write(write)
    held.execute("ROLLBACK")
    held.close()
    await importing.write(write)
