"""An upgrade of the wheel, and going back: on an expanded database, and by a backup."""

import sys
from pathlib import Path

import pytest

from tests.install.conftest import ROOT, build, run
from tests.install.upgrades import OLDER, STEPS, copy_newer, go_through_versions
from tests.support.ports import reserved_port

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]
UV = Path(sys.executable).with_name("uv")


def newer_wheel(kind: str, folder: Path) -> Path:
    """The wheel of a newer masthead."""
    copy_newer(kind, folder / "source")
    return build(folder / "source", "wheel", folder / "wheel")


def test_a_wheel_is_upgraded_and_exchanged_for_the_older_one(wheel: Path, tmp_path: Path) -> None:
    wheels = {OLDER: wheel} | {kind: newer_wheel(kind, tmp_path / kind) for kind in STEPS}
    programs = tmp_path / "opt/bin"
    run(UV, "venv", "--no-config", "--python", sys.executable, tmp_path / "opt", folder=tmp_path)
    install = (UV, "pip", "install", "--python", programs / "python")
    pins = ROOT / "requirements/run.txt"
    run(*install, "--require-hashes", "--requirement", pins, folder=tmp_path)
    (tmp_path / "data").mkdir()

    with reserved_port() as port:

        def run_version(version: str, script: str) -> str:
            run(*install, "--no-deps", "--reinstall", wheels[version], folder=tmp_path)
            return run(
                *("sh", "-euc", script),
                folder=tmp_path / "data",
                PATH=f"{programs}:/usr/bin:/bin",
                PORT=str(port),
                MASTHEAD_DATABASE_URL=f"sqlite:///{tmp_path}/data/masthead.db",
            )

        go_through_versions(run_version, f"{tmp_path}/backups")
