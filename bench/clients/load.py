"""Load generation by wrk, on the cores that the servers do not use."""

import itertools
import json
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from bench.servers.processes import LOAD, Cores, Server, pin

SCRIPT = Path(__file__).with_name("load.lua")
MISSING = (
    "wrk is missing. It comes with the system's packages: apt-get install wrk, dnf install wrk, "
    "brew install wrk."
)
_numbers = itertools.count(1_000_000, 1_000_000)  # each run of wrk uses a separate million of them


class WrkMissing(Exception):
    """The load generator is missing; the message says how to install it."""

    def __init__(self) -> None:
        super().__init__(MISSING)


def require_wrk() -> None:
    """Raises: WrkMissing."""
    if shutil.which("wrk") is None:
        raise WrkMissing


class Load(Struct, frozen=True):
    """The results of some seconds of load. p50, p99: seconds; cpu: seconds per request."""

    requests: float
    seconds: float
    p50: float
    p99: float
    cpu: float

    @property
    def figures(self) -> dict[str, float]:
        """In the units of the results: requests/s, latencies in ms, CPU in µs."""
        return {
            "rate": self.requests / self.seconds,
            "p50": self.p50 * 1e3,
            "p99": self.p99 * 1e3,
            "cpu": self.cpu * 1e6,
        }


def put_load(
    server: Server,
    key: str,
    lines: Sequence[str],
    *,
    seconds: float,
    connections: int,
    cores: Cores = LOAD,
    is_keyed: bool = False,
    headers: Sequence[str] = (),
) -> Load:
    """Send as many requests as possible, for some seconds, over a number of connections.

    lines: see load.lua. is_keyed: whether each request has an `Idempotency-Key` of its own.
    headers: of all requests, such as `Accept-Encoding: gzip`. If there are no responses by then, it
    runs again for twice as long.
    Raises: RuntimeError if any request fails.
    """
    while True:
        before = server.cpu
        words = ("keyed",) if is_keyed else ()
        told = _run_wrk(server, key, lines, seconds, connections, cores, words, headers)
        if told["failed"] or told["refused"]:
            raise RuntimeError(f"not all of {lines[0][:200]} was answered with success: {told}")
        if told["requests"]:
            return Load(
                requests=told["requests"],
                seconds=told["seconds"],
                p50=told["p50"],
                p99=told["p99"],
                cpu=(server.cpu - before) / told["requests"],
            )
        seconds *= 2


def _run_wrk(
    server: Server,
    key: str,
    lines: Sequence[str],
    seconds: float,
    connections: int,
    cores: Cores,
    words: Sequence[str],
    headers: Sequence[str],
) -> dict[str, float]:
    """The results that load.lua prints at the end."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write("\n".join(lines))
        file.flush()
        process = subprocess.Popen(
            [
                *(
                    "stdbuf",
                    "-oL",
                    "wrk",
                    "-t1",
                    f"-c{connections}",
                    f"-d{int(seconds) + 60}s",
                    "--timeout",
                    "30s",
                ),
                *("-H", f"Authorization: Bearer {key}", "-H", "Content-Type: application/json"),
                *(word for header in headers for word in ("-H", header)),
                *("-s", str(SCRIPT), server.address, "--", file.name, str(next(_numbers))),
                *words,
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            preexec_fn=pin(cores),
        )
        assert process.stdout is not None
        process.stdout.readline()  # it begins
        time.sleep(seconds)
        process.send_signal(signal.SIGINT)  # wrk itself counts whole seconds only
        output = process.communicate(timeout=60)[0]
    try:
        told: dict[str, float] = json.loads(output.strip().rpartition("\n")[2])
    except ValueError:
        raise RuntimeError(f"wrk said: {output}") from None
    return told
