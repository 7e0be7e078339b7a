"""`masthead serve` as it really runs: a process group of its own, on a free loopback port."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from pathlib import Path

import httpx

from masthead.store.engine.database import connect
from tests.conftest import Cast, Client, make_account

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 30.0  # seconds that a busy machine may take to start or stop a server


class Server:
    """A running `masthead serve`, leader of its process group. url: where it listens."""

    def __init__(self, process: subprocess.Popen[bytes], port: int, log: Path) -> None:
        self.process, self.port, self.log = process, port, log
        self.url = f"http://127.0.0.1:{port}"

    def wait(self, path: str = "/health") -> float:
        """Return once the path is answered with 200; seconds that it took."""
        began = time.monotonic()
        while time.monotonic() - began < PATIENCE:
            assert self.process.poll() is None, f"the server has ended: {self.log.read_text()}"
            with contextlib.suppress(httpx.TransportError):
                if httpx.get(self.url + path, timeout=PATIENCE, trust_env=False).is_success:
                    return time.monotonic() - began
            time.sleep(0.02)
        raise AssertionError(f"{path} is not answered: {self.log.read_text()}")

    def is_listening(self) -> bool:
        """Whether anybody still takes connections at its port."""
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port)):
            return True
        return False

    def workers(self) -> list[int]:
        """The process ids of its workers."""
        children = Path(f"/proc/{self.process.pid}/task").glob("*/children")
        pids = [pid for child in children for pid in child.read_text().split()]
        lines = {pid: Path(f"/proc/{pid}/cmdline").read_bytes() for pid in pids}
        return [int(pid) for pid, line in lines.items() if b"spawn_main" in line]

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the supervisor alone."""
        self.process.send_signal(number)

    def kill(self) -> None:
        """End supervisor and workers at once, as a power cut would."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(PATIENCE)


@contextlib.contextmanager
def serve(
    database_url: str,
    log: Path,
    *,
    workers: int = 1,
    without: str | None = None,
    environment: Mapping[str, str] | None = None,
    files: int | None = None,
    port: int | None = None,
) -> Iterator[Server]:
    """A server of a database, which answers once this begins and is killed when it ends.

    log: file for what it says. without: the guard that it lacks, one of `tests.support.guards`.
    environment: more variables, such as settings. files: how many each process may have open.
    port: any free one by default.
    """
    with launch(
        database_url,
        log,
        workers=workers,
        without=without,
        environment=environment,
        files=files,
        port=port,
    ) as server:
        server.wait()
        yield server


@contextlib.contextmanager
def launch(
    database_url: str,
    log: Path,
    *,
    workers: int = 1,
    without: str | None = None,
    environment: Mapping[str, str] | None = None,
    files: int | None = None,
    port: int | None = None,
    program: str = "masthead",
) -> Iterator[Server]:
    """The same, without waiting until it answers. program: the module that is run."""
    port = port or free_port()
    if without:
        program = "tests.support.serve_without"
    variables = {**(environment or {}), "MASTHEAD_DATABASE_URL": database_url}
    if without:
        variables["WITHOUT"] = without
    words = [sys.executable, "-m", program, "serve", "--port", str(port), "--workers", str(workers)]
    if files is not None:
        words = ["sh", "-c", 'ulimit -n "$0"; exec "$@"', str(files), *words]
    with log.open("ab") as output:
        process = subprocess.Popen(
            words,
            cwd=ROOT,
            env={**os.environ, **variables},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    server = Server(process, port, log)
    try:
        yield server
    finally:
        server.kill()


@contextlib.asynccontextmanager
async def account_at(server: Server, database_url: str) -> AsyncIterator[Cast]:
    """A fresh account at a server; each request takes a connection, and maybe a worker, anew."""
    db = await connect(database_url)
    limits = httpx.Limits(max_keepalive_connections=0)
    try:
        async with httpx.AsyncClient(
            base_url=server.url, limits=limits, timeout=PATIENCE, trust_env=False
        ) as http:
            yield await make_account(Client(http), db, "Acme")
    finally:
        await db.close()


def free_port() -> int:
    """A loopback port that nobody listens at."""
    with socket.create_server(("127.0.0.1", 0)) as door:
        port: int = door.getsockname()[1]
        return port
