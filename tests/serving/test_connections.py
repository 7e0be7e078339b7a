"""The connections that the connection limit counts, for IPv4 and IPv6."""

import os
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from structlog.testing import capture_logs

from masthead.serving import connections
from masthead.serving.connections import ConnectionLimiter, list_connections
from masthead.settings import Settings
from tests.conftest import serving
from tests.support.waiting import PATIENCE

MANY = 1_000_000  # connections, which are never reached
STEP = 0.02  # seconds; the kernel's clock counts in steps of up to 10 ms


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    """A server that listens at all addresses of both versions, as with `--host ::`."""
    if not socket.has_dualstack_ipv6():
        pytest.skip("this system has no IPv6")
    with socket.create_server(("::", 0), family=socket.AF_INET6, dualstack_ipv6=True) as listener:
        yield listener


def peer_of(client: socket.socket) -> connections.Peer:
    """What the server knows of a client."""
    host, port, *_ = client.getsockname()
    return host, str(port)


@pytest.mark.parametrize("address", ["::1", "127.0.0.1"])
def test_a_client_above_the_limit_is_identified_by_its_address(
    listener: socket.socket, address: str
) -> None:
    port = listener.getsockname()[1]
    with socket.create_connection((address, port), timeout=PATIENCE) as client:
        connection, (host, number, *_) = listener.accept()
        with connection:
            peer = host, str(number)
            assert peer in [each.peer for each in list_connections(map(int, os.listdir("/dev/fd")))]
            ConnectionLimiter(MANY, set(), lambda: [peer]).check()
            assert client.recv(1) == b"", "the connection was shut down"


def test_the_longest_idle_connection_is_found_although_reading_takes_longer_than_opening(
    listener: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    port, find_peer = listener.getsockname()[1], connections._peer

    def find_peer_slowly(connection: socket.socket) -> connections.Peer:
        time.sleep(5 * STEP)  # other threads have the interpreter
        return find_peer(connection)

    monkeypatch.setattr(connections, "_peer", find_peer_slowly)
    with ExitStack() as opened:
        peers = []
        for _ in range(3):
            client = opened.enter_context(socket.create_connection(("::1", port), timeout=PATIENCE))
            opened.enter_context(listener.accept()[0])
            peers.append(peer_of(client))
            time.sleep(STEP)
        found = list_connections(map(int, os.listdir("/dev/fd")))
    found.sort(key=lambda each: each.written)
    assert [each.peer for each in found] == peers


def test_a_connection_that_takes_over_a_descriptor_is_not_shut_down(
    listener: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    port = listener.getsockname()[1]
    with (
        socket.create_connection(("::1", port), timeout=PATIENCE) as old_client,
        socket.create_connection(("::1", port), timeout=PATIENCE) as new_client,
        listener.accept()[0] as old,
        listener.accept()[0] as new,
    ):
        peer = peer_of(old_client)
        find_peer = connections._peer
        reads = 0

        def find_peer_and_replace(connection: socket.socket) -> connections.Peer:
            nonlocal reads
            found = find_peer(connection)
            if found == peer:
                reads += 1
                if reads == 2:  # the first is that of the list
                    os.dup2(new.fileno(), old.fileno())
            return found

        monkeypatch.setattr(connections, "_peer", find_peer_and_replace)
        ConnectionLimiter(MANY, set(), lambda: [peer]).check()
        assert reads == 2
        assert old_client.recv(1) == b"", "the old connection was shut down"
        new.sendall(b"x")
        assert new_client.recv(1) == b"x", "the new one was not"


def test_the_connection_limiter_continues_after_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = 0

    def fail(_self: ConnectionLimiter) -> None:
        nonlocal looks
        looks += 1
        if looks == 3:
            raise SystemExit  # which stops the thread of this test
        raise RuntimeError

    monkeypatch.setattr(ConnectionLimiter, "check", fail)
    monkeypatch.setattr(connections, "CHECK_SECONDS", 0)
    monkeypatch.setattr(connections, "LOG_SECONDS", 0)
    with capture_logs() as logs, pytest.raises(SystemExit):
        ConnectionLimiter(MANY, set(), set).run()
    assert [entry["event"] for entry in logs] == ["connections cannot be counted"] * 2


async def test_a_draining_worker_asks_clients_to_close_their_connections(database_url: str) -> None:
    async with serving(Settings(database_url=database_url)) as (app, client):
        assert "connection" not in (await client.get("/health")).headers
        app.state.active_requests.drain()
        for path in ("/health", "/v1/issues/"):
            assert (await client.get(path)).headers["connection"] == "close"
