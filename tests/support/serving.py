"""Run `masthead serve` as a separate process, on a free loopback port."""

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
from tests.support.databases import SHARED
from tests.support.ports import reserved_port
from tests.support.replica import settings_of
from tests.support.waiting import PATIENCE

ROOT = Path(__file__).resolve().parents[2]


class Server:
    """A running `masthead serve`, the leader of its process group. url: its address."""

    def __init__(self, process: subprocess.Popen[bytes], port: int, log: Path) -> None:
        self.process, self.port, self.log = process, port, log
        self.url = f"http://127.0.0.1:{port}"

    def wait(self, path: str = "/health") -> float:
        """Wait until the path returns a 200; returns the seconds that it took."""
        began = time.monotonic()
        while time.monotonic() - began < PATIENCE:
            assert self.process.poll() is None, f"the server has ended: {self.log.read_text()}"
            with contextlib.suppress(httpx.TransportError):
                if httpx.get(self.url + path, timeout=PATIENCE, trust_env=False).is_success:
                    return time.monotonic() - began
            time.sleep(0.02)
        raise AssertionError(f"{path} is not answered: {self.log.read_text()}")

    def wait_until_it_accepts(self, workers: int = 1) -> None:
        """Wait until so many workers themselves wait for connections.

        Another server may share the port.
        """
        began = time.monotonic()
        while time.monotonic() - began < PATIENCE:
            assert self.process.poll() is None, f"the server has ended: {self.log.read_text()}"
            if sum(self._accepts(pid) for pid in self.workers()) >= workers:
                return
            time.sleep(0.02)
        raise AssertionError(f"too few workers accept connections: {self.log.read_text()}")

    def _accepts(self, pid: int) -> bool:
        """Whether a process watches a listening socket of the port."""
        listening = f":{self.port:04X} 00000000:0000 0A ".encode()
        table = read_process_file(Path(f"/proc/{pid}/net/tcp")).splitlines()
        inodes = [int(line.split()[9]) for line in table if listening in line]
        watched = b"".join(map(read_process_file, Path(f"/proc/{pid}/fdinfo").glob("*")))
        return any(b" ino:%x " % inode in watched for inode in inodes)

    def is_listening(self) -> bool:
        """Whether its port still accepts connections."""
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port)):
            return True
        return False

    def wait_until_it_is_gone(self) -> None:
        """Wait until no process accepts connections on its port."""
        began = time.monotonic()
        while self.is_listening():
            assert time.monotonic() - began < PATIENCE, "it still accepts connections"
            time.sleep(0.02)

    def workers(self) -> list[int]:
        """The process ids of its workers, which are forked from the supervisor."""
        children = Path(f"/proc/{self.process.pid}/task").glob("*/children")
        return [int(pid) for child in children for pid in read_process_file(child).split()]

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the supervisor alone."""
        self.process.send_signal(number)

    def kill(self) -> None:
        """Kill the supervisor and the workers at once, as a power failure does."""
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
    """Start a server, wait until it answers, and kill it at the end of the block.

    log: file for its log. without: the name of a protection to switch off, see `protections`.
    environment: more variables, such as settings. files: the limit of open files per process.
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
    listener: socket.socket | None = None,
    reuse_port: bool = False,
) -> Iterator[Server]:
    """Start a server without waiting until it answers. program: the module to run.

    listener: a socket to pass to the server, as systemd does. reuse_port: share the port.
    """
    assert database_url not in SHARED, "a server needs a database of its own (`scratch_url`)"
    if without:
        program = "tests.support.serve_unprotected"
    variables = {**(environment or {}), **settings_of(database_url)}
    if without:
        variables["WITHOUT"] = without
    chosen = listener.getsockname()[1] if listener else port
    with contextlib.nullcontext(chosen) if chosen else reserved_port() as port:
        words = [sys.executable, "-m", program, "serve"]
        words += ["--port", str(port), "--workers", str(workers)]
        if reuse_port:
            words.append("--reuse-port")
        if files is not None:
            words = ["sh", "-c", 'ulimit -n "$0"; exec "$@"', str(files), *words]
        passed = (listener.fileno(),) if listener else ()
        if listener:
            passing = f'LISTEN_PID=$$ LISTEN_FDS=1 exec "$@" 3<&{listener.fileno()}'
            words = ["bash", "-c", passing, "bash", *words]
        with log.open("ab") as output:
            process = subprocess.Popen(
                words,
                pass_fds=passed,
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
    """A new account on a server; each request opens a separate connection."""
    db = await connect(database_url)
    limits = httpx.Limits(max_keepalive_connections=0)
    try:
        async with httpx.AsyncClient(
            base_url=server.url, limits=limits, timeout=PATIENCE, trust_env=False
        ) as http:
            yield await make_account(Client(http), db, "Acme")
    finally:
        await db.close()


def read_process_file(path: Path) -> bytes:
    """A file below /proc; empty once its process or thread has ended."""
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        return path.read_bytes()
    return b""
