"""The image without an engine: built by buildah, and run by bubblewrap for an ordinary user.

Its base is made from Debian's packages and the Python of this machine, because there is no registry
of images here. Each service has the restrictions, volumes and settings of `compose.yaml`.
"""

import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from getpass import getuser
from pathlib import Path
from typing import Any

import pytest

from tests.install.conftest import ROOT, run
from tests.install.test_compose import SQLITE, merged
from tests.install.test_image import can_make_roots, find, stages
from tests.install.upgrades import OLDER, STEPS, add_migration, go_through_versions

PROGRAMS = ("buildah", "bwrap", "mmdebstrap", "setpriv")
NOBODY = "65534"
LIBRARIES = (  # of Python
    "ca-certificates,libssl3,libffi8,zlib1g,libbz2-1.0,liblzma5,libsqlite3-0,libreadline8,libuuid1"
)
BASE = "FROM scratch\nADD debian.tar /\nADD python.tar /usr/local\nRUN ldconfig\n"
# How this machine gets packages, for the steps that install some
SETTINGS = ("/etc/apt", "/etc/pip.conf", "/etc/ssl/certs", "/root/.config/pip")
VARIABLES = ("PIP_", "SSL_CERT", "REQUESTS_CA", "CURL_CA", "http_proxy", "https_proxy", "no_proxy")
SITE = "opt/masthead/lib/python3.*/site-packages/masthead"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(3600),
    pytest.mark.skipif(
        not can_make_roots() or not all(map(shutil.which, PROGRAMS)),
        reason=f"needs root and {', '.join(PROGRAMS)}",
    ),
]


class Builder:
    """Builds images into a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        where = ("--root", folder / "store", "--runroot", folder / "run")
        self._buildah = ("buildah", *where, "--storage-driver", "vfs")

    def run(self, *words: str | Path) -> str:
        """Run a command of buildah, which must succeed; what it printed."""
        command = [str(word) for word in (*self._buildah, *words)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-5000:]
        return done.stdout

    def make_base(self, name: str) -> None:
        """Build the image that ours begins with, from Debian's packages and this Python."""
        context = self._folder / "base"
        context.mkdir()
        debian = ("mmdebstrap", "--variant=minbase", f"--include={LIBRARIES}", "bookworm")
        subprocess.run([*debian, context / "debian.tar"], check=True, capture_output=True)
        with tarfile.open(context / "python.tar", "w") as archive:
            archive.add(sys.base_prefix, ".", filter=_without_tests)
        (context / "Dockerfile").write_text(BASE)
        self.run("build", "--isolation=chroot", "--format=docker", "--tag", name, context)

    def build(self, name: str) -> Path:
        """Build our image; its root."""
        options = [f"--volume={each}:{each}:ro" for each in SETTINGS if Path(each).exists()]
        options += [f"--env={each}" for each in os.environ if each.startswith(VARIABLES)]
        kind = ("--isolation=chroot", "--format=docker", "--pull-never")
        self.run("build", *kind, *options, "--tag", name, ".")
        return Path(self.run("mount", self.run("from", "--pull-never", name).strip()).strip())


def _without_tests(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
    parts = Path(member.name).parts
    return None if {"test", "__pycache__"} & {*parts} else member


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The root of the image, from the Dockerfile."""
    folder = tmp_path_factory.mktemp("image")
    folder.parent.chmod(0o755)
    folder.chmod(0o755)
    builder = Builder(folder)
    builder.make_base(f"docker.io/library/{find(stages()[0], 'FROM').split()[0]}")
    yield builder.build("masthead")
    builder.run("rm", "--all")
    shutil.rmtree(folder)


class Host:
    """An ordinary user's host, with the volumes of the services."""

    def __init__(self, image: Path, place: Path) -> None:
        self._image, self._place = image, place
        for folder in place.parents:
            if folder.is_relative_to(Path(tempfile.gettempdir(), f"pytest-of-{getuser()}")):
                folder.chmod(0o755)
        self._newer = {kind: self._copy_package(kind) for kind in STEPS}
        self.volumes = place / "volumes"
        self.volumes.mkdir()

    def _copy_package(self, kind: str) -> Path:
        """The package of a newer masthead."""
        (package,) = self._image.glob(SITE)
        copy = self._place / kind
        shutil.copytree(package, copy)
        add_migration(copy, kind)
        return copy

    def run(self, service: dict[str, Any], version: str, script: str) -> str:
        """Run a script as a service that compose describes would run; what it printed."""
        running = stages()[1]
        user, group = find(running, "USER").split(":")
        bind = "--ro-bind" if service["read_only"] else "--bind"
        options = ["--unshare-all", "--die-with-parent", "--clearenv"]
        options += ["--uid", user, "--gid", group]
        options += [bind, str(self._image), "/", "--proc", "/proc", "--dev", "/dev"]
        for volume in service["volumes"]:
            name, target = volume.split(":")
            options += ["--bind", str(self._volume(name)), target]
        if version != OLDER:
            (package,) = self._image.glob(SITE)
            place = f"/{package.relative_to(self._image)}"
            options += ["--ro-bind", str(self._newer[version]), place]
        settings = {"PATH": "/opt/masthead/bin:/usr/local/bin:/usr/bin:/bin", "PORT": "8000"}
        for name, value in (settings | service["environment"]).items():
            options += ["--setenv", name, value]
        as_nobody = ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--")
        inside = ("--chdir", find(running, "WORKDIR"), "/bin/sh", "-euc", script)
        return run(*as_nobody, "bwrap", *options, *inside, folder=self._place)

    def _volume(self, name: str) -> Path:
        """The folder of a volume, which belongs to the user that the container runs as."""
        folder = self.volumes / name
        if not folder.exists():
            folder.mkdir(mode=0o700)
            os.chown(folder, int(NOBODY), int(NOBODY))
        return folder


def test_compose_starts_upgrades_and_goes_back_without_root(image: Path, tmp_path: Path) -> None:
    host = Host(image, tmp_path)
    service = merged(SQLITE)["masthead"]
    who = host.run(service, OLDER, "id -u; touch /opt/masthead/written 2>&1 || true")
    assert who.split("\n")[0] == find(stages()[1], "USER").split(":")[0]
    assert "Read-only file system" in who
    go_through_versions(lambda version, script: host.run(service, version, script), "/data/backups")
    assert not {"root"} & {path.owner() for path in host.volumes.rglob("*")}


def test_the_image_says_how_it_runs(image: Path) -> None:
    bill = json.loads((image / "opt/masthead/sbom.cdx.json").read_text())
    assert "masthead" in bill["metadata"]["component"]["name"]
    assert list(image.glob("usr/lib/postgresql/*/bin/pg_dump")), "backups of PostgreSQL need it"
