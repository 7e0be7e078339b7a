"""Start servers on given cores, read their CPU and memory use, and stop them."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO
from urllib.parse import urlsplit

from bench.options import ROOT

Cores = frozenset[int]

ALL: Cores = frozenset(os.sched_getaffinity(0))
SERVERS: Cores = frozenset({min(ALL)})
LOAD: Cores = ALL - SERVERS or ALL  # the other core, if there is one
TICKS = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")
PATIENCE = 60.0


def pin(cores: Cores) -> Callable[[], None]:
    """A preexec function that pins a process and its children to these cores."""
    return lambda: os.sched_setaffinity(0, cores)


def free_port() -> int:
    """A free loopback port."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def family(pid: int) -> list[int]:
    """A process and all its descendants."""
    found = [pid]
    for each in found:
        for path in Path(f"/proc/{each}/task").glob("*/children"):
            with contextlib.suppress(OSError):
                found += map(int, path.read_text().split())
    return found


def move(pid: int, cores: Cores) -> None:
    """Move a running process, its threads and its children to these cores."""
    for each in family(pid):
        for task in Path(f"/proc/{each}/task").iterdir():
            with contextlib.suppress(ProcessLookupError):
                os.sched_setaffinity(int(task.name), cores)


def cpu_seconds(pid: int) -> float:
    """CPU seconds, user and system, of a process and its descendants, including ended ones."""
    ticks = 0
    for each in family(pid):
        with contextlib.suppress(OSError):
            values = Path(f"/proc/{each}/stat").read_text().rpartition(")")[2].split()
            ticks += sum(map(int, values[11:15]))
    return ticks / TICKS


def resident_bytes(pid: int) -> int:
    """The resident memory of one process."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE


def shared_out_bytes(pid: int) -> int:
    """The memory of one process: a page that several hold is shared out among them."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    [pages] = [line.split()[1] for line in lines if line.startswith("Pss:")]
    return int(pages) * 1024


class Server:
    """A running server. address: its URL; pid: of its supervisor."""

    def __init__(self, process: subprocess.Popen[bytes], address: str) -> None:
        self.pid, self.address = process.pid, address

    @property
    def cpu(self) -> float:
        """CPU seconds of all its processes until now."""
        return cpu_seconds(self.pid)

    @property
    def worker_bytes(self) -> int:
        """The memory of its largest process, which is a worker, without what others hold of it."""
        return max(map(shared_out_bytes, family(self.pid)))


def running_in(folder: Path, environment: Mapping[str, str]) -> dict[str, str]:
    """The variables of a process that runs the modules of a checkout."""
    return {**os.environ, "PYTHONPATH": str(folder), **environment}


@contextlib.contextmanager
def running(
    command: Sequence[str],
    *,
    environment: Mapping[str, str],
    cores: Cores = SERVERS,
    folder: Path = ROOT,
) -> Iterator[Server]:
    """A server until the end of the block; `{port}` in its command becomes a free one.

    folder: the checkout whose modules it runs.
    """
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    with tempfile.TemporaryFile() as said:  # nobody reads it meanwhile, so a pipe would fill up
        process = subprocess.Popen(
            [word.format(port=port) for word in command],
            cwd=folder,
            env=running_in(folder, environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=said,
            start_new_session=True,
            preexec_fn=pin(cores),
        )
        try:
            _wait(process, address, said)
            yield Server(process, address)
        finally:
            with contextlib.suppress(ProcessLookupError):
                process.send_signal(signal.SIGTERM)
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


def _wait(process: subprocess.Popen[bytes], address: str, said: IO[bytes]) -> None:
    """Wait until the server responds. said: its standard error."""
    began, where = time.monotonic(), urlsplit(address)
    while time.monotonic() - began < PATIENCE:
        if process.poll() is not None:
            said.seek(0)
            raise RuntimeError(f"the server has ended: {said.read().decode()}")
        with (
            contextlib.suppress(OSError),
            socket.create_connection((where.hostname or "", where.port or 0), timeout=5) as client,
        ):
            client.sendall(b"GET /health HTTP/1.1\r\nHost: bench\r\nConnection: close\r\n\r\n")
            if client.recv(12).startswith(b"HTTP/1.1"):
                return
        time.sleep(0.05)
    raise RuntimeError(f"nothing is answered at {address}")


def masthead(
    database_url: str, *, workers: int = 1, cores: Cores = SERVERS, folder: Path = ROOT
) -> contextlib.AbstractContextManager[Server]:
    """Run `masthead serve` on a database."""
    words = [sys.executable, "-m", "masthead", "serve", "--port", "{port}"]
    return running(
        [*words, "--workers", str(workers)],
        environment={"MASTHEAD_DATABASE_URL": database_url, "MASTHEAD_LOG_LEVEL": "error"},
        cores=cores,
        folder=folder,
    )


def beside(
    application: str,
    database_url: str,
    *,
    workers: int = 1,
    cores: Cores = SERVERS,
    interface: str = "asgi",
    environment: Mapping[str, str] | None = None,
) -> contextlib.AbstractContextManager[Server]:
    """Run another application, `module:factory`, in the same server as masthead."""
    words = [sys.executable, "-m", "bench.servers", application, "{port}", str(workers), interface]
    own = {"MASTHEAD_DATABASE_URL": database_url, "MASTHEAD_LOG_LEVEL": "error"}
    return running(words, environment={**own, **(environment or {})}, cores=cores)
