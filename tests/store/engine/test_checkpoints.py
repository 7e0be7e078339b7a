"""The log of a SQLite file: a thread copies it, and its size has a limit."""

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import apsw
import pytest
from structlog.testing import capture_logs

from masthead.store.engine.interface import Transaction
from masthead.store.engine.sqlite import checkpoints, connection as sqlite_connection, writer
from masthead.store.engine.sqlite.checkpoint_lease import checkpoint_lease
from masthead.store.engine.sqlite.checkpoints import (
    Checkpointer,
    LargeLog,
    checkpoint,
    litestream_moment,
)
from masthead.store.engine.sqlite.cleaning import clean_files
from masthead.store.engine.sqlite.connection import open_file
from masthead.store.engine.sqlite.database import SQLiteDatabase
from masthead.store.engine.sqlite.files import marker_of
from tests.support.databases import migrated
from tests.support.waiting import until

BOUND = 2**20
READ_BY_ADDRESS = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A SQLite file with all its tables."""
    migrated(f"sqlite:///{tmp_path}/masthead.db")
    return tmp_path / "masthead.db"


@pytest.fixture
async def lazy(path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[SQLiteDatabase]:
    """A database whose checkpoints run too late, so that only the limit applies."""
    monkeypatch.setattr(checkpoints, "DELAY_SECONDS", 600.0)
    monkeypatch.setattr(checkpoints, "LOG_BYTES", BOUND)
    monkeypatch.setattr(sqlite_connection, "JOURNAL_BYTES", BOUND)
    db = SQLiteDatabase(path)
    yield db
    await db.close()


async def write(tx: Transaction) -> None:
    """A text of about 100 kB."""
    await tx.execute("DELETE FROM lease", {})
    row = {"name": "a", "holder": "x" * 100_000, "until_at": "2026-01-01"}
    await tx.insert_rows("lease", [row])


def size_of_log(path: Path) -> int:
    """The size of the log in bytes."""
    return Path(f"{path}-wal").stat().st_size


def leases_in_the_file(path: Path) -> int:
    """The number of leases in the database file itself, without its log."""
    address = f"{path.as_uri()}?immutable=1"
    while True:
        with (
            contextlib.suppress(apsw.CorruptError),  # a checkpoint is writing to it
            closing(apsw.Connection(address, READ_BY_ADDRESS)) as alone,
        ):
            return int(alone.execute("SELECT count(*) FROM lease").get)


async def test_commits_are_copied_to_the_file_after_a_moment(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkpoints, "DELAY_SECONDS", 0.01)
    db = SQLiteDatabase(path)
    await db.write(write)
    await until(lambda: leases_in_the_file(path) == 1)
    await db.close()


async def test_a_commit_does_not_wait_for_a_checkpoint(lazy: SQLiteDatabase, path: Path) -> None:
    await lazy.write(write)
    assert leases_in_the_file(path) == 0
    assert size_of_log(path) > 100_000


async def test_the_log_stays_small_under_continuous_writes(
    lazy: SQLiteDatabase, path: Path
) -> None:
    for _ in range(40):
        await lazy.write(write)
        assert size_of_log(path) < BOUND * 1.5


async def test_without_the_limit_the_log_grows(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoints, "DELAY_SECONDS", 600.0)
    monkeypatch.setattr(writer, "bound_log", lambda connection, path, times: None)
    db = SQLiteDatabase(path)
    for _ in range(40):
        await db.write(write)
    assert size_of_log(path) > BOUND * 3
    await db.close()


async def test_a_log_that_a_reader_holds_shrinks_after_the_reader_ends(
    lazy: SQLiteDatabase, path: Path
) -> None:
    async with lazy.read() as connection:
        await connection.fetch_all("SELECT name FROM lease", {})
        for _ in range(40):
            await lazy.write(write)
        assert size_of_log(path) > BOUND * 3
    for _ in range(3):
        await lazy.write(write)
    assert size_of_log(path) < BOUND * 1.5


async def test_after_closing_only_the_database_file_is_left(
    lazy: SQLiteDatabase, path: Path
) -> None:
    await lazy.write(write)
    await lazy.close()
    assert {each.name for each in path.parent.iterdir()} == {path.name, marker_of(path).name}
    assert leases_in_the_file(path) == 1


async def test_a_failed_checkpoint_is_logged_and_retried(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkpoints, "DELAY_SECONDS", 0.01)
    checkpointer = Checkpointer(path)
    checkpointer._connection = open_file(path, read_only=False)
    checkpointer._connection.close()  # it then gets an error like a disk error
    await asyncio.to_thread(Path(f"{path}-wal").touch)
    with capture_logs() as logs:
        for times in (1, 2):
            checkpointer.wake()
            await until(lambda: len(logs) == times)  # noqa: B023 - it is waited for here
    assert {entry["event"] for entry in logs} == {"checkpoint put off"}
    checkpointer.close()


async def test_the_file_is_opened_for_the_first_checkpoint_that_can(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkpoints, "DELAY_SECONDS", 0.01)
    checkpointer = Checkpointer(path)
    hidden = await asyncio.to_thread(path.rename, path.with_name("hidden.db"))
    with capture_logs() as logs:
        checkpointer.wake()
        await until(lambda: logs)
        assert checkpointer._connection is None
        await asyncio.to_thread(hidden.rename, path)
        checkpointer.wake()
        await until(lambda: checkpointer._connection)
        checkpointer.close()
    assert [(each["event"], each["code"]) for each in logs] == [
        ("checkpoint put off", "SQLITE_CANTOPEN")
    ]


def test_the_thread_ends_if_it_is_closed_when_a_checkpoint_begins(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkpoints, "DELAY_SECONDS", 0.01)
    checkpointer = Checkpointer(path)
    has_work, clear = checkpointer._has_work, checkpointer._has_work.clear

    def close_before_the_clear() -> None:
        checkpointer._closes.set()
        has_work.set()
        clear()

    monkeypatch.setattr(has_work, "clear", close_before_the_clear)
    checkpointer.wake()
    checkpointer._thread.join(10)
    assert not checkpointer._thread.is_alive()
    checkpointer.close()


async def test_a_checkpoint_is_skipped_while_another_process_holds_the_lease(
    lazy: SQLiteDatabase, path: Path
) -> None:
    await lazy.write(write)
    with closing(open_file(path, read_only=False)) as connection:
        with checkpoint_lease(path) as is_ours:
            assert is_ours
            assert not checkpoint(connection, path)
        assert leases_in_the_file(path) == 0
        assert checkpoint(connection, path)
    assert leases_in_the_file(path) == 1


async def test_the_thread_retries_if_another_process_held_the_lease(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkpoints, "DELAY_SECONDS", 0.01)
    db = SQLiteDatabase(path)
    with checkpoint_lease(path):
        await db.write(write)
        await asyncio.sleep(0.1)
        assert leases_in_the_file(path) == 0
    await until(lambda: leases_in_the_file(path) == 1)
    await db.close()


def test_there_is_no_lease_without_a_log(tmp_path: Path) -> None:
    with checkpoint_lease(tmp_path / "nothing.db") as is_ours:
        assert is_ours, "there is nothing that another process could copy"


def test_a_large_log_causes_a_warning_once_a_minute_until_it_shrinks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    times = iter((999.0, 1000.0, 1030.0, 1061.0, 1062.0, 1063.0))
    monkeypatch.setattr(checkpoints, "LARGE_BYTES", 100)
    monkeypatch.setattr(checkpoints, "time", SimpleNamespace(monotonic=lambda: next(times)))
    grown, watch = tmp_path / "a.db-wal", LargeLog(tmp_path / "a.db")
    with capture_logs() as logs:
        watch.check()
        grown.write_bytes(b"x" * 101)
        for _ in range(3):
            watch.check()
        grown.write_bytes(b"x" * 100)
        watch.check()
        grown.write_bytes(b"x" * 200)
        watch.check()
    assert [(entry["bytes"], entry["seconds"]) for entry in logs] == [(101, 0), (101, 61), (200, 0)]
    assert {entry["log_level"] for entry in logs} == {"warning"}


async def test_a_log_that_an_endless_reader_holds_causes_a_warning(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkpoints, "DELAY_SECONDS", 0.01)
    monkeypatch.setattr(checkpoints, "LOG_BYTES", BOUND)
    monkeypatch.setattr(checkpoints, "LARGE_BYTES", 2 * BOUND)
    db = SQLiteDatabase(path)
    with capture_logs() as logs:
        async with db.read() as connection:
            await connection.fetch_all("SELECT name FROM lease", {})
            for _ in range(40):
                await db.write(write)
            await until(lambda: len(logs) > 0)
    assert "reader" in logs[0]["event"]
    assert logs[0]["bytes"] > 2 * BOUND
    await db.close()


def test_the_moment_when_litestream_read_the_log_is_told(path: Path) -> None:
    assert litestream_moment(path) == 0
    folder = path.parent / ".masthead.db-litestream/ltx/0"
    folder.mkdir(parents=True)
    os.utime(folder, (60, 120))
    assert litestream_moment(path) == 120


async def test_checkpoints_are_left_to_litestream_unless_it_lets_the_log_grow(
    lazy: SQLiteDatabase, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (path.parent / ".masthead.db-litestream").mkdir()
    await lazy.write(write)
    with closing(open_file(path, read_only=False)) as connection:
        assert checkpoint(connection, path)
        clean_files(path)
        assert leases_in_the_file(path) == 0
        assert size_of_log(path) > 100_000
        monkeypatch.setattr(checkpoints, "LARGE_BYTES", 0)
        assert checkpoint(connection, path)
        assert leases_in_the_file(path) == 1
