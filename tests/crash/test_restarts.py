"""A restart behind the socket of systemd: clients wait, and none is refused."""

import contextlib
import signal
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from masthead.store.engine.migrate import migrate
from tests.support.serving import launch
from tests.support.waiting import PATIENCE

pytestmark = pytest.mark.crash

PAUSE_SECONDS = 0.02  # between two requests of a client


class Clients:
    """What the requests of two clients got, each on a new connection."""

    def __init__(self) -> None:
        self.answered, self.failed, self.ended = 0, list[str](), threading.Event()
        self.seen, self.threads = threading.Condition(), list[threading.Thread]()

    def send(self, url: str) -> None:
        """Send requests until the end."""
        while not self.ended.wait(PAUSE_SECONDS):
            try:
                httpx.get(url, timeout=PATIENCE, trust_env=False).raise_for_status()
                self.answered += 1
            except httpx.HTTPError as reason:
                self.failed.append(repr(reason))
            with self.seen:
                self.seen.notify_all()

    def end(self) -> None:
        """Send no more requests; returns when all were answered or failed."""
        self.ended.set()
        for thread in self.threads:
            thread.join(PATIENCE)

    def wait(self, number: int = 20) -> None:
        """Wait until some more requests were answered, or one failed."""
        enough = self.answered + number
        with self.seen:
            assert self.seen.wait_for(lambda: self.answered >= enough or self.failed, PATIENCE)


@contextlib.contextmanager
def asking(url: str) -> Iterator[Clients]:
    """Clients that ask during the block."""
    clients = Clients()
    clients.threads = [threading.Thread(target=clients.send, args=[url]) for _ in range(2)]
    for thread in clients.threads:
        thread.start()
    try:
        yield clients
    finally:
        clients.end()


def restart(tmp_path: Path, *, keeps_socket: bool) -> Clients:
    """Stop a server while clients ask, and start another one."""
    database_url, log = f"sqlite:///{tmp_path / 'masthead.db'}", tmp_path / "log"
    migrate(database_url)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        passed = listener if keeps_socket else None
        if not keeps_socket:
            listener.close()
        with launch(database_url, log, port=port, listener=passed) as first:
            first.wait("/ready")
            with asking(f"{first.url}/ready") as clients:
                clients.wait()
                first.signal(signal.SIGTERM)
                assert first.process.wait(PATIENCE) == 0
                if not keeps_socket:
                    clients.wait()
                    return clients
                with launch(database_url, log, listener=passed) as second:
                    clients.wait()
                    clients.end()  # before the second server ends
                    assert second.process.poll() is None
    return clients


@pytest.mark.slow
def test_no_request_fails_while_masthead_restarts_behind_a_socket(tmp_path: Path) -> None:
    clients = restart(tmp_path, keeps_socket=True)
    assert clients.failed == []
    assert clients.answered >= 40


@pytest.mark.slow
def test_without_the_socket_requests_fail_during_a_restart(tmp_path: Path) -> None:
    assert restart(tmp_path, keeps_socket=False).failed
