"""Files and folders that are whole or absent, whatever stops the process."""

import contextlib
import fcntl
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import apsw

from masthead.store.engine.interface import DatabaseError
from masthead.store.engine.private_files import PRIVATE_FOLDER, create_private, give_like
from masthead.store.engine.sqlite.connection import open_file

BUSY_MILLISECONDS = 1_000  # that another program may need to close the file


@contextlib.contextmanager
def temporary_folder(path: Path, what: str) -> Iterator[Path]:
    """A new, private folder at that path for the block; the one of a killed process is replaced.

    what: names it in the message if another process uses it. Raises: DatabaseError; OSError.
    """
    path.mkdir(mode=PRIVATE_FOLDER, exist_ok=True)
    give_like(path, path.parent)
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)  # ends with this process
        except BlockingIOError:
            raise DatabaseError(f"Another {what} is running: it uses `{path}`.") from None
        for left in path.iterdir():
            shutil.rmtree(left) if left.is_dir() else left.unlink()
        try:
            yield path
        finally:
            shutil.rmtree(path, ignore_errors=True)
    finally:
        os.close(descriptor)


def require_folder(path: Path) -> None:
    """Raises: DatabaseError unless there is a folder at that path."""
    if not path.is_dir():
        raise DatabaseError(
            f"There is no folder `{path}`. Correct the path, or mount the disk that it is on."
        )


def sync(path: Path) -> None:
    """Make the content of a file, or the names in a folder, survive a power cut.

    No connection to the file may be open: closing it here would drop SQLite's locks.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_whole(path: Path, content: bytes) -> None:
    """Write a small file that is never there in part."""
    aside = path.with_name(f".{path.name}.new")
    aside.unlink(missing_ok=True)
    with os.fdopen(create_private(aside), "wb") as file:
        file.write(content)
    sync(aside)
    put_in_place(aside, path)


def finish_file(path: Path) -> None:
    """Copy the log of a closed SQLite file into it, and make the file survive a power cut."""
    with contextlib.closing(open_file(path, read_only=False)) as connection:
        connection.pragma("journal_mode", "DELETE")
    sync(path)


def put_in_place(file: Path, path: Path) -> None:
    """Replace the file at `path` in one step, and make that survive a power cut.

    The new file gets the owner of the old one, or of the folder.
    """
    give_like(file, path if path.exists() else path.parent)
    os.replace(file, path)
    sync(path.parent)


@contextlib.contextmanager
def closed_to_others(path: Path) -> Iterator[apsw.Connection]:
    """Hold a SQLite file that is not open elsewhere, in a transaction. Its log is copied into it.

    Raises: DatabaseError if a server or a command has it open; apsw.Error if it is damaged.
    """
    connection = apsw.Connection(str(path))
    try:
        connection.set_busy_timeout(BUSY_MILLISECONDS)
        connection.pragma("locking_mode", "EXCLUSIVE")
        try:
            connection.pragma("journal_mode", "DELETE")  # fails while others have it open
            connection.execute("BEGIN EXCLUSIVE")
        except apsw.BusyError as reason:
            raise DatabaseError(
                f"`{path}` is in use. Stop `masthead serve` and all other programs that have it "
                "open."
            ) from reason
        yield connection
    finally:
        connection.close()
