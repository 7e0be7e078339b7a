"""Run masthead in this process: requests without a network, commands without a shell."""

import asyncio
import contextlib
import io
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx
import time_machine

from bench.options import ROOT
from bench.stopwatch import Stopwatch
from masthead import cli
from masthead.app import create_app
from masthead.settings import Settings

Ask = tuple[str, str, Any]  # method, path, body
MOMENT = "MASTHEAD_BENCH_MOMENT"  # the variable with the simulated time of a command


def ask(url: str, key: str, requests: Iterable[Ask], watch: Stopwatch | None = None) -> None:
    """Send requests one after the other. Raises: RuntimeError if one fails.

    watch: measures each of them.
    """

    async def run() -> None:
        app = create_app(Settings(database_url=url), background=False)
        transport = httpx.ASGITransport(app)
        # Not compressed, like the answers that wrk gets
        headers = {"Authorization": f"Bearer {key}", "Accept-Encoding": "identity"}
        async with (
            app.router.lifespan_context(app),
            httpx.AsyncClient(
                transport=transport, base_url="http://bench", headers=headers
            ) as http,
        ):
            await http.get("/v1/me/")
            for method, path, body in requests:
                request = http.build_request(method, path, json=body)
                # Complete, but as a stream: the work of a client is not measured
                with watch or contextlib.nullcontext():
                    answer = await http.send(request, stream=True)
                if not answer.is_success:
                    said = (await answer.aread()).decode()[:500]
                    raise RuntimeError(f"{method} {path}: {answer.status_code} {said}")
                await answer.aclose()

    asyncio.run(run())


def command(url: str, *words: str) -> float:
    """The seconds of a command. Raises: RuntimeError if it fails."""
    with _environment(url), contextlib.redirect_stdout(io.StringIO()) as said:
        began = time.perf_counter()
        code = cli.run(words)
        taken = time.perf_counter() - began
    if code:
        raise RuntimeError(f"masthead {' '.join(words)} failed: {said.getvalue()}")
    return taken


@contextlib.contextmanager
def _environment(url: str) -> Iterator[None]:
    before = dict(os.environ)
    os.environ.update(environment_of(url))
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def prepared(url: str, words: list[str]) -> Callable[[], None]:
    """A command in a separate process that has started and waits for the signal to begin."""
    process = subprocess.Popen(
        [sys.executable, "-m", "bench.within", *words],
        cwd=ROOT,
        env=environment_of(url),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    process.stdout.readline()

    def begin() -> None:
        process.communicate(b"go\n")
        if process.returncode:
            raise RuntimeError(f"masthead {' '.join(words)} failed")

    return begin


def measured(url: str, *words: str, moment: datetime | None = None) -> tuple[Any, int]:
    """What a command prints as JSON, if anything, and the peak memory of its processes in bytes.

    moment: the time by its clock, if not now. Raises: RuntimeError if it fails.
    """
    environment = environment_of(url)
    if moment is not None:
        environment[MOMENT] = moment.isoformat()
    done = subprocess.run(
        [sys.executable, "-m", "bench.within", *words],
        cwd=ROOT,
        env=environment,
        input=b"go\n",
        stdout=subprocess.PIPE,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"masthead {' '.join(words)} failed")
    told, _, peak = done.stdout.removeprefix(b"ready\n").rstrip().rpartition(b"\n")
    return json.loads(told or b"null"), int(peak)


def _peak() -> int:
    """The peak memory of this process, or of the largest one that it started, in bytes."""
    status = Path("/proc/self/status").read_text()
    own = int(status.partition("VmHWM:")[2].split()[0])
    return max(own, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss) * 1024


def environment_of(url: str) -> dict[str, str]:
    """The environment of commands that work on a database."""
    own = {"PYTHONPATH": str(ROOT), "MASTHEAD_DATABASE_URL": url, "MASTHEAD_LOG_LEVEL": "error"}
    return {**os.environ, **own}


if __name__ == "__main__":
    print("ready", flush=True)
    sys.stdin.readline()
    if moment := os.environ.get(MOMENT):
        time_machine.travel(datetime.fromisoformat(moment), tick=True).start()
    code = cli.run(sys.argv[1:])
    print(_peak(), flush=True)
    sys.exit(code)
