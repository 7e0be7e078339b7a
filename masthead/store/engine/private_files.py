"""Create files and folders that only their owner can open: they contain personal data."""

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from errno import ENOTDIR
from pathlib import Path
from typing import TextIO

PRIVATE, PRIVATE_FOLDER = 0o600, 0o700
_OTHERS = 0o077  # the permissions of the group and of all others


def create_private(path: Path) -> int:
    """Create an empty file; returns its descriptor. Raises: FileExistsError, other OSError."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, PRIVATE)
    os.fchmod(descriptor, PRIVATE)  # even if a strict umask would deny access to the owner
    return descriptor


def open_private(path: Path) -> TextIO:
    """Create a text file for writing; removes an existing one first. Raises: OSError."""
    path.unlink(missing_ok=True)
    return os.fdopen(create_private(path), "w", encoding="utf-8", newline="")


def create_private_folder(path: Path) -> None:
    """Create a private folder and those above it, unless they exist. The umask does not matter.

    `Path.mkdir` would let others write into the folders above it. Raises: OSError.
    """
    if path.is_dir():
        return
    create_private_folder(path.parent)
    with suppress(FileExistsError):  # another process was faster
        path.mkdir(mode=PRIVATE_FOLDER)
        path.chmod(PRIVATE_FOLDER)
        give_like(path, path.parent)
    if not path.is_dir():
        raise NotADirectoryError(ENOTDIR, os.strerror(ENOTDIR), str(path))


def give_like(path: Path, model: Path) -> None:
    """Give a new file or folder to the owner and the group of another one, if this is root.

    So a command that runs with `sudo` leaves nothing that the user of the service cannot open.
    """
    owner = model.stat()
    with suppress(OSError):  # not root, or a disk that does not let root do so
        os.chown(path, owner.st_uid, owner.st_gid, follow_symlinks=False)


def list_exposed(paths: Iterable[Path]) -> Iterator[tuple[Path, str]]:
    """The files that the group or others can open, with their permissions in octal."""
    for path in paths:
        try:
            mode = path.stat().st_mode
        except FileNotFoundError:
            continue
        if mode & _OTHERS:
            yield path, f"{mode & 0o777:04o}"
