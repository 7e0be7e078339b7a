"""A first start, an upgrade, and two ways back, as shell commands of an installed masthead."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path

from masthead import __version__
from masthead.store.engine.database import SCHEMA_VERSION
from tests.install.conftest import ROOT
from tests.store.engine.test_migrate import OLDEST
from tests.store.engine.test_schema_support import FIRST, SECOND

# Each version of masthead is installed by what the test is about, such as a wheel
OLDER, EXPANDING, REMOVING = "older", "expanding", "removing"
STEPS = {  # migrations of newer versions: number, who can use the schema then, and a statement
    EXPANDING: (FIRST, OLDEST, "ALTER TABLE issue ADD COLUMN colour text"),
    REMOVING: (SECOND, SECOND, "DROP TABLE known_browser"),
}
SOURCES = ("masthead", "requirements", "ops", "tools")
SERVE = """
serve() {
    masthead serve --host 127.0.0.1 --port "$PORT" &
    server=$! left=1000
    until python -c "import urllib.request as r, os
r.urlopen('http://127.0.0.1:' + os.environ['PORT'] + '/ready', timeout=4)" 2>/dev/null; do
        kill -0 $server
        left=$((left - 1))
        [ $left -gt 0 ]
        sleep 0.2
    done
    kill -TERM $server
    wait $server
}
"""
ACCOUNT = (
    "masthead account create --name {0} --subdomain {0} --currency EUR --owner ann@acme.test\n"
)
Run = Callable[[str, str], str]


def add_migration(package: Path, kind: str) -> None:
    """Make a copy of the package one of a newer masthead, with all migrations up to a kind."""
    newest = STEPS[kind][0]
    versions = package / "store/engine/migrations/versions"
    for number, oldest_user, statement in STEPS.values():
        if number <= newest:
            (versions / f"{number}_step.py").write_text(
                f'oldest_user = "{oldest_user}"\nSTATEMENTS = ({statement!r},)\n'
            )
    file = package / "store/engine/database.py"
    code = file.read_text().replace(SCHEMA_VERSION, newest, 1)
    file.write_text(code.replace(SCHEMA_VERSION, FIRST, 1))  # NEEDED_VERSION


def copy_newer(kind: str, folder: Path) -> None:
    """Copy what distributions are built from into a folder, as of a newer masthead."""
    folder.mkdir(parents=True)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder)
    ignored = shutil.ignore_patterns("__pycache__", "node_modules")
    for name in SOURCES:
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    add_migration(folder / "masthead", kind)
    file = folder / "masthead/__init__.py"
    file.write_text(file.read_text().replace(__version__, f"{int(STEPS[kind][0])}.0"))


def go_through_versions(run: Run, folder: str) -> None:
    """Start, upgrade and go back. run: a version and a script, which must succeed; its output.

    folder: for backups.
    """
    backup = f"masthead backup {folder} --verify\n"
    started = run(OLDER, f"{SERVE}masthead migrate\nserve\n{ACCOUNT.format('acme')}{backup}serve\n")
    assert "/link/" in started
    assert re.search(r"is_verified +true", started)

    assert f"now has version {FIRST}" in run(EXPANDING, f"{SERVE}masthead migrate\nserve\n")
    later = ACCOUNT.format("zebra")
    shared = run(OLDER, f"{SERVE}masthead migrate\nserve\n{later}masthead check\n")
    assert "It is from a newer masthead" in shared
    assert "/link/" in shared, "the older version works on the upgraded database"

    run(REMOVING, f"{SERVE}masthead migrate --remove\nserve\n")
    refused = run(OLDER, "! masthead serve --port $PORT\n! masthead check\n")
    assert "newer than this masthead" in refused
    back = run(OLDER, f"{SERVE}masthead restore {folder} --yes\nserve\nmasthead account list\n")
    assert "acme" in back
    assert "zebra" not in back, "it was made after the backup"
