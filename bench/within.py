"""Run masthead in this process: requests without a network, commands without a shell."""

import asyncio
import contextlib
import io
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import httpx

from bench.options import ROOT
from masthead import cli
from masthead.app import create_app
from masthead.settings import Settings

Ask = tuple[str, str, Any]  # method, path, body
Run = Callable[[str], float]  # seconds, by the address of the database


def ask(url: str, key: str, requests: Iterable[Ask]) -> list[float]:
    """The seconds of each request, one after the other. Raises: RuntimeError if one fails."""

    async def run() -> list[float]:
        app = create_app(Settings(database_url=url), background=False)
        transport = httpx.ASGITransport(app)
        headers = {"Authorization": f"Bearer {key}"}
        taken = []
        async with (
            app.router.lifespan_context(app),
            httpx.AsyncClient(
                transport=transport, base_url="http://bench", headers=headers
            ) as http,
        ):
            await http.get("/v1/me/")
            for method, path, body in requests:
                began = time.perf_counter()
                answer = await http.request(method, path, json=body)
                taken.append(time.perf_counter() - began)
                if not answer.is_success:
                    raise RuntimeError(f"{method} {path}: {answer.status_code} {answer.text[:500]}")
        return taken

    return asyncio.run(run())


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


def environment_of(url: str) -> dict[str, str]:
    """The environment of commands that work on a database."""
    own = {"PYTHONPATH": str(ROOT), "MASTHEAD_DATABASE_URL": url, "MASTHEAD_LOG_LEVEL": "error"}
    return {**os.environ, **own}


if __name__ == "__main__":
    print("ready", flush=True)
    sys.stdin.readline()
    sys.exit(cli.run(sys.argv[1:]))
