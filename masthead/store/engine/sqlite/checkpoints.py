"""What was committed moves from SQLite's log into the file, by a thread that no request waits for.

A commit appends to the log (`-wal`); a checkpoint copies it into the file, and the log begins anew.
SQLite would do that inside the commit that fills 4 MB. decisions 0021 and 0028.
"""

import contextlib
import os
import threading
import time
from pathlib import Path

import apsw
import structlog

from masthead.store.engine.sqlite.checkpoint_lease import checkpoint_lease
from masthead.store.engine.sqlite.connection import JOURNAL_BYTES, error_name, open_file

log = structlog.get_logger()

SECONDS = 1.0  # between a commit and the checkpoint that covers it, about
LOG_BYTES = JOURNAL_BYTES  # of log, above which the writer makes a checkpoint itself
LARGE_BYTES = 4 * LOG_BYTES  # of log; bulk writes leave less unless a reader blocks checkpoints
WARNING_SECONDS = 60.0  # between two warnings about the same large log


def bound_log(connection: apsw.Connection, path: Path) -> None:
    """Between two writes: make a checkpoint if the log of the file at `path` has grown too long.

    The log begins anew only when a checkpoint has reached its end while nobody writes, which the
    thread below never sees under writes that follow each other without a pause.
    """
    if log_bytes(path) > LOG_BYTES:
        checkpoint(connection, path)


def log_bytes(path: Path) -> int:
    """The size of the log of the file at `path`; 0 if it cannot be told."""
    # there is no log yet, or its folder cannot be read; the threads that ask must go on
    with contextlib.suppress(OSError):
        return os.stat(f"{path}-wal").st_size
    return 0


def checkpoint(connection: apsw.Connection, path: Path) -> bool:
    """Copy the log into the file, as far as possible without waiting for other connections.

    Returns: whether no other thread or process was making a checkpoint.

    It does nothing if another thread or process is making a checkpoint, or if there is nothing to
    copy. This prevents the WAL-reset defect on any SQLite: the defect needs a checkpoint that
    begins when the whole log is copied, while a commit restarts the log. As long as frames are
    not copied, no commit restarts the log; and while we hold the lease, no other checkpoint
    copies them.
    """
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

    def look(self) -> None:
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
    """The thread, and its connection. Each process looks after what it has written itself."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._connection = open_file(path, read_only=False)
        self._large_log = LargeLog(path)
        self._has_work, self._closes = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._watch, name="checkpoints", daemon=True)
        self._thread.start()

    def wake(self) -> None:
        """Something was committed."""
        self._has_work.set()

    def close(self) -> None:
        """Stop; what is left is done when the last connection to the file closes."""
        self._closes.set()
        self._has_work.set()
        self._thread.join()
        self._connection.close()

    def _watch(self) -> None:
        """The thread: a moment after a commit, a checkpoint of all that came until then."""
        while self._has_work.wait() and not self._closes.wait(SECONDS):
            self._has_work.clear()
            if not checkpoint(self._connection, self._path):
                self._has_work.set()  # try again: the other one may have started before our commit
            self._large_log.look()
