"""Rewriting a SQLite file, while others use it."""

from contextlib import closing
from pathlib import Path

import apsw
import pytest

from masthead.model.errors import Unavailable
from masthead.store.engine.interface import sqlite_path
from masthead.store.engine.sqlite import cleaning
from masthead.store.engine.sqlite.checkpoint_lease import checkpoint_lease
from masthead.store.engine.sqlite.connection import open_file


@pytest.fixture
def path(scratch_url: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A SQLite file with a log."""
    if not scratch_url.startswith("sqlite"):
        pytest.skip("SQLite only")
    monkeypatch.setattr(cleaning, "PAUSE_SECONDS", 0.0)
    monkeypatch.setattr(cleaning, "ATTEMPTS", 3)
    return sqlite_path(scratch_url)


def test_the_log_is_empty_afterwards(path: Path) -> None:
    with closing(open_file(path, read_only=False)) as other:
        other.execute("INSERT INTO secret (name, value) VALUES ('a', 'b')")
        cleaning.clean_files(path)
        assert Path(f"{path}-wal").stat().st_size == 0


def test_the_log_of_a_file_that_others_check_is_waited_for(path: Path) -> None:
    with closing(open_file(path, read_only=False)) as other, checkpoint_lease(path):
        other.execute("SELECT 1").fetchall()
        with pytest.raises(Unavailable, match="in use all the time"):
            cleaning.clean_files(path)


def test_who_reads_an_old_snapshot_is_waited_for(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def impatient(path: Path, *, read_only: bool) -> apsw.Connection:
        connection = open_file(path, read_only=read_only)
        connection.set_busy_timeout(10)
        return connection

    monkeypatch.setattr(cleaning, "open_file", impatient)
    with closing(open_file(path, read_only=True)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM secret").fetchall()
        with pytest.raises(Unavailable, match="in use all the time"):
            cleaning.clean_files(path)
    with closing(open_file(path, read_only=False)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        with pytest.raises(Unavailable, match="busy"):
            cleaning.clean_files(path)
