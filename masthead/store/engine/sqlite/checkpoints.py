"""Checkpoints of SQLite's write-ahead log (WAL), in a thread, so that no request waits for them.

A commit appends to the log (`-wal`); a checkpoint copies the log into the database file, and the
log restarts. By default SQLite does that inside a commit once the log has 4 MB. decisions 0021 and
0028.
"""

import contextlib
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import apsw
import structlog

from masthead.store.engine.sqlite.checkpoint_lease import checkpoint_lease
from masthead.store.engine.sqlite.connection import JOURNAL_BYTES, error_name, open_file

log = structlog.get_logger()

DELAY_SECONDS = 1.0  # between a commit and its checkpoint, approximately
LOG_BYTES = 4 * JOURNAL_BYTES  # size of the log above which the writer runs a checkpoint itself
# Bulk writes leave a smaller log, unless a reader blocks checkpoints. Litestream empties one of
# 497 MB
LARGE_BYTES = 2 * LOG_BYTES
WARNING_SECONDS = 60.0  # between two warnings about the same large log


class CheckpointTimes:
    """The checkpoints of a thread: their number, their duration, and the end of the last one."""

    def __init__(self) -> None:
        self.count, self.seconds, self.ended = 0, 0.0, 0.0

    @contextlib.contextmanager
    def counted(self) -> Iterator[None]:
        """Count a checkpoint."""
        began = time.perf_counter()
        yield
        self.count += 1
        self.seconds += time.perf_counter() - began
        self.ended = time.time()


def bound_log(connection: apsw.Connection, path: Path, times: CheckpointTimes) -> None:
    """Run a checkpoint between two writes if the log of the file at `path` is too large.

    The log restarts only if a checkpoint reaches its end while there is no write. Under continuous
    writes the thread below never reaches the end.
    """
    if log_bytes(path) > LOG_BYTES:
        with times.counted():
            checkpoint(connection, path)


def log_bytes(path: Path) -> int:
    """The size of the log of the file at `path`; 0 if it is unknown."""
    # there is no log yet, or its folder cannot be read; the calling threads must continue
    with contextlib.suppress(OSError):
        return os.stat(f"{path}-wal").st_size
    return 0


def is_left_to_litestream(path: Path) -> bool:
    """Whether only Litestream runs checkpoints, because it copies the log of the file at `path`.

    Once another program has copied the whole log into the file, a commit may begin the log again,
    over pages that Litestream has not read yet: what it restores is then damaged (decision 0088).
    A log that is larger than Litestream lets it become says that it does not run.
    """
    return _litestream_folder(path).is_dir() and log_bytes(path) <= LARGE_BYTES


def litestream_moment(path: Path) -> float:
    """When Litestream last read changes from the log of the file at `path`; 0 without Litestream.

    As Unix time. It says nothing about whether Litestream has copied them to its replica.
    """
    with contextlib.suppress(OSError):  # it has read nothing yet, or the folder cannot be read
        return os.stat(_litestream_folder(path) / "ltx/0").st_mtime
    return 0.0


def _litestream_folder(path: Path) -> Path:
    """The folder of Litestream beside the file at `path`."""
    return path.with_name(f".{path.name}-litestream")


def checkpoint(connection: apsw.Connection, path: Path) -> bool:
    """Copy the log into the file, as far as possible without waiting for other connections.

    Returns: False if another thread or process is running a checkpoint, otherwise True.

    It does nothing if another thread or process is running a checkpoint, if Litestream does that,
    or if there is nothing to copy. This prevents the WAL-reset defect on any SQLite: the defect
    needs a checkpoint that begins when the whole log is copied, while a commit restarts the log. As
    long as frames are not copied, no commit restarts the log; and while we hold the lease, no other
    checkpoint copies them.
    """
    if is_left_to_litestream(path):
        return True
    try:
        with checkpoint_lease(path) as is_ours:
            if is_ours and _has_frames_to_copy(connection):
                connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
            return is_ours
    except (apsw.Error, OSError) as reason:
        log.warning("checkpoint put off", reason=str(reason), code=error_name(reason))
        return True


def _has_frames_to_copy(connection: apsw.Connection) -> bool:
    frames, copied = connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_NOOP)
    return copied < frames


class LargeLog:
    """Warns if the log stays large because a reader holds an old snapshot."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._since: float | None = None  # by the monotonic clock
        self._warned = 0.0

    def check(self) -> None:
        """Warn if the log has been too large for a while; at most once a minute."""
        size, now = log_bytes(self._path), time.monotonic()
        if size <= LARGE_BYTES:
            self._since = None
            return
        if self._since is None:
            self._since, self._warned = now, now - WARNING_SECONDS
        if now - self._warned >= WARNING_SECONDS:
            self._warned = now
            log.warning(
                "SQLite log cannot be emptied; a reader holds an old snapshot",
                bytes=size,
                seconds=round(now - self._since),
            )


class Checkpointer:
    """Runs checkpoints in a thread. Each process does so after its own writes."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._connection: apsw.Connection | None = None  # most commands need none
        self._large_log, self.times = LargeLog(path), CheckpointTimes()
        self._has_work, self._closes = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, name="checkpoints", daemon=True)
        self._thread.start()

    def wake(self) -> None:
        """Call after a commit: run a checkpoint soon."""
        self._has_work.set()

    def close(self) -> None:
        """Stop the thread. SQLite copies the rest when the last connection closes."""
        self._closes.set()
        self._has_work.set()
        self._thread.join()
        if self._connection is not None:
            self._connection.close()

    def _checkpoint(self) -> bool:
        """Run a checkpoint, as `checkpoint` does."""
        try:
            if self._connection is None:
                self._connection = open_file(self._path, read_only=False)
        except apsw.Error as reason:
            log.warning("checkpoint put off", reason=str(reason), code=error_name(reason))
            return True
        return checkpoint(self._connection, self._path)

    def _run(self) -> None:
        """The thread: run a checkpoint a moment after a commit."""
        while self._has_work.wait() and not self._closes.wait(DELAY_SECONDS):
            self._has_work.clear()
            if self._closes.is_set():  # after the wait: `close` has set what was cleared
                return
            with self.times.counted():
                is_ours = self._checkpoint()
            if not is_ours:
                self._has_work.set()  # retry: the other one may have started before our commit
            self._large_log.check()
