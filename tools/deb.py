"""Build a package for Debian, with masthead, its pinned dependencies, and the files of `ops/`.

    python tools/deb.py FOLDER [--python /usr/bin/python3]

The package has an environment at /opt/masthead for the Python of this Debian, so it fits the
release and the processor that it was built on. It needs `dpkg-deb` and the network.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from masthead import __version__

ROOT = Path(__file__).resolve().parents[1]
HOME = Path("opt/masthead")
CONTROL = """\
Package: masthead
Version: {version}-1
Architecture: {architecture}
Maintainer: The masthead maintainers <maintainers@masthead.invalid>
Installed-Size: {kilobytes}
Depends: python3 (>= {python}), python3 (<< {next_python}), passwd
Recommends: caddy
Suggests: postgresql, postgresql-client
Section: web
Priority: optional
Description: self-hosted back office of a magazine publisher
 Subscriptions, issues, mailings, renewals and invoices, with web pages and a REST API.
 After the installation, `masthead init` creates the service and its database.
"""
# In Debian, only `~` sorts before the end: 0.3.0~dev0 is older than 0.3.0
DEBIAN_VERSION = __version__.replace(".dev", "~dev")
# A package never starts or upgrades anything itself: a backup comes before that
AFTER_INSTALLATION = """\
#!/bin/sh
set -e
[ "$1" = configure ] || exit 0
getent passwd masthead >/dev/null || useradd --system --user-group --home-dir /var/lib/masthead \\
    --shell /usr/sbin/nologin masthead
if [ -e /etc/masthead/masthead.toml ]; then
    echo "Upgrade the database, and restart: sudo -u masthead masthead migrate" \\
        "&& sudo systemctl restart masthead"
else
    echo "Set masthead up: sudo masthead init"
fi
"""


def run(*words: str | Path) -> str:
    """Run a program; what it printed. Raises: subprocess.CalledProcessError."""
    command = list(map(str, words))
    return subprocess.run(command, check=True, cwd=ROOT, stdout=subprocess.PIPE, text=True).stdout


def build(folder: Path, python: str) -> Path:
    """Build the package into a folder; its file."""
    version = run(python, "-c", "import sys; print('{}.{}'.format(*sys.version_info))").strip()
    major, minor = map(int, version.split("."))
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        tree, wheels = Path(place, "tree"), Path(place, "wheels")
        tree.mkdir(mode=0o755)
        run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", wheels)
        uv = Path(sys.executable).with_name("uv")
        run(uv, "venv", "--quiet", "--relocatable", "--python", python, tree / HOME)
        # Compiled, as the service cannot do it, and what root's commands add would be left behind
        # Copied, as tar fails if another program makes links to the files of uv's cache meanwhile
        how = ("--quiet", "--compile-bytecode", "--link-mode=copy")
        install = (uv, "pip", "install", *how, "--python", tree / HOME / "bin/python")
        run(*install, "--require-hashes", "--requirement", "requirements/run.txt")
        run(*install, "--no-deps", *wheels.glob("*.whl"))
        (tree / "usr/bin").mkdir(parents=True)
        (tree / "usr/bin/masthead").symlink_to("/opt/masthead/bin/masthead")
        shutil.copytree(ROOT / "ops", tree / "usr/share/masthead")
        documents = tree / "usr/share/doc/masthead"
        documents.mkdir(parents=True)
        shutil.copy(ROOT / "LICENSE", documents / "copyright")
        _write_control(tree, f"{major}.{minor}", f"{major}.{minor + 1}")
        run("chmod", "--recursive", "u+w,go-w,a+rX", tree)
        run("dpkg-deb", "--root-owner-group", "-Zxz", "-z1", "--build", tree, folder)
    (built,) = folder.glob(f"masthead_{DEBIAN_VERSION}-1_*.deb")
    return built


def _write_control(tree: Path, python: str, next_python: str) -> None:
    size = sum(path.lstat().st_size for path in tree.rglob("*"))
    text = CONTROL.format(
        version=DEBIAN_VERSION,
        architecture=run("dpkg", "--print-architecture").strip(),
        kilobytes=size // 1024,
        python=python,
        next_python=next_python,
    )
    control = tree / "DEBIAN"
    control.mkdir()
    (control / "control").write_text(text)
    (control / "postinst").write_text(AFTER_INSTALLATION)
    (control / "postinst").chmod(0o755)


def main() -> None:
    """Build the package, and print its path."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--python", default="/usr/bin/python3")
    options = parser.parse_args()
    print(build(options.folder.absolute(), options.python))


if __name__ == "__main__":
    main()
