"""What the benchmark says about the machine and the version that it measures."""

import subprocess
from pathlib import Path

import pytest

from bench import machine


def test_only_a_changed_file_marks_the_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine, "ROOT", tmp_path)
    author = ("-c", "user.name=A", "-c", "user.email=a@x.test")
    for command in (("init", "-q"), (*author, "commit", "-q", "--allow-empty", "-m", "first")):
        subprocess.run(("git", "-C", tmp_path, *command), check=True)
    (tmp_path / "bench" / "results").mkdir(parents=True)
    (tmp_path / "bench" / "results" / "pages-sqlite.json").touch()
    clean = machine.commit()
    (tmp_path / "bench" / "pages.py").touch()
    assert not clean.endswith("+")
    assert machine.commit() == f"{clean}+"
