"""Opening a SQLite file, which another process may be switching to WAL, and inserting rows."""

import asyncio
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random

import apsw
import pytest

from masthead.store.engine.sqlite import connection as module
from masthead.store.engine.sqlite.connection import SQLiteConnection, open_file

HELD_SECONDS = 0.3


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A new, empty file."""
    file = tmp_path / "masthead.db"
    file.touch()
    return file


@pytest.fixture
def other(path: Path) -> Iterator[apsw.Connection]:
    """The connection of another process that locks the new file for its first write."""
    connection = apsw.Connection(str(path))
    connection.execute("BEGIN IMMEDIATE")
    with closing(connection):
        yield connection


def test_opening_a_new_file_waits_until_another_process_has_released_it(
    path: Path, other: apsw.Connection
) -> None:
    release = threading.Timer(HELD_SECONDS, other.execute, ["ROLLBACK"])
    release.start()
    began = time.monotonic()
    with closing(open_file(path, read_only=False)) as connection:
        assert connection.pragma("journal_mode") == "wal"
    release.join()
    assert time.monotonic() - began > HELD_SECONDS / 2


@pytest.mark.usefixtures("other")
def test_opening_a_new_file_fails_if_another_process_holds_it_for_too_long(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "BUSY_MILLISECONDS", 100)
    began = time.monotonic()
    with pytest.raises(apsw.BusyError):
        open_file(path, read_only=False)
    assert time.monotonic() - began >= 0.1


class _CountingVFS(apsw.VFS):
    """SQLite's own VFS; counts the temporary files, which have no name."""

    def __init__(self) -> None:
        self.temporary_files = 0
        super().__init__("counting", "", makedefault=False)

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:  # noqa: N802 - SQLite's name
        self.temporary_files += name is None
        return super().xOpen(name, flags)


@pytest.mark.parametrize("insert_rows, temporary_files", [(1, 0), (64, 1)])
def test_a_command_inserts_many_rows_without_temporary_files(
    path: Path, monkeypatch: pytest.MonkeyPatch, insert_rows: int, temporary_files: int
) -> None:
    vfs = _CountingVFS()
    monkeypatch.setattr(module, "VFS", "counting")
    random = Random(1)  # so that each statement changes many pages
    rows = [{"account_id": 1, "text": f"{random.random()}" * 50} for _ in range(5_000)]
    with closing(open_file(path, read_only=False)) as file:
        connection = SQLiteConnection(file, insert_rows=insert_rows)
        file.execute("CREATE TABLE entry (account_id bigint, text text UNIQUE)")
        file.execute("BEGIN")
        asyncio.run(connection.insert_rows("entry", rows))
        assert vfs.temporary_files == temporary_files
        found = file.execute("SELECT account_id, text FROM entry ORDER BY rowid").fetchall()
    assert found == [(1, row["text"]) for row in rows]


@pytest.mark.parametrize("insert_rows", [1, 64])
def test_no_rows_are_inserted_without_a_statement(path: Path, insert_rows: int) -> None:
    with closing(open_file(path, read_only=False)) as file:
        asyncio.run(SQLiteConnection(file, insert_rows=insert_rows).insert_rows("nowhere", []))
