"""Temporary files of tests in a folder of their own, which no process uses when it is deleted."""

import contextlib
import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tests.support.waiting import PATIENCE


@contextlib.contextmanager
def private_folder() -> Iterator[Path]:
    """A new folder; processes that are started in the block can have it as their `TMPDIR`.

    Those that outlive a killed server for a moment still write into it: they end before it is
    deleted, or an AssertionError names them.
    """
    with tempfile.TemporaryDirectory(prefix="masthead-tests-") as folder:
        yield Path(folder)
        began = time.monotonic()
        while users := list(_processes_with(f"TMPDIR={folder}")):
            assert time.monotonic() - began < PATIENCE, f"still running: {users}"
            time.sleep(0.01)


def _processes_with(variable: str) -> Iterator[str]:
    """The command lines of the other processes that were started with this in the environment."""
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # of another user, or it has ended
            if os.fsencode(variable) in (process / "environ").read_bytes().split(b"\0"):
                yield (process / "cmdline").read_text("utf-8", "replace").replace("\0", " ")
