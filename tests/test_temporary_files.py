"""Temporary files are deleted with their process, however it ends."""

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from masthead.temporary_files import (
    PREFIX,
    TemporaryFile,
    create_folder,
    delete_abandoned,
    use_own_folder,
)

PROGRAM = """
import sys, tempfile
from masthead.temporary_files import use_own_folder
folder = use_own_folder()
open(tempfile.mkstemp()[1], "w").write("Ann Fox")
print(folder, flush=True)
sys.stdin.read()
"""


def start(place: Path) -> tuple["subprocess.Popen[bytes]", Path]:
    """A process with a temporary file, and its folder."""
    process = subprocess.Popen(
        [sys.executable, "-P", "-c", PROGRAM],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(place)},
    )
    assert process.stdout is not None
    return process, Path(process.stdout.readline().decode().strip())


@pytest.mark.crash
def test_the_files_of_a_killed_process_are_deleted_by_the_next_one(tmp_path: Path) -> None:
    killed, left = start(tmp_path)
    with killed:
        delete_abandoned(tmp_path)
        assert [path.read_text() for path in left.iterdir()] == ["Ann Fox"]
        assert left.stat().st_mode & 0o077 == 0
        killed.send_signal(signal.SIGKILL)
    assert left.exists(), "control: nothing else deletes them"
    ended, own = start(tmp_path)
    assert not left.exists()
    with ended:
        assert own.is_dir()
        ended.communicate()
    assert not list(tmp_path.iterdir())


def test_only_folders_of_this_kind_are_deleted(tmp_path: Path) -> None:
    for name in ("masthead-backup", "other"):
        (tmp_path / name).mkdir()
    target = tmp_path / "target"
    target.mkdir()
    (tmp_path / f"{PREFIX}link").symlink_to(target)
    (tmp_path / f"{PREFIX}file").write_text("")
    folder, descriptor = create_folder(tmp_path)
    delete_abandoned(tmp_path)
    assert folder.is_dir()
    os.close(descriptor)
    delete_abandoned(tmp_path)
    assert not folder.exists()
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"masthead-backup", "other", "target", f"{PREFIX}link", f"{PREFIX}file"}


def test_a_folder_that_is_deleted_before_its_lock_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = list[str]()

    def mkdtemp(*, prefix: str, dir: Path) -> str:
        path = dir / f"{prefix}{len(made)}"
        made.append(str(path))
        if len(made) > 1:
            path.mkdir()
        return str(path)

    monkeypatch.setattr(tempfile, "mkdtemp", mkdtemp)
    folder, descriptor = create_folder(tmp_path)
    os.close(descriptor)
    assert str(folder) == made[1]


def test_a_process_without_a_place_for_temporary_files_works(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "missing"))
    assert use_own_folder() is None


def test_a_file_is_deleted_with_its_object() -> None:
    file = TemporaryFile(".csv")
    path = file.path
    assert (path.suffix, path.stat().st_mode & 0o777) == (".csv", 0o600)
    del file
    assert not path.exists()
