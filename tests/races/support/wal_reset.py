"""Two processes that reproduce SQLite's WAL-reset defect, and a process that watches them.

The sequence: a checkpoint copies the whole log; another one begins; before it ends, a commit of
another process restarts the log. The checkpointer runs one checkpoint after the other and is paused
at any moment, while the writer commits. The watcher has no connection of its own.
"""

import mmap
import os
import random
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, cast

import apsw

from masthead.store.engine.sqlite.checkpoints import checkpoint
from masthead.store.engine.sqlite.connection import open_file
from tests.support.waiting import PATIENCE

ROWS = 40  # of the table, a page each
MANY = 12  # rows that a large commit changes


# --- the processes --------------------------------------------------------------------------------


def system_connection(path: Path) -> Any:
    """A connection of the interpreter's own SQLite, which may have the defect."""
    import sqlite3  # noqa: PLC0415, TID251 - only here, on a file of no value

    connection = sqlite3.connect(path, isolation_level=None)
    for pragma in ("journal_mode = WAL", "synchronous = OFF", "wal_autocheckpoint = 0"):
        connection.execute(f"PRAGMA {pragma}")
    return connection


class Noting:
    """A masthead connection that sets a shared byte while a checkpoint has nothing to copy."""

    def __init__(self, path: Path) -> None:
        self._connection, self._note = open_file(path, read_only=False), shared(path)

    def wal_checkpoint(self, mode: int) -> tuple[int, int]:
        """Call the method of the connection."""
        if mode == apsw.SQLITE_CHECKPOINT_NOOP:
            return self._connection.wal_checkpoint(mode=mode)
        frames, copied = self._connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_NOOP)
        self._note[0] = int(frames == copied)
        try:
            return self._connection.wal_checkpoint(mode=mode)
        finally:
            self._note[0] = 0


def shared(path: Path) -> mmap.mmap:
    """The byte that the checkpointer shares with the watcher."""
    with Path(f"{path}-note").open("r+b") as file:
        return mmap.mmap(file.fileno(), 1)


def say(word: object) -> None:
    """Respond to the watcher."""
    sys.stdout.write(f"{word}\n")
    sys.stdout.flush()


def run_checkpoints(kind: str, path: Path) -> None:
    """Run one checkpoint after the other, without end."""
    if kind == "system":
        execute = system_connection(path).execute
        step: Callable[[], object] = lambda: execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()  # noqa: E731
    else:
        noting = Noting(path)
        step = {
            "unguarded": lambda: noting.wal_checkpoint(apsw.SQLITE_CHECKPOINT_PASSIVE),
            "masthead": lambda: checkpoint(cast(apsw.Connection, noting), path),
        }[kind]
    say("ready")
    while True:
        step()


def run_commits(kind: str, path: Path) -> None:
    """Commit once for each input line: the rows in its range get the number of the line."""
    connection = system_connection(path) if kind == "system" else open_file(path, read_only=False)
    connection.execute("PRAGMA synchronous = OFF")
    say("ready")
    for number, line in enumerate(sys.stdin, start=1):
        first, last = map(int, line.split())
        connection.execute("BEGIN IMMEDIATE")
        connection.execute(
            "UPDATE sample SET n = ? WHERE id BETWEEN ? AND ?", (number, first, last)
        )
        connection.execute("COMMIT")
        say(number)


# --- the watcher ----------------------------------------------------------------------------------


class Schedule:
    """Both processes, and the state of the log's index."""

    def __init__(self, path: Path, checkpointer: subprocess.Popen[str], writer: Any) -> None:
        self._checkpointer, self._writer = checkpointer, writer
        self._note = shared(path)
        self.expected = dict.fromkeys(range(1, ROWS + 1), 0)
        self.commit(1, MANY)
        with Path(f"{path}-shm").open("rb") as file:
            self._index = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)

    def commit(self, first: int, last: int) -> None:
        """Let the writer change the rows of a range."""
        self._writer.stdin.write(f"{first} {last}\n")
        self._writer.stdin.flush()
        number = int(self._writer.stdout.readline())
        self.expected |= dict.fromkeys(range(first, last + 1), number)

    def frames(self) -> tuple[int, int]:
        """How many frames the log has, and how many of them count as copied."""
        head = self._index[:100]  # as described on sqlite.org/walformat.html
        return struct.unpack_from("=I", head, 16)[0], struct.unpack_from("=I", head, 96)[0]

    def is_copied(self) -> bool:
        """Whether the checkpointer has copied the whole log."""
        frames, copied = self.frames()
        return frames == copied > 0

    def interfere(self) -> bool:
        """Stop the checkpointer once all is copied, restart the log, and let it go on.

        A commit cannot restart it while the checkpoint that has copied all still holds its lock:
        then, the checkpointer is stopped again.

        Returns: whether it was stopped within a further checkpoint.
        """
        began = time.monotonic()
        while True:
            self.commit(1, MANY)
            while not self.is_copied():
                assert time.monotonic() - began < PATIENCE, self.frames()
                time.sleep(0.0002)
            time.sleep(random.random() * 0.0003)
            with self.stopped():
                was_within, frames = bool(self._note[0]), self.frames()
                self.commit(20, 20)
                if self.frames()[0] < frames[0]:
                    return was_within
            assert time.monotonic() - began < PATIENCE, "the log was not restarted"

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """Pause the checkpointer during the block."""
        os.kill(self._checkpointer.pid, signal.SIGSTOP)
        os.waitpid(self._checkpointer.pid, os.WUNTRACED)
        try:
            yield
        finally:
            os.kill(self._checkpointer.pid, signal.SIGCONT)

    def is_damaged(self) -> bool:
        """Whether the log's index counts frames as copied that are not in the log."""
        time.sleep(0.001)
        frames, copied = self.frames()
        return copied > frames

    def fill_up(self) -> None:
        """Continue to commit, without checkpoints, until the log restarts at the wrong place."""
        self._checkpointer.kill()
        for row in range(1, MANY + 2):
            self.commit(row, row)


@contextmanager
def scheduled(kind: str, path: Path) -> Iterator[Schedule]:
    """Both processes at work on a new file. kind: `system`, `unguarded` or `masthead`."""
    with suppress(FileNotFoundError):
        path.unlink()
    connection = apsw.Connection(str(path))
    connection.pragma("journal_mode", "WAL")
    connection.execute("CREATE TABLE sample (id integer PRIMARY KEY, n integer, filling blob)")
    rows = [(id,) for id in range(1, ROWS + 1)]
    connection.executemany("INSERT INTO sample VALUES (?, 0, zeroblob(3000))", rows)
    connection.close()
    Path(f"{path}-note").write_bytes(b"\0")
    # the writer starts first, because it creates the log
    writer = _start("commits", kind, path)
    checkpointer = _start("checkpoints", kind, path)
    try:
        yield Schedule(path, checkpointer, writer)
    finally:
        for process in (checkpointer, writer):
            process.kill()
            process.communicate(timeout=PATIENCE)


def _start(role: str, kind: str, path: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.races.support.wal_reset", role, kind, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    said = cast(IO[str], process.stdout).readline()
    assert said == "ready\n", said
    return process


def rows_of(path: Path) -> dict[int, int]:
    """The content of the file, as a new connection sees it."""
    connection = open_file(path, read_only=True)
    try:
        rows: list[Any] = connection.execute("SELECT id, n FROM sample").fetchall()
        return dict(rows)
    finally:
        connection.close()


if __name__ == "__main__":
    {"commits": run_commits, "checkpoints": run_checkpoints}[sys.argv[1]](
        sys.argv[2], Path(sys.argv[3])
    )
