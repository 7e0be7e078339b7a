"""Memory that the workers of a server share. Their supervisor makes it, and it ends with that."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import structlog

log = structlog.get_logger()


@contextmanager
def shared_memory(variable: str, size: int, *, without: str) -> Iterator[None]:
    """Make memory for the workers that this process starts during the block.

    variable: the environment variable that has its path meanwhile. size: bytes; only what is used
    takes memory. without: logged if a sandbox of the system forbids it. Then, and without Linux,
    there is none, and each worker has its own.
    """
    file = _create(variable, size, without)
    if file is None:
        yield
        return
    os.environ[variable] = f"/proc/{os.getpid()}/fd/{file}"
    try:
        yield
    finally:
        os.environ.pop(variable, None)
        os.close(file)


def _create(name: str, size: int, without: str) -> int | None:
    """A file in memory, without a path of its own; None if there can be none."""
    if sys.platform != "linux":
        return None
    try:
        file = os.memfd_create(name)
        os.truncate(file, size)
    except OSError as reason:
        log.warning(without, reason=str(reason))
        return None
    return file
