"""The source distribution and the wheel: complete, and they run outside the repository."""

import os
import re
import signal
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import httpx
import pytest

from tests.cli.test_demo import wait_for_instructions
from tests.install.conftest import ROOT, run
from tests.support.serving import Server
from tests.support.waiting import PATIENCE

pytestmark = pytest.mark.slow

EXAMPLES = (  # one of each kind of file that is not Python
    "masthead/cli/install/templates/masthead.service",
    "masthead/demo/subscriptions.csv",
    "masthead/locale/de/LC_MESSAGES/masthead.po",
    "masthead/web/templates/layout.html",
)


def files_of_the_package() -> set[str]:
    """The files below masthead/ that git knows, or would take."""
    command = ("git", "ls-files", "--cached", "--others", "--exclude-standard", "masthead")
    names = run(*command, folder=ROOT).split()
    return {name for name in names if (ROOT / name).exists()}


def test_the_wheel_contains_every_file_of_the_package(wheel: Path) -> None:
    expected = files_of_the_package()
    assert set(EXAMPLES) <= expected
    assert any("/migrations/versions/" in name for name in expected)
    assert any("/web/static/" in name for name in expected)
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if name.startswith("masthead/")}
    assert names == expected


def test_the_source_distribution_can_build_test_and_install(source_distribution: Path) -> None:
    with tarfile.open(source_distribution) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert names >= files_of_the_package()
    for name in ("Dockerfile", "compose.yaml", "requirements/run.txt", "LICENSE", "Makefile"):
        assert name in names
    assert "tests/install/test_distributions.py" in names
    assert not [name for name in names if name.startswith((".git/", ".venv", ".bench"))]


def test_uv_installs_the_wheel_and_the_demo_runs_elsewhere(wheel: Path, tmp_path: Path) -> None:
    program = tmp_path / "bin" / "masthead"
    uv = Path(sys.executable).parent / "uv"
    pins = ROOT / "requirements" / "run.txt"
    run(
        *(uv, "tool", "install", "--no-config", "--python", sys.executable),
        *("--constraints", pins, wheel),
        folder=tmp_path,
        UV_TOOL_DIR=str(tmp_path / "tools"),
        UV_TOOL_BIN_DIR=str(program.parent),
    )
    assert "SQLite" in run(program, "--version", folder=tmp_path)
    stdout, stderr = tmp_path / "stdout", tmp_path / "stderr"
    with stdout.open("w") as out, stderr.open("w") as err:
        demo = subprocess.Popen(
            [program, "demo"],
            cwd=tmp_path,
            env={"PATH": os.defpath, "HOME": str(tmp_path)},
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            start_new_session=True,
        )
    server = Server(demo, 0, stderr)
    try:
        shown = wait_for_instructions(server, stdout)
        (port,) = re.findall(r"^address +http://127\.0\.0\.1:(\d+)$", shown, re.MULTILINE)
        server = Server(demo, int(port), stderr)
        server.wait("/ready")
        with httpx.Client(base_url=server.url, timeout=PATIENCE, trust_env=False) as client:
            page = client.get("/sign-in/", headers={"Accept-Language": "de"})
            assert page.is_success
            assert "Anmelden" in page.text  # templates and translations are there
            (style,) = re.findall(r'href="(/[^"]+\.css[^"]*)"', page.text)[:1]
            assert client.get(style).is_success
        demo.send_signal(signal.SIGTERM)
        assert demo.wait(PATIENCE) == 0, stderr.read_text()
    finally:
        server.kill()
