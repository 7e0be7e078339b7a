"""The metrics of several workers: they survive each of them."""

import os
import re
import signal
import time
from pathlib import Path

import httpx
import pytest

from masthead.store.engine.migrate import migrate
from tests.support.serving import Server, serve
from tests.support.waiting import PATIENCE

pytestmark = pytest.mark.faults

TOKEN = "t0ken-of-prometheus"
ANSWERED = "masthead_request_duration_seconds_count"


def read_metrics(http: httpx.Client) -> dict[str, float]:
    """The samples that one of the workers tells."""
    text = http.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"}).text
    pairs = (line.rpartition(" ") for line in text.splitlines() if not line.startswith("#"))
    return {name: float(value) for name, _, value in pairs}


def answered(samples: dict[str, float]) -> float:
    return sum(value for name, value in samples.items() if re.match(rf"{ANSWERED}.*other", name))


def test_any_worker_tells_the_requests_of_all_and_none_is_forgotten(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'masthead.db'}"
    migrate(url)
    token = {"MASTHEAD_METRICS_TOKEN": TOKEN}
    separate = httpx.Limits(max_keepalive_connections=0)  # each may reach another worker
    with (
        serve(url, tmp_path / "log", workers=2, environment=token) as server,
        httpx.Client(
            base_url=server.url, limits=separate, timeout=PATIENCE, trust_env=False
        ) as http,
    ):
        wait_for_workers(server, http)
        for _ in range(20):
            http.get("/nothing")
        assert [answered(read_metrics(http)) for _ in range(8)] == [20] * 8

        killed = server.workers()[0]
        os.kill(killed, signal.SIGKILL)
        while killed in server.workers():
            time.sleep(0.02)
        wait_for_workers(server, http)
        assert answered(read_metrics(http)) == 20
        assert "metrics of this worker alone" not in server.log.read_text()


def wait_for_workers(server: Server, http: httpx.Client) -> None:
    """Wait until both workers run and tell their numbers."""
    deadline = time.monotonic() + PATIENCE
    while len(server.workers()) < 2 or read_metrics(http)["masthead_workers"] < 2:
        assert time.monotonic() < deadline, "a worker is missing"
        time.sleep(0.02)
