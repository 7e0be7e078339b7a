"""Killed workers and ignored signals: the service continues."""

import os
import signal
import time
from pathlib import Path

import httpx
import pytest

from masthead.store.engine.migrate import migrate
from tests.faults.support.notes import NOTES
from tests.support.rounds import rounds
from tests.support.serving import Server, read_process_file, serve
from tests.support.waiting import PATIENCE

pytestmark = pytest.mark.faults


@pytest.fixture
def url(tmp_path: Path) -> str:
    """A database in a file; these tests hardly use it."""
    url = f"sqlite:///{tmp_path / 'masthead.db'}"
    migrate(url)
    return url


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Where the server writes."""
    return tmp_path / "log"


def kill_worker(server: Server) -> None:
    """Kill the only worker, and wait for another one."""
    (worker,) = server.workers()
    os.kill(worker, signal.SIGKILL)
    began = time.monotonic()
    while server.workers() in ([worker], []):
        assert server.process.poll() is None, "the service has ended"
        assert time.monotonic() - began < PATIENCE, "no worker took its place"
        time.sleep(0.02)
    NOTES["client"] = "connections of the killed worker are cut"
    NOTES["recovery"] = f"a new worker after {time.monotonic() - began:.1f} s"


@pytest.mark.slow
def test_a_worker_that_is_killed_repeatedly_is_always_replaced(url: str, log: Path) -> None:
    with serve(url, log) as server:
        for _ in range(rounds(4)):
            kill_worker(server)
        server.wait("/ready")
        assert log.read_text().count('"event": "worker died"') == rounds(4)


@pytest.mark.slow
def test_without_the_protection_granian_stops_after_the_second_time(url: str, log: Path) -> None:
    with serve(url, log, without="respawning") as server:
        kill_worker(server)
        with pytest.raises(AssertionError, match="the service has ended"):
            kill_worker(server)


@pytest.mark.slow
def test_a_worker_that_keeps_ending_is_replaced_more_and_more_slowly(url: str, log: Path) -> None:
    with serve(url, log) as server:
        for _ in range(3):
            kill_worker(server)
        lines = [line for line in log.read_text().splitlines() if "worker died" in line]
        pauses = [line.partition('"pause": ')[2][:3] for line in lines]
        assert pauses == ["0.0", "0.5", "1.0"]


def wait_until_started(server: Server, count: int) -> set[int]:
    """The workers, once each ignores SIGHUP; one that gets it earlier dies and is replaced."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        workers = server.workers()
        if len(workers) == count and all(ignores_sighup(worker) for worker in workers):
            return set(workers)
        time.sleep(0.05)
    raise AssertionError("a worker did not start in time")


def ignores_sighup(process: int) -> bool:
    """Whether a process ignores SIGHUP, the lowest bit of the mask of ignored signals."""
    status = read_process_file(Path(f"/proc/{process}/status")).decode()
    masks = [line for line in status.splitlines() if line.startswith("SigIgn:")]
    return any(int(mask.split()[1], 16) & 1 for mask in masks)


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_no_request_is_refused_after_sighup(url: str, log: Path, workers: int) -> None:
    with serve(url, log, workers=workers) as server:
        before = wait_until_started(server, workers)
        for process in (server.process.pid, *before):
            os.kill(process, signal.SIGHUP)
        for _ in range(40):
            answer = httpx.get(server.url + "/ready", timeout=PATIENCE, trust_env=False)
            assert answer.status_code == 200
            time.sleep(0.05)
        assert set(server.workers()) == before
        assert '"event": "SIGHUP ignored"' in log.read_text()


def test_sigterm_to_every_process_at_once_shuts_down_cleanly(url: str, log: Path) -> None:
    with serve(url, log, workers=2) as server:
        os.killpg(server.process.pid, signal.SIGTERM)
        assert server.process.wait(PATIENCE) == 0


def test_sigterm_while_a_worker_waits_to_be_replaced_ends_the_service(url: str, log: Path) -> None:
    with serve(url, log) as server:
        for _ in range(3):
            kill_worker(server)
        (worker,) = server.workers()
        os.kill(worker, signal.SIGKILL)
        server.signal(signal.SIGTERM)
        assert server.process.wait(PATIENCE) == 0
