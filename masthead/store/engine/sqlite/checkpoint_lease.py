"""A lease so that only one process at a time runs a checkpoint of a SQLite file."""

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def checkpoint_lease(path: Path) -> Iterator[bool]:
    """Take the lease for the block, without waiting; whether this thread has it.

    The lease is an operating system lock on the log's file, which SQLite itself never locks. It is
    released when the process ends in any way. It does not touch the files that SQLite locks (the
    database and `-shm`): opening and closing one of them would drop SQLite's own locks in this
    process.
    """
    try:
        log = os.open(f"{path}-wal", os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:  # it was removed; open connections still copy their log
        yield True
        return
    try:
        yield _is_locked_by_us(log)
    finally:
        os.close(log)  # which ends the lease


def _is_locked_by_us(file: int) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
