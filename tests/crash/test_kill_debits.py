"""`kill -9` in the middle of a collection: nothing of it is stored, and then it goes on."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import CommandLine, bare
from tests.cli.test_debit import DAY, place_debit, turn_on
from tests.cli.test_subscriber import own

__all__ = ["bare", "own"]
pytestmark = pytest.mark.crash

# Kills itself when the collection and its file are written, and its debits are not
PROGRAM = """
import os, signal, sys
from masthead.cli import run
from masthead.services.debits import collect

write = collect.debit_store.update_collected

async def write_or_die(*args, **options):
    await write(*args, **options)
    if sys.argv[3] == "killed":
        os.kill(os.getpid(), signal.SIGKILL)

collect.debit_store.update_collected = write_or_die
account, output, _fate, day = sys.argv[1:]
run(["debit", "create", "--account", account, "--output", output, "--day", day])
"""


@pytest.mark.parametrize("fate", ["killed", "control"])
def test_a_killed_collection_is_not_there(own: CommandLine, fate: str, tmp_path: Path) -> None:
    account = own.account()
    source = turn_on(own, account)
    for number in range(3):
        place_debit(own, account, source, f"O{number}")
    file = tmp_path / "debits.xml"
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM, account, str(file), fate, str(DAY)],
        capture_output=True,
        check=False,
    )
    is_killed = fate == "killed"
    assert ended.returncode == (-9 if is_killed else 0), ended.stderr
    assert file.exists() is not is_killed
    own("check")
    waiting = own(f"debit list --account {account} --json").json["items"]
    made = own(f"debit collections --account {account} --json").json["items"]
    assert (len(waiting), len(made)) == ((3, 0) if is_killed else (0, 1))
    if is_killed:
        own(f"debit create --account {account} --output {file} --day {DAY}")
    [collection] = own(f"debit collections --account {account} --json").json["items"]
    assert (collection["number"], collection["debits"]) == (1, 3)
    again = tmp_path / "again.xml"
    own(f"debit file --account {account} 1 --output {again}")
    assert again.read_bytes() == file.read_bytes()
    own("check")
