"""A worker that cannot start, or gets SIGTERM while it does not serve yet."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from masthead.store.engine.migrate import migrate
from tests.support.serving import serve
from tests.support.waiting import PATIENCE, until

# What granian does around the application, with a signal before or after its start
STEPS = """if True:
    import asyncio, os, signal, sys
    from granian._loops import loops
    from masthead.serving import worker

    def signal_if(place):
        if sys.argv[1] == place:
            os.kill(os.getpid(), signal.SIGINT)
            os.kill(os.getpid(), signal.SIGTERM)

    async def start_application():
        print("starts")
        worker.drain_on_sigterm(lambda: print("drains"), stopped.set)

    async def serve():
        await stopped.wait()

    loop = loops.get("auto")
    stopped = asyncio.Event()
    worker.begin_worker()
    signal_if("before")
    loop.run_until_complete(start_application())
    signal_if("after")
    loop.run_until_complete(serve())
"""


def run_steps(place: str) -> subprocess.CompletedProcess[str]:
    """Start a worker that gets SIGTERM before or after the start of its application."""
    return subprocess.run(
        [sys.executable, "-c", STEPS, place],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells which connections there are")
def test_a_signal_between_the_start_of_the_application_and_of_the_server_is_not_lost() -> None:
    """uvloop loses it: the worker was killed ten seconds later."""
    ended = run_steps("after")
    assert (ended.returncode, ended.stdout) == (0, "starts\ndrains\n"), ended.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells which connections there are")
def test_a_signal_before_the_start_of_the_application_ends_the_worker() -> None:
    ended = run_steps("before")
    assert (ended.returncode, ended.stdout) == (-signal.SIGTERM, ""), ended.stderr


async def test_a_worker_without_its_database_says_so_in_one_line(tmp_path: Path) -> None:
    folder, log = tmp_path / "data", tmp_path / "log"
    folder.mkdir()
    url = f"sqlite:///{folder / 'masthead.db'}"
    migrate(url)
    with serve(url, log) as server:
        before = len(log.read_text())
        folder.rename(tmp_path / "elsewhere")
        for worker in server.workers():
            os.kill(worker, signal.SIGKILL)
        await until(lambda: log.read_text().count('"exit": 1,') >= 1)
        written = log.read_text()[before:].rpartition("\n")[0]  # the last line may have half
    lines = [
        json.loads(line) for line in written.splitlines() if not line.startswith("masthead listens")
    ]
    said = [line["reason"] for line in lines if line["event"] == "worker cannot start"]
    assert set(said) == {f"The folder `{folder}` of the database does not exist."}
