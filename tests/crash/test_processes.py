"""Shutdown of supervisor and workers, and the effect of slow clients on others."""

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import apsw
import httpx
import pytest

from masthead.store.engine.interface import sqlite_path
from masthead.store.engine.migrate import migrate
from tests.conftest import Cast
from tests.support.serving import Server, account_at, launch, read_process_file, serve
from tests.support.waiting import PATIENCE, until

pytestmark = pytest.mark.crash

ORPHANED_SECONDS = 2.0  # workers look for their supervisor ten times meanwhile
DAWDLERS = 40


@pytest.fixture
def url(tmp_path: Path) -> str:
    """A SQLite database; these tests hardly use it."""
    url = f"sqlite:///{tmp_path / 'masthead.db'}"
    migrate(url)
    return url


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Where the server writes."""
    return tmp_path / "log"


def kill_the_supervisor(server: Server) -> None:
    """Kill the supervisor, but none of its workers."""
    server.signal(signal.SIGKILL)
    server.process.wait(PATIENCE)


def test_workers_end_when_their_supervisor_is_killed(url: str, log: Path) -> None:
    with serve(url, log, workers=2) as server:
        kill_the_supervisor(server)
        server.wait_until_it_is_gone()


@pytest.mark.slow
def test_without_watching_their_supervisor_workers_continue(url: str, log: Path) -> None:
    with serve(url, log, workers=2, without="supervision") as server:
        kill_the_supervisor(server)
        time.sleep(ORPHANED_SECONDS)
        assert server.is_listening()


def test_commands_and_servers_start_without_what_few_of_them_need() -> None:
    seen = """if True:
        import sys
        import masthead.cli
        print(*{"granian", "fpdf"} & sys.modules.keys())
        import masthead.app
        print(*{"fpdf", "aiohttp"} & sys.modules.keys())
        import threading
        print(threading.active_count())  # workers are forked with what has been imported
    """
    ended = subprocess.run(
        [sys.executable, "-c", seen], check=True, timeout=PATIENCE, stdout=subprocess.PIPE
    )
    assert ended.stdout == b"\n\n1\n"


@pytest.mark.skipif(sys.platform != "linux", reason="workers are forked on Linux only")
def test_a_worker_that_is_killed_is_replaced_by_another_fork(url: str, log: Path) -> None:
    with serve(url, log, workers=2) as server:
        killed, other = server.workers()
        os.kill(killed, signal.SIGKILL)
        began = time.monotonic()
        while killed in server.workers() or len(server.workers()) < 2:
            assert time.monotonic() - began < PATIENCE, log.read_text()
            time.sleep(0.05)
        assert other in server.workers()
        server.wait("/ready")
        commands = {
            read_process_file(Path(f"/proc/{pid}/cmdline"))
            for pid in (server.process.pid, *server.workers())
        }
        assert len(commands) == 1  # another program would load all modules again


@contextlib.contextmanager
def locked(url: str) -> Iterator[None]:
    """Lock the database for all other writers during the block."""
    connection = apsw.Connection(str(sqlite_path(url)))
    connection.set_busy_timeout(60_000)  # the background work of the server writes, too
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        connection.execute("ROLLBACK")
        connection.close()


async def test_sigterm_lets_current_requests_finish(url: str, log: Path) -> None:
    with serve(url, log, workers=2) as server:
        async with account_at(server, url) as acme:
            with locked(url):
                request = asyncio.create_task(acme.post("/v1/issues/", {"number": 1}))
                await asyncio.sleep(0.5)
                assert not request.done()
                server.signal(signal.SIGTERM)
                await asyncio.sleep(0.5)
            answer = await request
        assert answer.status_code == 201
        assert await asyncio.to_thread(server.process.wait, PATIENCE) == 0
        assert not server.is_listening()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_to_all_processes_lets_current_requests_finish(
    url: str, log: Path, number: signal.Signals
) -> None:
    with serve(url, log, workers=2) as server:
        async with account_at(server, url) as acme:
            await until(lambda: "Ctrl-C stops it" in log.read_text())
            said = await asyncio.to_thread(log.read_text)
            with locked(url):
                request = asyncio.create_task(acme.post("/v1/issues/", {"number": 1}))
                await asyncio.sleep(0.5)
                assert not request.done()
                os.killpg(server.process.pid, number)  # as Ctrl-C in a terminal
                await asyncio.sleep(0.5)
            answer = await request
        assert answer.status_code == 201
        assert await asyncio.to_thread(server.process.wait, PATIENCE) == 0
        assert await asyncio.to_thread(log.read_text) == said


async def test_ctrl_c_pressed_again_and_again_lets_current_requests_finish(
    url: str, log: Path
) -> None:
    """granian's own handler blocks the third time, and then the worker has to be killed."""
    with serve(url, log, workers=2) as server:
        async with account_at(server, url) as acme:
            await until(lambda: "Ctrl-C stops it" in log.read_text())
            with locked(url):
                request = asyncio.create_task(acme.post("/v1/issues/", {"number": 1}))
                await asyncio.sleep(0.5)
                for _ in range(5):
                    os.killpg(server.process.pid, signal.SIGINT)
                    await asyncio.sleep(0.05)
            answer = await request
        assert answer.status_code == 201
        assert await asyncio.to_thread(server.process.wait, PATIENCE) == 0
    assert "Killing" not in await asyncio.to_thread(log.read_text)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_ends_workers_that_wait_for_the_database_at_their_start(
    url: str, log: Path, number: signal.Signals
) -> None:
    """The server does not see a signal that comes before it serves: they were killed after 10 s."""
    with locked(url), launch(url, log, workers=2) as server:
        await until(lambda: count_starting(server.process.pid, sqlite_path(url)) == 2)
        os.killpg(server.process.pid, number)
        assert await asyncio.to_thread(server.process.wait, PATIENCE) == 0
    assert "Killing" not in await asyncio.to_thread(log.read_text)


def count_starting(supervisor: int, database: Path) -> int:
    """How many workers of a supervisor have opened the database."""
    children = Path(f"/proc/{supervisor}/task/{supervisor}/children").read_text().split()
    return sum(opens(int(child), database) for child in children)


def opens(process: int, file: Path) -> bool:
    """Whether a process has a file open."""
    with contextlib.suppress(OSError):  # it has ended, or has just closed a file
        return any(each.resolve() == file for each in Path(f"/proc/{process}/fd").iterdir())
    return False


@pytest.mark.slow
async def test_sigterm_waits_for_a_limited_time(url: str, log: Path) -> None:
    with serve(url, log, workers=2) as server:
        async with account_at(server, url) as acme, dawdlers(server, body_begun(acme)):
            server.signal(signal.SIGTERM)
            await asyncio.to_thread(server.process.wait, PATIENCE)
    said = await asyncio.to_thread(log.read_text)
    assert "most recent call first" in said  # where its threads were when it was killed


def body_begun(cast: Cast) -> bytes:
    """A request whose body never ends."""
    return (
        "POST /v1/issues/ HTTP/1.1\r\nHost: masthead.test\r\n"
        f"Authorization: Bearer {cast.key}\r\n"
        'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"num'
    ).encode()


HEAD_BEGUN = b"GET /health HTTP/1.1\r\nHost: masthead.test\r\nX-Slow: "


@contextlib.asynccontextmanager
async def dawdlers(server: Server, begun: bytes) -> AsyncIterator[list[asyncio.StreamReader]]:
    """Clients that do not finish their request; returns what they received."""
    async with contextlib.AsyncExitStack() as ends:
        readers = []
        for _ in range(DAWDLERS):
            reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
            ends.callback(writer.close)
            writer.write(begun)
            await writer.drain()
            readers.append(reader)
        yield readers


async def answer_others(server: Server) -> None:
    """A complete request gets a response."""
    limits = httpx.Limits(max_keepalive_connections=0)
    async with httpx.AsyncClient(limits=limits, timeout=PATIENCE, trust_env=False) as http:
        for _ in range(20):
            assert (await http.get(server.url + "/ready")).status_code == 200


@pytest.mark.slow
@pytest.mark.parametrize("begun", [b"", b"G", HEAD_BEGUN, HEAD_BEGUN + b"\r\n\r\n"])
async def test_a_client_that_sends_its_headers_slowly_is_disconnected(
    url: str, log: Path, begun: bytes
) -> None:
    with serve(url, log, workers=2, without="patience") as server:
        async with dawdlers(server, begun) as readers:
            await answer_others(server)
            async with asyncio.timeout(PATIENCE):
                for reader in readers:
                    told = await reader.read()
                    if begun.endswith(b"\r\n\r\n"):
                        assert told.startswith(b"HTTP/1.1 200")
                    else:
                        assert not told or told.startswith((b"HTTP/1.1 400", b"HTTP/1.1 408"))


@pytest.mark.slow
async def test_a_client_that_sends_its_body_slowly_is_disconnected(url: str, log: Path) -> None:
    with serve(url, log, workers=2, without="patience") as server:
        async with account_at(server, url) as acme, dawdlers(server, body_begun(acme)) as readers:
            await answer_others(server)
            async with asyncio.timeout(PATIENCE):
                for reader in readers:
                    assert (await reader.read()).startswith(b"HTTP/1.1 400")
