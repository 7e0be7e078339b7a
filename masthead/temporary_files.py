"""Temporary files, which may have personal data: a killed process leaves none for long.

All of a process are in a private folder, which it locks for as long as it lives.
"""

import atexit
import fcntl
import os
import shutil
import tempfile
import weakref
from contextlib import suppress
from errno import EPERM
from pathlib import Path
from stat import S_ISDIR

PREFIX = "masthead-tmp-"
_OPEN = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class TemporaryFile:
    """An empty file that only its owner can read. It is deleted with this object."""

    def __init__(self, suffix: str = "") -> None:
        descriptor, name = tempfile.mkstemp(suffix=suffix)
        os.close(descriptor)
        self.path = Path(name)
        self.delete = weakref.finalize(self, self.path.unlink, missing_ok=True)

    def __reduce__(self) -> tuple[object, ...]:
        return _OfAnotherProcess, (self.path,)  # where it is pickled to


class _OfAnotherProcess(TemporaryFile):
    """The same file in another process, which does not delete it."""

    def __init__(self, path: Path) -> None:
        self.path = path


def use_own_folder() -> Path | None:
    """Create a folder for the temporary files of this process, which is deleted when it ends.

    It also deletes the folders of killed processes. None if no temporary file can be written here:
    most commands need none.
    """
    try:
        parent = _shared_parent()
        delete_abandoned(parent)
        folder, _descriptor = create_folder(parent)
    except OSError:
        return None
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    tempfile.tempdir = str(folder)
    return folder


def create_folder(parent: Path) -> tuple[Path, int]:
    """A new private folder, and its descriptor, which holds its lock until it is closed."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent))
        try:
            descriptor = os.open(folder, _OPEN)
        except FileNotFoundError:  # `delete_abandoned` was faster
            continue
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        if folder.is_dir():
            return folder, descriptor
        os.close(descriptor)


def delete_abandoned(parent: Path | None = None) -> None:
    """Delete the folders of processes that have ended. parent: None for where they usually are."""
    for folder in (parent or _shared_parent()).glob(f"{PREFIX}*"):
        try:
            descriptor = os.open(folder, _OPEN)
        except OSError:  # of another user, or deleted meanwhile
            continue
        try:
            if os.fstat(descriptor).st_uid == os.geteuid():
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
        except BlockingIOError:  # its process is alive
            continue
        finally:
            os.close(descriptor)


def shared_folder(name: str) -> Path:
    """A folder for all processes of this user on this machine, which only they can open.

    Raises: OSError if it belongs to somebody else.
    """
    folder = _shared_parent() / f"masthead-{name}-{os.geteuid()}"
    with suppress(FileExistsError):
        folder.mkdir(0o700)
    found = folder.lstat()
    if not S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
        raise PermissionError(EPERM, "It belongs to another user", str(folder))
    return folder


def _shared_parent() -> Path:
    """Where the folders of all processes are."""
    folder = Path(tempfile.gettempdir())
    return folder.parent if folder.name.startswith(PREFIX) else folder
