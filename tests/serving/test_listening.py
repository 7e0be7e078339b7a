"""`masthead serve` says that it listens as soon as it accepts connections, and not before."""

import os
import socket
import subprocess
import sys
from pathlib import Path

from masthead.store.engine.migrate import migrate
from tests.support.ports import reserved_port
from tests.support.serving import ROOT


def test_it_accepts_a_connection_when_it_says_that_it_listens(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'masthead.db'}"
    migrate(url)
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
            said = next(line for line in process.stderr if "listens on" in line)
            socket.create_connection(("127.0.0.1", port)).close()
        finally:
            process.terminate()
    address = f"http://127.0.0.1:{port}"
    assert said == f"masthead listens on {address} with 1 worker(s); Ctrl-C stops it.\n"
