"""The distributions, built once."""

import os
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PATIENCE = 900.0  # seconds, for downloads and for images


def run(*words: str | Path, folder: Path, **variables: str) -> str:
    """Run a command without our settings; returns what it printed. Fails if it fails."""
    outside = {name: text for name, text in os.environ.items() if "MASTHEAD" not in name}
    outside.pop("PYTHONPATH", None)
    ended = subprocess.run(
        list(map(str, words)),
        cwd=folder,
        env={**outside, **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert ended.returncode == 0, ended.stdout
    return ended.stdout


def build(source: Path, target: str, folder: Path) -> Path:
    """Build a distribution with the pinned hatchling; returns its file."""
    run(sys.executable, "-m", "hatchling", "build", "-t", target, "-d", folder, folder=source)
    (built,) = folder.iterdir()
    return built


@pytest.fixture(scope="module")
def source_distribution(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source distribution."""
    return build(ROOT, "sdist", tmp_path_factory.mktemp("sdist"))


@pytest.fixture(scope="module")
def wheel(source_distribution: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from the source distribution alone."""
    unpacked = tmp_path_factory.mktemp("source")
    with tarfile.open(source_distribution) as archive:
        archive.extractall(unpacked, filter="data")
    (source,) = unpacked.iterdir()
    return build(source, "wheel", tmp_path_factory.mktemp("wheel"))
