"""`kill -9` in the middle of an erasure: everything is there, and the next run erases."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import CommandLine, bare
from tests.cli.test_subscriber import EMAIL, filled, own

__all__ = ["bare", "own"]
pytestmark = pytest.mark.crash

# Kills itself at the last step of the transaction, or right after it
PROGRAM = """
import os, signal, sys
from masthead.services.privacy import erase
from masthead.cli import privacy, run

def die(*args, **options):
    os.kill(os.getpid(), signal.SIGKILL)

module, name = (erase, "_remember") if sys.argv[1] == "inside" else (privacy, "finish_erasures")
setattr(module, name, die)
run(["subscriber", "erase", "--account", sys.argv[2], sys.argv[3], "--yes"])
"""


@pytest.mark.parametrize("moment", ["inside", "after"])  # after: the control
def test_a_killed_erasure_is_complete_or_has_not_begun(
    own: CommandLine, tmp_path: Path, moment: str
) -> None:
    account, _words = filled(own, tmp_path)
    killed = subprocess.run(
        [sys.executable, "-c", PROGRAM, moment, account, EMAIL], capture_output=True, check=False
    )
    assert killed.returncode == -9, killed.stderr
    export = f"subscriber export --account {account} {EMAIL} --json"
    assert ("Quuxley" in own(export).out) is (moment == "inside")
    own(f"subscriber erase --account {account} {EMAIL} --yes")
    assert "Quuxley" not in own(export).out
    own("check")
