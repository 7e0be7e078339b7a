"""The files of a SQLite database: create them, and detect that they were moved or replaced.

A connection continues to use the files that it has opened, even if their paths now lead to other
files: anything written to a removed file is lost. decision 0035.
"""

import os
import threading
import time
from contextlib import suppress
from pathlib import Path

import structlog

from masthead.model.errors import Unavailable
from masthead.store.engine.interface import DatabaseError
from masthead.store.engine.private_files import create_private, give_like

log = structlog.get_logger()

LOG, INDEX, JOURNAL = "-wal", "-shm", "-journal"  # suffixes that SQLite adds to the name
VERIFIED_SECONDS = 0.05  # for which the last check counts, unless something was committed
_MARKER = """\
masthead has worked with the database `{name}` here. If that file is missing, `masthead serve`
refuses to start, so that it cannot serve a new empty database by mistake.
Run `masthead migrate` to create a new database on purpose.
"""

Identity = tuple[int, int]


def companions(path: Path) -> dict[str, Path]:
    """The files that SQLite keeps next to a database, by suffix."""
    real = os.path.realpath(path)  # SQLite follows links and creates them next to the target
    return {suffix: Path(real + suffix) for suffix in (LOG, INDEX, JOURNAL)}


def marker_of(path: Path) -> Path:
    """The file that records that a database existed; `rm masthead.db*` does not remove it."""
    return path.with_name(f".{path.name}.created")


def leave_marker(path: Path) -> None:
    """Record that there is a database at that path."""
    marker = marker_of(path)
    try:
        descriptor = create_private(marker)
    except OSError:  # it already exists, or the folder is read-only
        return
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(_MARKER.format(name=path.name))
    give_like(marker, path.parent)


def is_missing(path: Path) -> bool:
    """Whether there is no database at that path, or an empty file."""
    return not path.exists() or path.stat().st_size == 0


def require_new(path: Path) -> None:
    """Raises: DatabaseError if there has been a database at that path."""
    others = companions(path)
    if any(trace.exists() for trace in (marker_of(path), others[LOG], others[INDEX])):
        state = "is empty" if path.exists() else "is missing"
        raise DatabaseError(
            f"The database `{path}` {state}, but there was one before. Mount its disk or restore "
            "a backup; to create a new, empty database, run `masthead migrate`."
        )


def create_file(path: Path) -> None:
    """Create an empty file for a new database, unless it exists.

    Raises: DatabaseError if this would destroy the log of another database.
    """
    leftover = companions(path)[LOG]
    if is_missing(path) and leftover.exists() and leftover.stat().st_size:
        raise DatabaseError(
            f"The database `{path}` is missing, but `{leftover.name}` holds changes to it. "
            f"Restore the database, or move `{leftover}` away to create a new one."
        )
    if not path.exists():
        real = Path(os.path.realpath(path))
        with suppress(FileExistsError):  # another process was faster
            os.close(create_private(real))
            give_like(real, real.parent)


def _identity(path: Path) -> Identity | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


class OpenFiles:
    """The database files that this process has open."""

    def __init__(self, path: Path) -> None:
        """Call before the first connection is opened."""
        self._known: dict[Path, Identity | None] = {path: _identity(path)}
        self._path = path
        self._is_damaged = False
        self._verified_at = float("-inf")
        self._lock = threading.Lock()

    def complete(self) -> None:
        """Call after the first connection is opened, while SQLite keeps all its files.

        Raises: Unavailable if the database was replaced in between.
        """
        others = companions(self._path)
        self._known |= {others[suffix]: _identity(others[suffix]) for suffix in (LOG, INDEX)}
        self.verify()

    def verify(self) -> None:
        """Raises: Unavailable if a path does not lead to the file that is open."""
        with self._lock:  # otherwise, an older result might be reported after a newer one
            fault = self._find_fault()
            self._report(fault)
        if fault:
            raise Unavailable("The database's files were moved or replaced")
        self._verified_at = time.monotonic()

    def verify_if_due(self) -> None:
        """Call `verify`, unless it succeeded a moment ago."""
        if time.monotonic() - self._verified_at > VERIFIED_SECONDS:
            self.verify()

    def _find_fault(self) -> tuple[Path, str] | None:
        for path, known in self._known.items():
            found = _identity(path)
            if found is None or found != known:
                return path, "missing" if found is None else "replaced"
        return None

    def _report(self, fault: tuple[Path, str] | None) -> None:
        """Log damage once: a missing log becomes a replaced one when another program opens it."""
        if self._is_damaged == (fault is not None):
            return
        self._is_damaged = fault is not None
        if fault:
            path, state = fault
            log.error("database file moved or replaced", file=str(path), state=state)
        else:
            log.warning("database files are back", file=str(self._path))
