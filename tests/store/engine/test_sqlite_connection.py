"""Opening a SQLite file while another process switches it to write-ahead logging (WAL)."""

import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from masthead.store.engine.sqlite import connection as module
from masthead.store.engine.sqlite.connection import open_file

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
