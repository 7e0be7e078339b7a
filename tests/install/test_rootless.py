"""The image without an engine: built by buildah, and run by bubblewrap for an ordinary user.

No registry is needed: the base is Debian with its own Python. Each container has the command,
settings, volumes and restrictions of `compose.yaml`.
"""

import json
import os
import shlex
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.install.conftest import ROOT, run
from tests.install.test_compose import SQLITE, merged
from tests.install.test_image import can_make_roots, find, stages
from tests.install.upgrades import OLDER, STEPS, add_migration, go_through_versions

PROGRAMS = ("buildah", "bwrap", "mmdebstrap")
USER = 65534  # of the host, without rights
PACKAGES = "python3-venv,python-is-python3,ca-certificates"
# How this machine gets packages, for the steps that install some
SETTINGS = ("/etc/apt", "/etc/pip.conf", "/etc/ssl/certs")
VARIABLES = ("PIP_", "SSL_CERT", "http_proxy", "https_proxy", "no_proxy")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(3600),
    pytest.mark.skipif(
        not can_make_roots() or not all(map(shutil.which, PROGRAMS)),
        reason=f"needs root, namespaces, iproute2, {', '.join(PROGRAMS)}",
    ),
]


@dataclass(frozen=True)
class Image:
    """The files of the image, and the packages of newer versions, by their kind."""

    root: Path
    config: dict[str, Any]
    package: Path
    newer: dict[str, Path]


@pytest.fixture(scope="module")
def image() -> Iterator[Image]:
    """The image, in a folder that an ordinary user can enter."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        place = Path(folder)
        place.chmod(0o755)
        root = place / "root"
        config = build(place, root)
        root.chmod(0o755)  # as in an engine
        (package,) = root.glob("opt/masthead/lib/python3.*/site-packages/masthead")
        newer = {kind: place / kind for kind in STEPS}
        for kind, copy in newer.items():
            shutil.copytree(package, copy)
            add_migration(copy, kind)
        yield Image(root, config, package, newer)


def build(place: Path, root: Path) -> dict[str, Any]:
    """Build the image, and write its files into a folder; its configuration."""
    store = ("--root", place / "store", "--runroot", place / "run", "--storage-driver=vfs")
    kind = ("build", "--isolation=chroot", "--format=docker", "--pull-never")
    context = place / "base"
    context.mkdir()
    debian = ("--variant=minbase", f"--include={PACKAGES}", "bookworm", "debian.tar")
    run("mmdebstrap", *debian, folder=context)
    (context / "Dockerfile").write_text("FROM scratch\nADD debian.tar /\n")
    base = find(stages()[0], "FROM").split()[0]
    run("buildah", *store, *kind, "--tag", base, context, folder=context)
    options = [f"--volume={each}:{each}:ro" for each in SETTINGS if Path(each).exists()]
    options += [f"--env={each}" for each in os.environ if each.startswith(VARIABLES)]
    run("buildah", *store, *kind, *options, "--tag=masthead", "--output", root, ".", folder=ROOT)
    told = run("buildah", *store, "inspect", "--type=image", "masthead", folder=ROOT)
    config: dict[str, Any] = json.loads(told)["Docker"]["config"]
    return config


class Host:
    """An ordinary user's machine, with the volumes of the services."""

    def __init__(self, image: Image) -> None:
        self._image = image
        self.volumes = Path(tempfile.mkdtemp(dir=image.root.parent))
        self.volumes.chmod(0o755)

    def run(self, service: dict[str, Any], version: str, script: str) -> str:
        """Run a script in a container of the service; what it printed."""
        config = self._image.config
        user, group = config["User"].split(":")
        bind = "--ro-bind" if service["read_only"] else "--bind"
        options = [*("--unshare-all", "--die-with-parent", "--clearenv", "--uid", user)]
        options += ["--gid", group, bind, self._image.root, "/", "--proc", "/proc", "--dev", "/dev"]
        options += ["--chdir", config["WorkingDir"]]
        for dropped in service["cap_drop"]:
            options += ["--cap-drop", dropped]
        for volume in service["volumes"]:
            name, target = volume.split(":")
            options += ["--bind", self._volume(name), target]
        if version != OLDER:
            package = self._image.package
            place = f"/{package.relative_to(self._image.root)}"
            options += ["--ro-bind", self._image.newer[version], place]
        settings = dict(each.split("=", 1) for each in config["Env"])
        for name, value in (settings | service["environment"] | {"PORT": "8000"}).items():
            options += ["--setenv", name, value]
        as_user = ("setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups", "--")
        container = ("bwrap", *options, "/bin/sh", "-euc", script)
        return run(*as_user, *container, folder=self._image.root)

    def _volume(self, name: str) -> Path:
        """The folder of a volume, which belongs to the user that the container runs as."""
        folder = self.volumes / name
        if not folder.exists():
            folder.mkdir(mode=0o700)
            os.chown(folder, USER, USER)
        return folder


FIRST_START = """
{migrate}
{serve} &
server=$! left=1000
until {is_healthy} 2>/dev/null; do
    kill -0 $server
    left=$((left - 1))
    [ $left -gt 0 ]
    sleep 0.2
done
python -c "import urllib.request as r; print('health', r.urlopen('{health}').status)"
masthead check
kill -TERM $server
wait $server
"""
RESTRICTIONS = """
id -u
grep -E '^(Cap(Prm|Eff|Bnd)|NoNewPrivs)' /proc/self/status
for folder in / /opt/masthead /etc /data /tmp; do
    if touch $folder/written; then echo "writes to $folder"; fi
done
"""


def test_the_services_of_compose_start_and_become_healthy(image: Image) -> None:
    services = merged(SQLITE)
    script = FIRST_START.format(
        migrate=shlex.join(services["migrate"]["command"]),
        serve=shlex.join(services["masthead"]["command"]),
        is_healthy=shlex.join(image.config["Healthcheck"]["Test"][1:]),
        health="http://127.0.0.1:8000/health",
    )
    assert "health 200" in Host(image).run(services["masthead"], OLDER, script)


def test_a_container_has_no_rights_and_writes_only_to_its_volumes(image: Image) -> None:
    told = Host(image).run(merged(SQLITE)["masthead"], OLDER, RESTRICTIONS).split("\n")
    assert told[0] == image.config["User"].split(":")[0]
    rights = dict(line.split(":\t") for line in told if ":\t" in line)
    assert {name for name, bits in rights.items() if int(bits, 16)} == {"NoNewPrivs"}
    assert [line for line in told if "writes" in line] == ["writes to /data", "writes to /tmp"]
    assert len([line for line in told if line.endswith("Read-only file system")]) == 3


def test_an_upgrade_and_both_ways_back(image: Image) -> None:
    host, service = Host(image), merged(SQLITE)["masthead"]
    go_through_versions(lambda version, script: host.run(service, version, script), "/data/backups")
    assert {path.stat().st_uid for path in host.volumes.rglob("*")} == {USER}


def test_the_image_has_the_programs_for_backups_of_postgresql(image: Image) -> None:
    assert list(image.root.glob("usr/lib/postgresql/*/bin/pg_dump"))
