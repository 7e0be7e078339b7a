"""`masthead serve` says what it uses, and that it listens as soon as it accepts connections."""

import os
import socket
import subprocess
import sys
from collections.abc import Callable

import apsw

from masthead import __version__
from tests.support.ports import reserved_port
from tests.support.serving import ROOT

ENGINES = {"sqlite": f"SQLite {apsw.sqlite_lib_version()}", "postgres": "PostgreSQL"}


def test_it_accepts_a_connection_when_it_says_that_it_listens(
    backend: str, migrated_database: Callable[[], str]
) -> None:
    url = migrated_database()
    with (
        reserved_port() as port,
        subprocess.Popen(
            [sys.executable, "-m", "masthead", "serve", "--port", str(port)],
            cwd=ROOT,
            env={**os.environ, "MASTHEAD_DATABASE_URL": url},
            stderr=subprocess.PIPE,
            text=True,
        ) as process,
    ):
        assert process.stderr is not None
        try:
            lines = iter(process.stderr)
            said = [next(lines), next(line for line in lines if "listens on" in line)]
            socket.create_connection(("127.0.0.1", port)).close()
        finally:
            process.terminate()
    address = f"http://127.0.0.1:{port}"
    assert said == [
        f"masthead {__version__} ({ENGINES[backend]})\n",
        f"masthead listens on {address} with 1 worker(s); Ctrl-C stops it.\n",
    ]
