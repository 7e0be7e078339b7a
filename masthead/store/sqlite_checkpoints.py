"""What was committed moves from SQLite's log into the file, by a thread that no request waits for.

A commit appends to the log (`-wal`); a checkpoint copies it into the file, and the log begins anew.
SQLite would do that inside the commit that fills 4 MB. decision 0021.
"""

import contextlib
import os
import threading
from pathlib import Path

import apsw
import structlog

from masthead.store.sqlite_connection import open_file

log = structlog.get_logger()

SECONDS = 1.0  # between a commit and the checkpoint that covers it, about
LOG_BYTES = 64 * 2**20  # of log, beyond which the writer lends a hand, and the log's file shrinks


def leave_log(connection: apsw.Connection) -> None:
    """Let commits of a connection append to the log and do nothing else with it."""
    connection.wal_autocheckpoint(0)
    connection.pragma("journal_size_limit", LOG_BYTES)


def bound_log(connection: apsw.Connection, path: Path) -> None:
    """Between two writes: make a checkpoint if the log of the file at `path` has grown too long.

    The log begins anew only when a checkpoint has reached its end while nobody writes, which the
    thread below never sees under writes that follow each other without a pause.
    """
    with contextlib.suppress(OSError):  # there is no log yet
        if os.stat(f"{path}-wal").st_size > LOG_BYTES:
            _checkpoint(connection)


def _checkpoint(connection: apsw.Connection) -> None:
    """Go as far as it gets without waiting for anyone, or anyone for it."""
    try:
        connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
    except apsw.Error as reason:
        log.warning("checkpoint put off", reason=str(reason))


class Checkpointer:
    """The thread, and its connection. Each process looks after what it has written itself."""

    def __init__(self, path: Path) -> None:
        self._connection = open_file(path, read_only=False)
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
            _checkpoint(self._connection)
