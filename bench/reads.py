"""Requests a second of the common reads, beside the same server sending the same bytes from memory.

    make bench

The demo publication, in SQLite or in the database of MASTHEAD_DATABASE_URL; one worker; wrk with
16 connections, both servers in turn. Prints a row for each read: medians and their ratio.
"""

import contextlib
import json
import os
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from base64 import b64encode
from collections.abc import Iterator, Mapping
from pathlib import Path

import httpx

from bench.memory import ANSWERS

ROUNDS = int(os.environ.get("MASTHEAD_BENCH_ROUNDS", "5"))
SECONDS = int(os.environ.get("MASTHEAD_BENCH_SECONDS", "4"))
CONNECTIONS = 16


def free_port() -> int:
    """A port of the loopback address that nobody listens at."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextlib.contextmanager
def running(command: list[str], port: int, environment: Mapping[str, str]) -> Iterator[str]:
    """A server until the end of the block; the address that it answers at."""
    address = f"http://127.0.0.1:{port}"
    process = subprocess.Popen(command, env={**os.environ, **environment}, stdout=subprocess.PIPE)
    try:
        for _ in range(600):
            assert process.poll() is None, "the server has ended"
            with contextlib.suppress(httpx.TransportError):
                httpx.get(address + "/health", trust_env=False)
                break
            time.sleep(0.1)
        yield address
    finally:
        process.terminate()
        process.wait(15)


def rate(address: str, path: str, key: str) -> float:
    """Requests a second, all of them answered with 200."""
    command = [
        "wrk",
        "-t1",
        f"-c{CONNECTIONS}",
        f"-d{SECONDS}s",
        "-H",
        f"Authorization: Bearer {key}",
    ]
    output = subprocess.run(
        [*command, address + path], check=True, capture_output=True, text=True
    ).stdout
    assert "Non-2xx" not in output, output
    match = re.search(r"Requests/sec:\s+([\d.]+)", output)
    assert match, output
    return float(match[1])


def main() -> None:
    """Measure and print."""
    if shutil.which("wrk") is None:
        sys.exit("wrk is missing; it comes with the system's packages (apt-get install wrk).")
    with tempfile.TemporaryDirectory() as folder:
        url = os.environ.get("MASTHEAD_DATABASE_URL", f"sqlite:///{folder}/bench.db")
        demo, memory = free_port(), free_port()
        serve = [sys.executable, "-m", "masthead", "demo", "--port", str(demo)]
        log = Path(folder) / "demo.txt"
        shell = ["sh", "-c", 'exec "$@" > ' + str(log), "sh", *serve]
        with running(shell, demo, {"MASTHEAD_DATABASE_URL": url}) as masthead:
            key = re.search(r"mh_\w+", log.read_text())
            assert key
            client = httpx.Client(
                base_url=masthead, headers={"Authorization": f"Bearer {key[0]}"}, trust_env=False
            )
            one = client.get("/v1/subscriptions/?limit=1").json()["items"][0]["id"]
            reads = {
                "me": "/v1/me/",
                "get": f"/v1/subscriptions/{one}/",
                "status": f"/v1/subscriptions/{one}/status/",
                "list 50": "/v1/subscriptions/?limit=50",
                "list 200": "/v1/subscriptions/?limit=200",
            }
            bodies = {path: client.get(path).content for path in reads.values()}
            answers = Path(folder) / "answers.json"
            answers.write_text(
                json.dumps({path: b64encode(body).decode() for path, body in bodies.items()})
            )
            granian = ["granian", "--interface", "asgi", "--factory", "bench.memory:create_app"]
            limit = [sys.executable, "-m", *granian, "--port", str(memory), "--log-level", "error"]
            with running(limit, memory, {ANSWERS: str(answers)}) as from_memory:
                print(f"{'read':<10}{'bytes':>9}{'requests/s':>12}{'from memory':>13}{'ratio':>7}")
                for name, path in reads.items():
                    pairs = [
                        (rate(masthead, path, key[0]), rate(from_memory, path, key[0]))
                        for _ in range(ROUNDS)
                    ]
                    own = statistics.median(pair[0] for pair in pairs)
                    most = statistics.median(pair[1] for pair in pairs)
                    ratio = statistics.median(pair[0] / pair[1] for pair in pairs)
                    size = len(bodies[path])
                    print(f"{name:<10}{size:>9}{own:>12.0f}{most:>13.0f}{ratio:>7.2f}", flush=True)


if __name__ == "__main__":
    main()
