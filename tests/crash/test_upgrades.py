"""A version takes over from another one while clients send requests: none is lost."""

import asyncio
import contextlib
import json
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from masthead.settings import Settings
from masthead.store.engine.database import connect
from tests.conftest import make_account, serving
from tests.support.databases import migrated
from tests.support.serving import ROOT, serve
from tests.support.upgrades import take_over
from tests.support.waiting import PATIENCE

pytestmark = pytest.mark.faults

IN_OWN_NETWORK = ["unshare", "--user", "--map-root-user", "--net"]
REQUEST = b"GET /health HTTP/1.1\r\nHost: masthead\r\n\r\n"


async def make_key(url: str) -> str:
    """A key of a new account."""
    async with serving(Settings(database_url=url)) as (app, client):
        return (await make_account(client, app.state.db, "Acme")).key


async def count_issues(url: str) -> int:
    """The number of issues in a database."""
    db = await connect(url)
    try:
        return len(await db.fetch_all("SELECT id FROM issue", {}))
    finally:
        await db.close()


@pytest.mark.slow
async def test_no_request_is_lost_by_an_upgrade_and_a_rollback_behind_a_socket(
    scratch_url: str, tmp_path: Path
) -> None:
    key = await make_key(scratch_url)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        load = await asyncio.to_thread(take_over, scratch_url, tmp_path, key, listener=listener)
    assert load.failed == []
    assert load.answered >= 60
    assert await count_issues(scratch_url) == load.created


def run(*words: str) -> subprocess.CompletedProcess[str]:
    """Run a program in a network of its own."""
    return subprocess.run(
        [*IN_OWN_NETWORK, *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=4 * PATIENCE,
        check=False,
    )


@pytest.mark.slow
async def test_no_request_is_lost_by_an_upgrade_on_the_same_port(
    scratch_url: str, tmp_path: Path, backend: str
) -> None:
    if backend != "sqlite":
        pytest.skip("no server can be reached from a network of its own")
    if (await asyncio.to_thread(run, "true")).returncode:
        pytest.skip("this system allows no network of its own")
    key = await make_key(scratch_url)
    program = [sys.executable, "-m", "tests.support.upgrades", scratch_url, str(tmp_path), key]
    ended = await asyncio.to_thread(run, *program)
    assert ended.returncode == 0, ended.stderr
    outcome = json.loads(ended.stdout)
    assert outcome["failed"] == []
    assert await count_issues(scratch_url) == outcome["created"] > 0


# --- a request on an open connection --------------------------------------------------------------


def ask_after_sigterm(tmp_path: Path, *, without: str | None = None) -> bytes:
    """The response to a request on a connection that was accepted before SIGTERM."""
    url = migrated(f"sqlite:///{tmp_path / 'masthead.db'}")
    with (
        serve(url, tmp_path / "log", without=without) as server,
        socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) as client,
    ):
        client.sendall(REQUEST)
        assert b"200 OK" in client.recv(4096)
        server.signal(signal.SIGTERM)
        while server.is_listening():  # until the worker has seen the signal
            time.sleep(0.01)
        with contextlib.suppress(ConnectionError):
            client.sendall(REQUEST)
            return client.recv(4096)
    return b""


def test_a_stopping_worker_answers_on_open_connections_and_closes_them(tmp_path: Path) -> None:
    answer = ask_after_sigterm(tmp_path)
    assert b"200 OK" in answer
    assert b"connection: close" in answer


@pytest.mark.slow
def test_without_draining_a_request_on_an_open_connection_is_lost(tmp_path: Path) -> None:
    assert ask_after_sigterm(tmp_path, without="draining") == b""
