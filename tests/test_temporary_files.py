"""Temporary files of tests are deleted when nothing writes into them any more."""

import os
import subprocess
import sys

from tests.support.temporary_files import private_folder

# Writes for longer than deleting a file takes, into a folder that a server has left
WRITER = """
import os, pathlib, time
folder = pathlib.Path(os.environ["TMPDIR"], "templates")
folder.mkdir()
print(flush=True)
for number in range(200):
    (folder / str(number)).touch()
    time.sleep(0.002)
"""


def test_the_folder_outlives_the_processes_that_use_it() -> None:
    with private_folder() as folder:
        writer = subprocess.Popen(
            [sys.executable, "-c", WRITER],
            env={**os.environ, "TMPDIR": str(folder)},
            stdout=subprocess.PIPE,
        )
        assert writer.stdout
        assert writer.stdout.readline() == b"\n"
    assert not folder.exists()
    assert writer.communicate()[0] == b""
    assert writer.returncode == 0
