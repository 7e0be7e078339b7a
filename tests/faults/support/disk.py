"""A virtual file system for SQLite that reports every call to a test, before and after the call.

It wraps SQLite's own `unix` VFS, so locks and shared memory are the real ones; SQLite opens `-shm`
below the VFS, so no call on that file is seen. Directory syncs are observed, not assumed: SQLite
opens a directory only to sync it, and that system call can be replaced.
"""

import ctypes
import itertools
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, cast

import apsw

_names = itertools.count(1)
_OPEN_DIRECTORY = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_char_p, ctypes.POINTER(ctypes.c_int))


@dataclass(frozen=True)
class Call:
    """A call that SQLite makes to the file system. file: the name without its folder."""

    kind: str  # open, read, write, truncate, sync, delete or sync directory
    file: str
    offset: int = 0
    data: bytes = b""
    size: int = 0


class Watcher(Protocol):
    """How a test handles the calls, one at a time."""

    def before(self, call: Call) -> None:
        """Raise an exception of APSW to make the call fail."""
        ...

    def after(self, call: Call) -> None:
        """The call has succeeded."""
        ...


class _Disk(apsw.VFS):
    """The VFS. All its files share one lock, so the order of the calls is certain."""

    def __init__(self, folder: Path, watcher: Watcher) -> None:
        self.folder, self.watcher = folder, watcher
        self.lock = threading.RLock()
        self.name = f"watched-{next(_names)}"
        super().__init__(self.name, "unix", makedefault=True)

    def is_watched(self, path: str | None) -> bool:
        """Whether a file belongs to the test; temporary files of SQLite have no name."""
        return path is not None and self.folder in Path(path).parents

    @contextmanager
    def watched(self, call: Call) -> Iterator[None]:
        """Report a call to the test, without other calls in between."""
        with self.lock:
            self.watcher.before(call)
            yield
            self.watcher.after(call)

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:  # noqa: N802 - SQLite's name
        path = name.filename() if isinstance(name, apsw.URIFilename) else name
        if not self.is_watched(path):
            return super().xOpen(name, flags)
        file = Path(cast(str, path)).name
        with self.watched(Call("open", file)):
            return _File(self, file, name, flags)

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802 - SQLite's name
        if not self.is_watched(filename):
            super().xDelete(filename, syncdir)
            return
        with self.watched(Call("delete", Path(filename).name)):
            super().xDelete(filename, syncdir)

    @contextmanager
    def directory_syncs_watched(self) -> Iterator[None]:
        """Report the directory syncs too, which SQLite makes below the VFS."""
        real = _OPEN_DIRECTORY(cast(int, self.xGetSystemCall("openDirectory")))

        def open_directory(path: bytes, descriptor: object) -> int:
            if self.is_watched(path.decode()):
                with self.watched(Call("sync directory", "")):
                    return int(real(path, descriptor))
            return int(real(path, descriptor))

        callback = _OPEN_DIRECTORY(open_directory)
        pointer = cast(int, ctypes.cast(callback, ctypes.c_void_p).value)
        self.xSetSystemCall("openDirectory", pointer)
        try:
            yield
        finally:
            self.xSetSystemCall("openDirectory", 0)


class _File(apsw.VFSFile):
    """A file of that VFS."""

    def __init__(
        self, disk: _Disk, file: str, name: str | apsw.URIFilename | None, flags: list[int]
    ) -> None:
        self._disk, self._file = disk, file
        super().__init__("unix", name, flags)

    def xRead(self, amount: int, offset: int) -> bytes:  # noqa: N802 - SQLite's name
        with self._disk.watched(Call("read", self._file, offset, size=amount)):
            return super().xRead(amount, offset)

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802 - SQLite's name
        with self._disk.watched(Call("write", self._file, offset, bytes(data))):
            super().xWrite(data, offset)

    def xTruncate(self, newsize: int) -> None:  # noqa: N802 - SQLite's name
        with self._disk.watched(Call("truncate", self._file, size=newsize)):
            super().xTruncate(newsize)

    def xSync(self, flags: int) -> None:  # noqa: N802 - SQLite's name
        with self._disk.watched(Call("sync", self._file)):
            super().xSync(flags)


@contextmanager
def watched_disk(folder: Path, watcher: Watcher) -> Iterator[None]:
    """Watch every connection that this process opens to a file in the folder during the block."""
    disk = _Disk(folder.resolve(), watcher)
    try:
        with disk.directory_syncs_watched():
            yield
    finally:
        disk.unregister()


class _ReadOnlyFile(apsw.VFSFile):
    """A file of that VFS, which cannot be locked for writing."""

    def xLock(self, level: int) -> None:  # noqa: N802 - SQLite's name
        if level > apsw.SQLITE_LOCK_SHARED:
            raise apsw.BusyError("read-only")
        super().xLock(level)


class _ReadOnly(apsw.VFS):
    """A VFS that opens databases read-only, as SQLite does without write permission."""

    def __init__(self) -> None:
        super().__init__(f"read-only-{next(_names)}", "unix", makedefault=True)

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:  # noqa: N802 - SQLite's name
        if flags[0] & apsw.SQLITE_OPEN_MAIN_DB:
            flags[0] &= ~(apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE)
            flags[0] |= apsw.SQLITE_OPEN_READONLY
        return _ReadOnlyFile("unix", name, flags)


@contextmanager
def read_only_disk() -> Iterator[None]:
    """Every database that this process opens during the block is read-only."""
    disk = _ReadOnly()
    try:
        yield
    finally:
        disk.unregister()
