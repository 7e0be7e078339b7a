"""The package for Debian: installed into a fresh root, upgraded, and exchanged for an older one."""

import os
import shutil
import sys
from pathlib import Path

import pytest

from tests.install.conftest import ROOT, run
from tests.install.test_image import can_make_roots
from tests.install.upgrades import OLDER, STEPS, copy_newer, go_through_versions

PYTHON = Path("/usr/bin/python3")
PROGRAMS = ("dpkg-deb", "mmdebstrap", "bwrap")
INSTALL = "apt-get install --yes --allow-downgrades /mnt/{}/masthead_*.deb\n"
INIT = (
    'masthead init --name "Acme Quarterly" --owner ann@acme.test --url https://masthead.acme.test\n'
)
AS_SERVICE = 'cd /var/lib/masthead\nrunuser -u masthead -- sh -euc "$SCRIPT"\n'
PATH = "/opt/masthead/bin:/usr/sbin:/usr/bin:/sbin:/bin"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(1800),
    pytest.mark.skipif(
        not can_make_roots() or not all(map(shutil.which, PROGRAMS)) or not PYTHON.exists(),
        reason=f"needs root on Debian, with its Python and {', '.join(PROGRAMS)}",
    ),
]


class Debian:
    """A fresh Debian with the packages of each version, in `/mnt`."""

    def __init__(self, place: Path) -> None:
        self.root = place / "root"
        debian = ("--variant=apt", "--include=python3", "bookworm", self.root)
        run("mmdebstrap", *debian, folder=place)
        for kind in (OLDER, *STEPS):
            source = ROOT
            if kind != OLDER:
                source = place / kind
                copy_newer(kind, source)
            run(sys.executable, "-m", "tools.deb", self.root / "mnt" / kind, folder=source)

    def run(self, script: str, **variables: str) -> str:
        """Run a script as root; what it printed."""
        options = ["--unshare-pid", "--unshare-net", "--die-with-parent", "--cap-add", "ALL"]
        options += ["--bind", str(self.root), "/", "--proc", "/proc", "--dev", "/dev", "--clearenv"]
        for name, value in (variables | {"PATH": PATH}).items():
            options += ["--setenv", name, value]
        return run("bwrap", *options, "sh", "-euc", script, folder=self.root)


def test_a_package_is_upgraded_and_exchanged_for_the_older_one(tmp_path: Path) -> None:
    debian = Debian(tmp_path)
    told = debian.run(INSTALL.format(OLDER) + INIT)
    assert "Set masthead up: sudo masthead init" in told
    assert os.readlink(debian.root / "usr/bin/masthead") == "/opt/masthead/bin/masthead"
    assert os.access(debian.root / "usr/share/masthead/archive-wal.sh", os.X_OK)
    settings = debian.root / "etc/masthead/masthead.toml"
    written = settings.read_text()

    def run_version(version: str, script: str) -> str:
        told = debian.run(INSTALL.format(version) + AS_SERVICE, SCRIPT=script, PORT="8000")
        assert "Upgrade the database, and restart" in told or version == OLDER
        return told

    go_through_versions(run_version, "/var/backups/masthead")
    assert settings.read_text() == written
    debian.run("apt-get purge --yes masthead")
    assert not (debian.root / "opt/masthead").exists()
    assert (debian.root / "var/lib/masthead/masthead.db").exists(), "data stays"
