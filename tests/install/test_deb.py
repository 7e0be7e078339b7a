"""The package for Debian: built, installed into a fresh root, and upgraded there."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.install.conftest import ROOT
from tests.install.test_image import FRESH_ROOT, can_make_roots

PYTHON = Path("/usr/bin/python3")
PATIENCE = 1200.0  # seconds, to download and to compress
SCRIPT = """
info=/var/lib/dpkg/info/masthead.postinst
$info configure
$info configure 0.2.0-1
id masthead
cd /data
export MASTHEAD_DATABASE_URL=sqlite:////data/masthead.db
/opt/masthead/bin/masthead --version
/opt/masthead/bin/masthead migrate
/opt/masthead/bin/masthead account create --name Acme --subdomain acme --currency EUR \\
    --owner ann@acme.test
/opt/masthead/bin/masthead check
"""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(PATIENCE),
    pytest.mark.skipif(
        not can_make_roots() or not shutil.which("dpkg-deb") or not PYTHON.exists(),
        reason="needs root on Debian, with its Python",
    ),
]


def run(*words: str | Path) -> str:
    """Run a program, which must succeed; what it printed."""
    ended = subprocess.run(
        list(map(str, words)),
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert ended.returncode == 0, ended.stdout
    return ended.stdout


def test_the_package_is_installed_and_works(tmp_path: Path) -> None:
    run(sys.executable, "-m", "tools.deb", tmp_path / "built")
    (package,) = (tmp_path / "built").glob("masthead_*.deb")
    root = tmp_path / "root"
    for name in ("info", "updates", "triggers"):
        (root / "var/lib/dpkg" / name).mkdir(parents=True)
    (root / "var/lib/dpkg/status").touch()
    run("dpkg", f"--root={root}", "--force-depends", "--unpack", package)
    assert os.readlink(root / "usr/bin/masthead") == "/opt/masthead/bin/masthead"
    assert (root / "usr/share/masthead/archive-wal.sh").stat().st_mode & 0o777 == 0o755
    script = tmp_path / "script"
    script.write_text(SCRIPT)
    told = run(
        *("unshare", "--mount", "--pid", "--fork"), *("bash", FRESH_ROOT, root, "/usr", script)
    )
    assert "Set masthead up: sudo masthead init" in told
    assert "(masthead)" in told
    assert "ann@acme.test" in told
