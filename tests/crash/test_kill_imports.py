"""`kill -9` in the middle of an import and of its undo: the next command goes on with it."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import CommandLine, bare
from tests.cli.test_import import HEADER, Shop, row
from tests.cli.test_subscriber import own
from tests.support.serving import ROOT
from tests.support.waiting import PATIENCE

__all__ = ["bare", "own"]
pytestmark = pytest.mark.crash

# Runs a command, and kills itself in the transaction of its second part. Without transactions,
# each statement commits by itself
PROGRAM = """
import os, signal, sys
from masthead.cli import run as run_command
from masthead.services.imports.work import run_batch as run
from masthead.services.imports.work import undo
from masthead.store.imports import batch_rows

protection, name, *words = sys.argv[1:]
if protection == "without":
    from tests.support.protections import PROTECTIONS
    for replacement in PROTECTIONS["transactions"]:
        setattr(*replacement)
run.BATCH = undo.PART = 2
original, left = getattr(batch_rows, name), [1]

async def die(*args):
    if not left:
        os.kill(os.getpid(), signal.SIGKILL)
    left.pop()
    await original(*args)

setattr(batch_rows, name, die)
run_command(words)
"""
STEPS = {"import": "insert_rows", "undo": "update_outcomes"}  # what the transactions end with


def kill(protection: str, command: str, words: str) -> None:
    """Run a command that is killed."""
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM, protection, STEPS[command], *words.split()],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    if ended.returncode != -9:
        raise RuntimeError(ended.stderr)  # the control expects assertions to fail


async def take_at_once(*args: object, **options: object) -> bool:
    """Take a lease as if the killed process had died a minute ago."""
    return True


def imports(shop: Shop, words: str) -> Any:
    """What a command says about imports."""
    return shop.masthead(f"imports {words} --account {shop.account} --json").json


def kill_and_go_on(shop: Shop, command: str, protection: str) -> None:
    """Kill a command in its second part, and run it again."""
    rows = [row(f"A{n}") + f",a{n}@example.test" for n in range(5)]
    shop.write(*rows, header=HEADER + ",email")
    words = f"import --account {shop.account} --source {shop.source} {shop.path}"
    if command == "undo":
        shop.run()
        words = f"imports undo --account {shop.account} 1"
    kill(protection, command, words)
    shop.masthead("check")
    shop.masthead(words)
    [listed] = imports(shop, "list")["items"]
    assert (listed["batch"], listed["read"], listed["imported"], listed["skipped"]) == (1, 5, 5, 0)
    assert listed["undone"] == (0 if command == "import" else 5)
    shop.masthead("check")


@pytest.mark.parametrize("command", list(STEPS))
def test_a_killed_import_or_undo_is_sound_and_goes_on(
    own: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.setattr("masthead.store.background.leases.take_lease", take_at_once)
    kill_and_go_on(Shop(own, tmp_path), command, "with")


@pytest.mark.slow
@pytest.mark.parametrize("command", list(STEPS))
def test_without_transactions_a_killed_import_or_undo_is_noticed(
    own: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.setattr("masthead.store.background.leases.take_lease", take_at_once)
    with pytest.raises(AssertionError):
        kill_and_go_on(Shop(own, tmp_path), command, "without")
