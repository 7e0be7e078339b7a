"""The commands of docs/operations.md to upgrade, to restore and to move run as they are written.

`sudo`, `systemctl`, `createdb` and `pip` are programs of the machine: those here check what they
are asked for. `systemctl start masthead-backup` runs the command of that unit, and `install`
leaves out the owner, who does not exist here.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from masthead.cli.install.files import UNITS, Installation
from masthead.store.engine.database import SCHEMA_VERSION
from tests.documentation.test_docs import section
from tests.store.engine.test_migrate import ask, change
from tests.support.serving import ROOT
from tests.support.waiting import PATIENCE

pytestmark = pytest.mark.slow

PAGE = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
PIP_FILES = {"requirements/run.txt", "requirements/build.txt", "."}

SUDO = """#!/bin/sh
[ "$1" != -u ] || { [ "$2" = masthead ] || exit 9; shift 2; }
exec "$@"
"""
SYSTEMCTL = """#!/bin/sh
echo "systemctl $*" >> "$PLACE/calls"
[ "$1 $2" != "start masthead-backup" ] || exec {backup}
"""
NOTED = """#!/bin/sh
echo "{name} $*" >> "$PLACE/calls"
"""
INSTALL = """#!/bin/sh
for word; do
    shift
    case "$word" in --owner=*|--group=*) ;; *) set -- "$@" "$word" ;; esac
done
exec {install} "$@"
"""
MASTHEAD = """#!/bin/sh
exec "{python}" -m masthead "$@"
"""


def blocks(heading: str) -> list[str]:
    """The shell commands below a heading, one text for each block."""
    return re.findall(r"^```sh\n(.*?)^```$", section(PAGE, heading), re.MULTILINE | re.DOTALL)


INSTALL_VERSION, UPGRADE = blocks("Upgrade")
RESTORE, REAPPLY, FOLDER = blocks("Restore")
MOVE, BEGIN_AGAIN = blocks("Move to another database")


class Machine:
    """A machine with masthead and its database, whose folders are below a temporary one."""

    def __init__(self, place: Path, url: str) -> None:
        self.place, self.url = place, url
        self._programs = place / "opt/masthead/bin"
        for folder in (self._programs, self.backups, place / "etc/masthead"):
            folder.mkdir(parents=True)
        backup = Installation(database_url=url, public_url="https://masthead.acme.test").files()[
            UNITS / "masthead-backup.service"
        ]
        (command,) = re.findall("^ExecStart=(.+)$", backup, re.MULTILINE)
        for name, text in {
            "sudo": SUDO,
            "systemctl": SYSTEMCTL.format(backup=self._moved(command)),
            "createdb": NOTED.format(name="createdb"),
            "dropdb": NOTED.format(name="dropdb"),
            "install": INSTALL.format(install=shutil.which("install")),
            "pip": NOTED.format(name="pip"),
            "masthead": MASTHEAD.format(python=sys.executable),
        }.items():
            (self._programs / name).write_text(text)
            (self._programs / name).chmod(0o755)

    @property
    def backups(self) -> Path:
        """The folder for backups."""
        return self.place / "var/backups/masthead"

    def _moved(self, text: str) -> str:
        """Commands with the folders and the databases of this machine."""
        for folder in ("/opt/masthead", "/var/backups/masthead", "/var/lib/masthead"):
            text = re.sub(rf"(?<![\w.]){folder}", f"{self.place}{folder}", text)
        return text

    def run(self, block: str, **databases: str) -> str:
        """Run a block, which must succeed; returns what it printed.

        databases: the address of another database, by the host in the address of the page.
        """
        for host, url in databases.items():
            block, number = re.subn(rf"postgresql://masthead@{host}\S+", url, block)
            assert number
        own = {name: text for name, text in os.environ.items() if "MASTHEAD" not in name}
        ended = subprocess.run(
            ["/bin/sh", "-eu", "-c", self._moved(block)],
            cwd=ROOT,
            env=own
            | {
                "PATH": f"{self._programs}:{os.environ['PATH']}",
                "PLACE": str(self.place),
                "PYTHONPATH": str(ROOT),
                "MASTHEAD_DATABASE_URL": self.url,
            },
            capture_output=True,
            text=True,
            timeout=PATIENCE * 4,
            check=False,
        )
        assert ended.returncode == 0, ended.stderr
        return ended.stdout + ended.stderr

    def calls(self, program: str) -> list[list[str]]:
        """What a program of the machine was asked for, so far."""
        lines = (self.place / "calls").read_text().splitlines()
        return [words[1:] for line in lines if (words := shlex.split(line))[0] == program]


@pytest.fixture
def machine(backend: str, tmp_path: Path, empty_database: Callable[[], str]) -> Machine:
    """A machine with an account."""
    file = tmp_path / "var/lib/masthead/masthead.db"
    file.parent.mkdir(parents=True)
    return Machine(tmp_path, f"sqlite:///{file}" if backend == "sqlite" else empty_database())


def add_account(machine: Machine, name: str) -> None:
    """Create an account, in a database with the schema of this masthead."""
    machine.run(
        "masthead migrate\n"
        f"masthead account create --name {name} --subdomain {name} --currency EUR"
        " --owner ann@acme.test"
    )


def test_an_upgrade_and_going_back(machine: Machine) -> None:
    add_account(machine, "acme")
    machine.run(INSTALL_VERSION)
    (backup,) = machine.backups.glob("2*")
    assert (backup / "verified.json").exists()
    options = {word for call in machine.calls("pip") for word in call}
    assert PIP_FILES.issubset(options)
    assert all((ROOT / name).exists() for name in PIP_FILES)
    assert f"already has version {SCHEMA_VERSION}" in machine.run(UPGRADE)

    change(machine.url, "UPDATE alembic_version SET version_num = '9999'")
    change(machine.url, "UPDATE schema_support SET version = '9999'")
    assert "It is from a newer masthead" in machine.run(UPGRADE)  # after going back
    assert machine.calls("systemctl") == [
        ["start", "masthead-backup"],
        *[["restart", "masthead"]] * 2,
    ]


def test_removing_what_older_versions_use(machine: Machine) -> None:
    add_account(machine, "acme")
    commands = ("sudo systemctl stop masthead.socket", "masthead migrate --remove")
    text = section(PAGE, "Upgrade")
    assert all(f"`{command}`" in text for command in commands)
    assert "already has version" in machine.run("\n".join(commands))
    assert machine.calls("systemctl") == [["stop", "masthead.socket"]]


def test_a_restore(machine: Machine, backend: str) -> None:
    add_account(machine, "acme")
    machine.run(INSTALL_VERSION)
    add_account(machine, "later")
    machine.run(RESTORE)
    assert [row["subdomain"] for row in ask(machine.url, "SELECT subdomain FROM account")] == [
        "acme"
    ]
    assert machine.calls("systemctl")[1:] == [["stop", "masthead.socket"], ["start", "masthead"]]
    kept = list((machine.place / "var/lib/masthead").glob("masthead.db.before-restore-*"))
    assert len(kept) == (backend == "sqlite")
    newest = max(machine.backups.glob("*/erasures.json")).parent
    assert machine.run(REAPPLY.replace("FOLDER", str(newest))).split() == ["erased", "0"]


def test_a_restore_onto_a_new_disk(machine: Machine, backend: str) -> None:
    if backend == "postgres":
        pytest.skip("the folder is one of SQLite")
    add_account(machine, "acme")
    machine.run(INSTALL_VERSION)
    folder = machine.place / "var/lib/masthead"
    shutil.rmtree(folder)
    machine.run(FOLDER)
    assert folder.stat().st_mode & 0o777 == 0o700
    machine.run(RESTORE)
    assert [row["subdomain"] for row in ask(machine.url, "SELECT subdomain FROM account")] == [
        "acme"
    ]


def test_a_move_to_postgresql(
    machine: Machine, backend: str, tmp_path: Path, empty_database: Callable[[], str]
) -> None:
    if backend == "sqlite":
        pytest.skip("the page moves to PostgreSQL")
    target, machine.url = machine.url, f"sqlite:///{tmp_path}/var/lib/masthead/masthead.db"
    add_account(machine, "acme")
    machine.run(MOVE, **{"db.internal": target})
    assert machine.calls("createdb") == [["--host=db.internal", "--username=masthead", "masthead"]]
    assert machine.calls("systemctl") == [["stop", "masthead.socket"]]
    assert [row["subdomain"] for row in ask(target, "SELECT subdomain FROM account")] == ["acme"]
    machine.run(BEGIN_AGAIN)
    assert machine.calls("dropdb") == [["--host=db.internal", "--username=masthead", "masthead"]]
    assert len(machine.calls("createdb")) == 2
