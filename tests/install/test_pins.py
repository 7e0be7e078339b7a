"""The pins install with any pip, and with uv, when each package has a newer release.

The test makes the index: the files that the pins name, and an empty wheel of a later version for
each package. pip before 24 took such a version if a pin lacked an extra that another package asks
for, and then stopped because that version has no hash.
"""

import os
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.install.conftest import ROOT
from tests.support.wheels import write_wheel

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]

REQUIREMENTS = ROOT / "requirements"
LOCKS = ("uv", "dev", "bench")  # dev.txt holds run.txt, build.txt and otel.txt, too
UV = Path(sys.executable).parent / "uv"
LATER = "9999"
# The oldest pip that masthead supports: the one of Debian 12, or the first for a newer Python
OLDEST = {(3, 11): "23.0", (3, 12): "23.2"}.get(sys.version_info[:2], "24.2")
INSTALLERS = ("oldest pip", "newest pip", "uv")


def call(*words: str | Path, alone: bool = True) -> subprocess.CompletedProcess[str]:
    """Run an installer. alone: without the settings of this machine."""
    own = {name: text for name, text in os.environ.items() if name[:4] not in ("PIP_", "UV_I")}
    settings = {"PIP_CONFIG_FILE": os.devnull, "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        list(map(str, words)),
        env=own | settings if alone else os.environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=600,
    )


def download(folder: Path, *words: str | Path) -> None:
    """Download distributions from the index of this machine; skips the test if that fails."""
    pip = (sys.executable, "-m", "pip", "--quiet", "download", "--no-deps", "--dest", folder)
    ended = call(*pip, *words, alone=False)
    if ended.returncode:
        pytest.skip(f"the packages cannot be downloaded: {ended.stdout[-500:]}")


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files of all pins, and a later release of each package."""
    folder = tmp_path_factory.mktemp("index")
    for lock in LOCKS:
        download(folder, "--require-hashes", "-r", REQUIREMENTS / f"{lock}.txt")
    names = {
        canonicalize_name(name)
        for lock in LOCKS
        for name in re.findall(
            r"^[\w.-]+", (REQUIREMENTS / f"{lock}.txt").read_text(), re.MULTILINE
        )
    }
    assert len(names) > 150
    for name in names:
        write_wheel(folder, name, LATER)
    return folder


@pytest.fixture(scope="module")
def pips(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The wheels of the oldest and the newest pip."""
    wheels = {}
    for name, wanted in {"oldest pip": f"pip=={OLDEST}", "newest pip": "pip"}.items():
        folder = tmp_path_factory.mktemp("pip")
        download(folder, wanted)
        (wheels[name],) = folder.iterdir()
    return wheels


class Target:
    """An empty environment, and a program that installs into it from the index alone."""

    def __init__(self, installer: str, index: Path, pips: dict[str, Path], folder: Path) -> None:
        self.folder = folder / "environment"
        create = (sys.executable, "-m", "venv", "--without-pip", self.folder)
        assert call(*create).returncode == 0
        python = self.folder / "bin" / "python"
        self._command: tuple[str | Path, ...] = (
            (UV, "--no-cache", "pip", "install", "--no-config", "--python", python)
            if installer == "uv"
            else (python, pips[installer] / "pip", "install", "--no-compile", "--no-cache-dir")
        )
        self._index = ("--no-index", "--find-links", index)

    def install(self, *words: str | Path) -> subprocess.CompletedProcess[str]:
        """Install pins with hashes."""
        return call(*self._command, *self._index, "--require-hashes", *words)

    def installed(self) -> dict[str, str]:
        """The versions of all packages, by name."""
        (packages,) = self.folder.glob("lib/python*/site-packages")
        found = metadata.distributions(path=[str(packages)])
        return {canonicalize_name(each.name): each.version for each in found}


@pytest.fixture(params=INSTALLERS)
def target(
    request: pytest.FixtureRequest, index: Path, pips: dict[str, Path], tmp_path: Path
) -> Target:
    return Target(request.param, index, pips, tmp_path)


def wanted_by(lock: Path) -> dict[str, str]:
    """The versions that a lock names for this machine."""
    lines = re.findall(r"^\w.*(?= \\$)", lock.read_text(), re.MULTILINE)
    pins = [pin for pin in map(Requirement, lines) if not pin.marker or pin.marker.evaluate()]
    return {canonicalize_name(pin.name): str(pin.specifier).removeprefix("==") for pin in pins}


@pytest.mark.parametrize("names", ["run build", "dev"])
def test_pins_install_when_there_are_newer_releases(target: Target, names: str) -> None:
    locks = [REQUIREMENTS / f"{name}.txt" for name in names.split()]
    ended = target.install(*(word for lock in locks for word in ("-r", lock)))
    assert ended.returncode == 0, ended.stdout[-3000:]
    expected = {name: version for lock in locks for name, version in wanted_by(lock).items()}
    assert target.installed() == expected


@pytest.mark.parametrize("name", ["uv", "otel", "bench"])
def test_pins_of_other_locks_are_complete(target: Target, name: str) -> None:
    ended = target.install("--dry-run", "-r", REQUIREMENTS / f"{name}.txt")
    assert ended.returncode == 0, ended.stdout[-3000:]


def test_pins_without_an_extra_fail_with_the_oldest_pip(
    index: Path, pips: dict[str, Path], tmp_path: Path
) -> None:
    lock, text = tmp_path / "dev.txt", (REQUIREMENTS / "dev.txt").read_text()
    assert "coverage[toml]==" in text
    lock.write_text(text.replace("coverage[toml]==", "coverage=="))
    ended = Target("oldest pip", index, pips, tmp_path).install("--dry-run", "-r", lock)
    assert ended.returncode != 0
    assert "coverage[toml]" in ended.stdout
    assert (
        "all requirements must have their versions pinned" in ended.stdout or LATER in ended.stdout
    )
