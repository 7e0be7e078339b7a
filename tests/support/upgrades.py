"""Servers that take over from each other while clients send requests all the time.

As a program, it does this in a network of its own, where the kernel hands over the connections of
a closed socket: python -m tests.support.upgrades DATABASE-URL FOLDER KEY
"""

import contextlib
import fcntl
import json
import signal
import socket
import struct
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx

from tests.support.ports import reserved_port
from tests.support.serving import Server, launch
from tests.support.waiting import PATIENCE

PAUSE_SECONDS = 0.005  # between two requests of a client
SHOW_UP = struct.pack("16sh", b"lo", 0x41)  # the interface, and its flags: up and running
MIGRATE = Path("/proc/sys/net/ipv4/tcp_migrate_req")


class Load:
    """What two clients got: one keeps its connection and writes, one opens a new one each time."""

    def __init__(self, url: str, key: str) -> None:
        self._url, self._headers = url, {"Authorization": f"Bearer {key}"}
        self.created, self.answered, self.failed = 0, 0, list[str]()
        self._ended, self._seen = threading.Event(), threading.Condition()

    def _repeat(self, send: Callable[[], httpx.Response]) -> None:
        while not self._ended.wait(PAUSE_SECONDS):
            try:
                send().raise_for_status()
            except httpx.HTTPError as reason:
                self.failed.append(repr(reason))
            else:
                self.answered += 1
            with self._seen:
                self._seen.notify_all()

    def _write(self) -> None:
        with httpx.Client(headers=self._headers, timeout=PATIENCE, trust_env=False) as client:

            def create() -> httpx.Response:
                body = {"number": self.created + 1, "name": "Spring"}
                answer = client.post(f"{self._url}/v1/issues/", json=body)
                self.created += answer.is_success
                return answer

            self._repeat(create)

    def _read(self) -> None:
        def ask() -> httpx.Response:
            url = f"{self._url}/v1/issues/?limit=1"
            return httpx.get(url, headers=self._headers, timeout=PATIENCE, trust_env=False)

        self._repeat(ask)

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        """Send requests during the block."""
        threads = [threading.Thread(target=work) for work in (self._write, self._read)]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            self._ended.set()
            for thread in threads:
                thread.join(PATIENCE)

    def wait(self, number: int = 20) -> None:
        """Wait until some more requests were answered, or one failed."""
        enough = self.answered + number
        with self._seen:
            assert self._seen.wait_for(lambda: self.answered >= enough or self.failed, PATIENCE)


def take_over(
    url: str, folder: Path, key: str, *, listener: socket.socket | None = None, servers: int = 3
) -> Load:
    """Start servers one after the other, each beside the one before, which then stops.

    listener: a socket that they share, as with systemd; without one they share the port.
    """
    with contextlib.ExitStack() as stack:
        port = listener.getsockname()[1] if listener else stack.enter_context(reserved_port())
        load = Load(f"http://127.0.0.1:{port}", key)

        def start(number: int) -> Server:
            log = folder / f"server-{number}.log"
            server = stack.enter_context(
                launch(url, log, port=port, listener=listener, reuse_port=listener is None)
            )
            server.wait_until_it_accepts()
            return server

        current = start(0)
        with load.running():
            load.wait()
            for number in range(1, servers):
                following = start(number)
                current.signal(signal.SIGTERM)
                assert current.process.wait(PATIENCE) == 0
                current = following
                load.wait()
    return load


def main() -> None:
    """Print how many issues were created, and which requests failed."""
    url, folder, key = sys.argv[1:]
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        fcntl.ioctl(control, 0x8914, SHOW_UP)  # SIOCSIFFLAGS
    MIGRATE.write_text("1")
    load = take_over(url, Path(folder), key, servers=2)
    sys.stdout.write(json.dumps({"created": load.created, "failed": load.failed}))


if __name__ == "__main__":
    main()
