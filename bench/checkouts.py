"""Other versions of masthead to compare this one with: a folder, or a commit or tag of it."""

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.options import ROOT


class NoSuchCheckout(Exception):
    """What to compare with is neither a folder nor a commit."""


@contextmanager
def checked_out(other: str) -> Iterator[Path]:
    """The folder of a checkout; that of a commit or a tag exists until the end of the block.

    Raises: NoSuchCheckout.
    """
    if (Path(other) / "masthead").is_dir():
        yield Path(other).resolve()
        return
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home) / "before"
        added = _git("worktree", "add", "--detach", str(folder), other)
        if added.returncode:
            raise NoSuchCheckout(
                f"`{other}` is neither the folder of a checkout nor a commit of this one; use a "
                f"folder, a tag such as `v0.2.0`, or a commit. git says: {added.stderr.strip()}"
            )
        try:
            yield folder
        finally:
            _git("worktree", "remove", "--force", str(folder))


def _git(*words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [shutil.which("git") or "git", *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
