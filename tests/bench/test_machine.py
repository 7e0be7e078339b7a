"""What the benchmark says about the machine and the version that it measures."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bench import machine
from bench.options import ROOT


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


def test_modules_are_not_compiled_for_each_process() -> None:
    code = "import bench, os; print('PYTHONDONTWRITEBYTECODE' in os.environ)"
    said = subprocess.run(
        (sys.executable, "-c", code),
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    assert said.stdout == "False\n"
