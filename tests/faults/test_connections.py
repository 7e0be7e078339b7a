"""Clients that keep connections open: other clients get responses, and memory is bounded."""

import asyncio
import contextlib
import resource
import socket
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import httpx
import pytest

from masthead.store.engine.migrate import migrate
from tests.crash.test_processes import locked
from tests.faults.support.notes import NOTES
from tests.support.serving import Server, account_at, serve
from tests.support.waiting import PATIENCE

pytestmark = pytest.mark.faults

MANY = 1_100  # more than the 1,000 connections that a worker keeps by default
MORE = 2_000  # more than it ever accepts
LIMIT = 100
SECONDS = 5.0  # until a request during a flood gets a response; without the limit it never does
MEGABYTES = 450.0  # that a worker uses at most; an idle one uses 75

HEAD = b"GET /health HTTP/1.1\r\nHost: masthead.test\r\n"
FORM = (
    b"POST /sign-in/ HTTP/1.1\r\nHost: masthead.test\r\n"
    b"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 1048576\r\n\r\nemail="
)
FLOODS = {
    "nothing": b"",
    "one byte": b"G",
    "HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "a head without end": HEAD + b"X-Slow: ",
    "a body without end": FORM,
    "a request, and then nothing": HEAD + b"\r\n",
}
LARGE = {
    "heads that are too large": HEAD + b"X-Large: " + b"a" * 400_000,
    "heads that are nearly too large": HEAD + b"X-Large: " + b"a" * 32_000,
    "bodies": FORM + b"a" * 1_000_000,
}


@pytest.fixture(autouse=True, scope="module")
def files() -> Iterator[None]:
    """Allow this process enough open files for its own connections."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < MORE * 2:
        pytest.skip(f"{MORE * 2} open files are needed; the system allows {hard}")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, MORE * 2), hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.fixture
def url(tmp_path: Path) -> str:
    """A database in a file; these tests hardly use it."""
    url = f"sqlite:///{tmp_path / 'masthead.db'}"
    migrate(url)
    return url


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with default settings, for all floods of connections."""
    folder = tmp_path_factory.mktemp("server")
    url = f"sqlite:///{folder / 'masthead.db'}"
    migrate(url)
    with serve(url, folder / "log") as server:
        yield server


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Where the server writes."""
    return tmp_path / "log"


@contextlib.contextmanager
def flood(server: Server, number: int, sent: bytes) -> Iterator[list[socket.socket]]:
    """A number of connections that have sent the same data and stay open."""
    with contextlib.ExitStack() as ends:
        connections = []
        for _ in range(number):
            connection = socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE)
            ends.callback(connection.close)
            with contextlib.suppress(OSError):  # the server refused it during the sending
                connection.sendall(sent)
            connections.append(connection)
        yield connections


def answer_others(
    server: Server, times: int = 10, paths: Sequence[str] = ("/health", "/ready")
) -> None:
    """Check that requests on new connections always get a response."""
    slowest = 0.0
    for _ in range(times):
        began = time.monotonic()
        for path in paths:
            answer = httpx.get(server.url + path, timeout=PATIENCE, trust_env=False)
            assert answer.status_code == 200
        slowest = max(slowest, time.monotonic() - began)
    NOTES["recovery" if "client" in NOTES else "client"] = f"others: 200 within {slowest:.1f} s"


def megabytes(server: Server) -> float:
    """The peak memory of a worker."""
    (worker,) = server.workers()
    status = Path(f"/proc/{worker}/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


@pytest.mark.parametrize("kind", FLOODS)
def test_clients_that_hold_connections_do_not_block_others(server: Server, kind: str) -> None:
    with flood(server, MANY, FLOODS[kind]):
        answer_others(server)
    answer_others(server)


@pytest.mark.slow
@pytest.mark.parametrize("kind", LARGE)
def test_clients_that_send_much_data_use_bounded_memory(server: Server, kind: str) -> None:
    with flood(server, MORE, LARGE[kind]):
        answer_others(server)
    answer_others(server)
    assert megabytes(server) < MEGABYTES


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["nothing", "one byte", "HTTP/2"])
def test_without_the_limit_clients_that_hold_connections_block_all_others(
    url: str, log: Path, kind: str
) -> None:
    limit = {"MASTHEAD_MAX_CONNECTIONS": str(LIMIT)}
    with (
        serve(url, log, without="connection limit", environment=limit) as server,
        flood(server, LIMIT + 50, FLOODS[kind]),
        pytest.raises(httpx.ReadTimeout),
    ):
        answer_others(server)


@pytest.mark.slow
def test_without_the_limits_large_headers_use_up_the_memory(url: str, log: Path) -> None:
    with (
        serve(url, log, without="connection limit") as server,
        flood(server, MORE // 2, LARGE["heads that are too large"]),
    ):
        began = time.monotonic()
        while megabytes(server) < MEGABYTES:
            assert time.monotonic() - began < PATIENCE
            time.sleep(0.1)


def count_closed(connections: list[socket.socket]) -> int:
    """How many of them the server has closed."""
    closed = 0
    for connection in connections:
        connection.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            closed += connection.recv(1) == b""
    return closed


@pytest.mark.slow
def test_the_longest_idle_connections_are_closed_first(url: str, log: Path) -> None:
    limit = {"MASTHEAD_MAX_CONNECTIONS": str(LIMIT)}
    with serve(url, log, environment=limit) as server, flood(server, LIMIT // 2, b"") as old:
        time.sleep(1)
        with flood(server, LIMIT * 3 // 5, b"") as new:
            began = time.monotonic()
            while count_closed(old) < LIMIT // 10:
                assert time.monotonic() - began < SECONDS
                time.sleep(0.05)
            assert count_closed(new) == 0
            while '"event": "connections closed"' not in log.read_text():
                assert time.monotonic() - began < PATIENCE
                time.sleep(0.05)


@pytest.mark.slow
async def test_a_connection_with_a_current_request_is_not_closed(url: str, log: Path) -> None:
    limit = {"MASTHEAD_MAX_CONNECTIONS": str(LIMIT)}
    with serve(url, log, environment=limit) as server:
        async with account_at(server, url) as acme:
            with locked(url):
                request = asyncio.create_task(acme.post("/v1/issues/", {"number": 1}))
                await asyncio.sleep(0.5)
                with flood(server, LIMIT * 2, b""):
                    # `/ready` correctly reports that nothing can be written
                    await asyncio.to_thread(answer_others, server, paths=["/health"])
                assert not request.done()
            assert (await request).status_code == 201


@pytest.mark.parametrize("size, status", [(32_000, b"200"), (65_536, b"431"), (500_000, b"431")])
def test_headers_have_at_most_64_kilobytes(server: Server, size: int, status: bytes) -> None:
    with flood(server, 1, b"") as (connection,):
        with contextlib.suppress(OSError):
            connection.sendall(HEAD + b"X-Large: " + b"a" * size + b"\r\n\r\n")
        assert connection.recv(12) == b"HTTP/1.1 " + status


def test_http_2_is_refused(server: Server) -> None:
    with flood(server, 1, FLOODS["HTTP/2"]) as (connection,):
        answer = connection.recv(100)
        assert not answer or answer.startswith(b"HTTP/1.1 400")


@pytest.mark.slow
def test_a_low_limit_of_open_files_lowers_the_connection_limit(url: str, log: Path) -> None:
    with serve(url, log, files=400) as server:
        with flood(server, 500, b""):
            answer_others(server)
        answer_others(server)
    assert '"event": "connection limit lowered"' in log.read_text()


@pytest.mark.slow
def test_a_server_without_free_descriptors_logs_it_and_recovers(url: str, log: Path) -> None:
    with serve(url, log) as server:
        (worker,) = server.workers()
        open_now = len(list(Path(f"/proc/{worker}/fd").iterdir()))
        before = resource.prlimit(worker, resource.RLIMIT_NOFILE)
        resource.prlimit(worker, resource.RLIMIT_NOFILE, (open_now + 10, before[1]))
        with flood(server, 50, b""):
            answer_others(server, 2)
        answer_others(server)
        resource.prlimit(worker, resource.RLIMIT_NOFILE, before)
    assert '"event": "no file descriptors left"' in log.read_text()
