"""Compare HTTP servers: granian and uvicorn with the same application, in turn.

    python -m bench.servers.http_servers

Prints what docs/decisions/0010 quotes: CPU of a request, the spread of keep-alive connections over
two workers, the effect of slow clients on others, a killed worker, and SIGTERM under load.
"""

import asyncio
import contextlib
import os
import signal
import socket
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from urllib.parse import urlsplit

from bench import data
from bench.clients.load import put_load, require_wrk
from bench.databases import Databases
from bench.options import SMOKE
from bench.rounds import spread
from bench.servers.processes import ALL, SERVERS, Cores, Server, family, masthead, running

ROUNDS = 5
SECONDS = 2.0
CONNECTIONS = 32
DAWDLERS = 200
PATIENCE = 40.0
REQUEST = b"GET /v1/me/ HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer %s\r\n\r\n"

Start = Callable[..., contextlib.AbstractContextManager[Server]]


def uvicorn(
    url: str, *, workers: int = 1, cores: Cores = SERVERS
) -> contextlib.AbstractContextManager[Server]:
    """The same application on uvicorn, as its documents advise."""
    words = [sys.executable, "-m", "uvicorn", "--factory", "masthead.app:create_worker"]
    words += ["--port", "{port}", "--workers", str(workers), "--no-access-log", "--loop", "uvloop"]
    words += ["--http", "httptools", "--log-level", "error"]
    environment = {"MASTHEAD_DATABASE_URL": url, "MASTHEAD_LOG_LEVEL": "error"}
    return running(words, environment=environment, cores=cores)


CONTENDERS: dict[str, Start] = {"granian": masthead, "uvicorn": uvicorn}


def owners(address: str) -> list[int]:
    """The process of each connection to a server."""
    port = f":{urlsplit(address).port:04X}"
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    ours = {row[9] for row in rows if row[1].endswith(port) and row[3] == "01"}
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            for link in (process / "fd").iterdir():
                with contextlib.suppress(OSError):
                    target = os.readlink(link)
                    if target.startswith("socket:[") and target[8:-1] in ours:
                        found.append(int(process.name))
    return found


def connected(address: str) -> socket.socket:
    """A connection to a server."""
    where = urlsplit(address)
    return socket.create_connection((where.hostname or "", where.port or 0), timeout=PATIENCE)


def cost(start: Start, url: str, key: str) -> list[float]:
    """The CPU time of a small request in microseconds, with one worker."""
    with start(url) as server:
        return [
            put_load(server, key, ["GET /v1/me/"], seconds=SECONDS, connections=16).cpu * 1e6
            for _ in range(ROUNDS)
        ]


def share(start: Start, url: str) -> list[float]:
    """The share of 32 connections that the busier of two workers has, for each round."""
    shares = []
    with start(url, workers=2, cores=ALL) as server:
        time.sleep(2)  # for both workers to listen
        for _ in range(ROUNDS):
            with contextlib.ExitStack() as stack:
                for _ in range(CONNECTIONS):
                    stack.enter_context(connected(server.address))
                time.sleep(0.5)
                counted = Counter(pid for pid in owners(server.address) if pid != os.getpid())
            shares.append(max(counted.values()) / CONNECTIONS)
            time.sleep(0.5)
    return shares


def dawdle(start: Start, url: str, key: str) -> tuple[float, float]:
    """The p99 in milliseconds during 200 unfinished requests, and when those are cut off."""
    with start(url) as server, contextlib.ExitStack() as stack:
        began = time.monotonic()
        dawdlers = [stack.enter_context(connected(server.address)) for _ in range(DAWDLERS)]
        for each in dawdlers:
            each.sendall(b"GET /v1/me/ HTTP/1.1\r\nHost: ")
        beside = put_load(server, key, ["GET /v1/me/"], seconds=SECONDS, connections=16).p99 * 1e3
        dawdlers[0].settimeout(PATIENCE)
        with contextlib.suppress(TimeoutError):
            while dawdlers[0].recv(1024):
                pass
            return beside, time.monotonic() - began
        return beside, float("inf")


async def ask_on(address: str, key: str, outcomes: Counter[str], until: asyncio.Event) -> None:
    """Send requests over one connection; return the outcome of each."""
    where = urlsplit(address)
    while not until.is_set():
        try:
            reader, writer = await asyncio.open_connection(where.hostname, where.port)
        except OSError:
            outcomes["refused"] += 1
            await asyncio.sleep(0.02)
            continue
        try:
            while not until.is_set():
                writer.write(REQUEST % key.encode())
                head = await reader.readuntil(b"\r\n\r\n")
                length = int(head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0])
                await reader.readexactly(length)
                outcomes["answered"] += 1
                if b"connection: close" in head.lower():
                    break
        except (OSError, asyncio.IncompleteReadError):
            outcomes["cut off"] += 1
        finally:
            writer.close()


async def under_load(server: Server, key: str, work: Callable[[], object]) -> Counter[str]:
    """The outcomes of requests while something else happens in a thread."""
    outcomes: Counter[str] = Counter()
    until = asyncio.Event()
    clients = [asyncio.create_task(ask_on(server.address, key, outcomes, until)) for _ in range(16)]
    await asyncio.sleep(0.5)
    await asyncio.to_thread(work)
    until.set()
    await asyncio.wait(clients, timeout=5)
    return outcomes


def workers_of(server: Server) -> list[int]:
    """The worker processes, which have the listening socket, without their supervisor."""
    children = Path(f"/proc/{server.pid}/task/{server.pid}/children").read_text().split()
    return [pid for pid in map(int, children) if len(list(Path(f"/proc/{pid}/task").iterdir())) > 1]


def kill_worker(start: Start, url: str, key: str) -> tuple[float, int]:
    """The seconds until two workers respond again, and the requests cut off or refused by then."""
    with start(url, workers=2, cores=ALL) as server:
        time.sleep(2)
        took = 0.0

        def kill() -> None:
            nonlocal took
            victim = workers_of(server)[0]
            os.kill(victim, signal.SIGKILL)
            began = time.monotonic()
            while len({*workers_of(server)} - {victim}) < 2:
                if time.monotonic() - began > PATIENCE:
                    took = float("inf")
                    return
                time.sleep(0.02)
            took = time.monotonic() - began

        outcomes = asyncio.run(under_load(server, key, kill))
        return took, outcomes["cut off"] + outcomes["refused"]


def stop(start: Start, url: str, key: str) -> tuple[float, int]:
    """The seconds from SIGTERM under load to the end, and the requests that were cut off."""
    with start(url, workers=2, cores=ALL) as server:
        time.sleep(2)
        took = 0.0

        def end() -> None:
            nonlocal took
            everyone = family(server.pid)
            os.kill(server.pid, signal.SIGTERM)
            began = time.monotonic()
            while any(_runs(pid) for pid in everyone):
                if time.monotonic() - began > PATIENCE:
                    took = float("inf")
                    return
                time.sleep(0.02)
            took = time.monotonic() - began

        outcomes = asyncio.run(under_load(server, key, end))
        return took, outcomes["cut off"]


def _runs(pid: int) -> bool:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def shown(values: Sequence[float], unit: str = "") -> str:
    """The median with its spread."""
    told = spread(values)
    return f"{told.median:.2f}{unit} ({told.least:.2f}-{told.most:.2f})"


def main() -> None:
    """Measure both in turn and print a table."""
    require_wrk()
    with contextlib.ExitStack() as stack:
        databases = Databases(SMOKE, stack)
        built = databases.get("sqlite", data.COPIES, data.COPIES.rows_for(SMOKE.copies))
        url, key = built.url, built.key
        measures: dict[str, Callable[[Start], str]] = {
            "CPU of a request, us": lambda start: shown(cost(start, url, key)),
            "share of the busier of two workers": lambda start: shown(share(start, url)),
            "p99 in ms beside dawdlers; they are cut off after, s": lambda start: (
                "{:.1f}; {:.0f}".format(*dawdle(start, url, key))
            ),
            "killed worker: s to the next one, requests lost": lambda start: "{:.2f}; {}".format(
                *kill_worker(start, url, key)
            ),
            "SIGTERM under load: s to the end, requests cut off": lambda start: "{:.2f}; {}".format(
                *stop(start, url, key)
            ),
        }
        print("| | " + " | ".join(CONTENDERS) + " |\n|---|" + "---|" * len(CONTENDERS))
        for name, measure in measures.items():
            cells = [measure(start) for start in CONTENDERS.values()]
            print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
