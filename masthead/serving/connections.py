"""The limit on client connections of a worker: the longest idle ones are closed first.

The server accepts connections up to its own limit, and then none until one is closed: clients that
send nothing could occupy all of them. So a thread checks the sockets of this process and closes
connections above the limit, but never one whose request is being answered. It also closes
connections of clients that use too much memory. See decision 0029.
"""

import errno
import os
import resource
import socket
import stat
import struct
import threading
import time
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import structlog

log = structlog.get_logger()

Peer = tuple[str, str]  # address and port of a client

CHECK_SECONDS = 0.1
LOG_SECONDS = 10.0  # between two log lines about closed connections
FREE_SHARE = 0.1  # of the limit is free after connections were closed
HEADROOM = 1.5  # the server may accept this many times the limit between two checks
OTHER_FILES = 256  # descriptors for everything but connections: database, logs, libraries
MIN_LIMIT = 16
DESCRIPTORS = "/proc/self/fd"
LAST_DATA_SENT = 44  # offset of `tcpi_last_data_sent` in `struct tcp_info` of Linux
NO_DESCRIPTORS = (errno.EMFILE, errno.ENFILE)


def accept_limit(limit: int) -> int:
    """The number of connections that the server may accept between two checks."""
    return int(limit * HEADROOM)


def allowed_limit(limit: int) -> int:
    """The connection limit, lowered if the system allows too few open files.

    Also raises the open file limit of this process, which its workers inherit.
    """
    wanted = accept_limit(limit) + OTHER_FILES
    allowed = _raise_file_limit(wanted)
    if allowed >= wanted:
        return limit
    lowered = max(int((allowed - OTHER_FILES) / HEADROOM), MIN_LIMIT)
    log.warning(
        "connection limit lowered",
        limit=lowered,
        wanted=limit,
        reason=f"{allowed} open files are allowed (`ulimit -Hn`); {wanted} are needed",
    )
    return lowered


def _raise_file_limit(wanted: int) -> int:
    """Raise the open file limit of this process to `wanted` if possible; returns the limit."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    unlimited = resource.RLIM_INFINITY
    if soft == unlimited or soft >= wanted:
        return wanted
    raised = wanted if hard == unlimited else min(wanted, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (raised, hard))
    return raised


def enforce_limit(
    limit: int, answering: Collection[Peer], excess: Callable[[], Collection[Peer]]
) -> None:
    """Start a thread that enforces the connection limit of this process.

    answering: clients whose request is being answered. excess: clients to disconnect at once.
    It works only on Linux: other systems do not report how long a connection was idle.
    """
    if Path(DESCRIPTORS).is_dir():
        limiter = ConnectionLimiter(limit, answering, excess)
        threading.Thread(target=limiter.run, name="connections", daemon=True).start()


class ClientConnection(NamedTuple):
    """A connection of a client.

    written: when it was accepted or last written to, by the clock `time.monotonic`.
    """

    descriptor: int
    peer: Peer
    written: float


class ConnectionLimiter:
    """Closes connections above a limit."""

    def __init__(
        self, limit: int, answering: Collection[Peer], excess: Callable[[], Collection[Peer]]
    ) -> None:
        self._limit, self._answering, self._excess = limit, answering, excess
        self._closed, self._is_full, self._logged_at = 0, False, -LOG_SECONDS
        self._nothing = os.open(os.devnull, os.O_RDONLY)
        self._spare = os.dup(self._nothing)

    def run(self) -> None:
        """Check until the process ends."""
        while True:
            time.sleep(CHECK_SECONDS)
            try:
                self.check()
            except Exception:  # without this thread there is no limit
                log.exception("connections cannot be counted")
                time.sleep(LOG_SECONDS)

    def check(self) -> None:
        """Close the connections above the limit."""
        try:
            names = os.listdir(DESCRIPTORS)
        except OSError as reason:
            if reason.errno not in NO_DESCRIPTORS:
                raise
            self._free_descriptors()
        else:
            excess = self._excess()
            if excess or len(names) > self._limit:
                connections = list_connections(map(int, names))
                self._close(each for each in connections if each.peer in excess)
                if len(connections) > self._limit:
                    self._close_idle(connections, int(self._limit * (1 - FREE_SHARE)))
        self._report()

    def _free_descriptors(self) -> None:
        """Close half of the connections. No descriptor is left, so they cannot be counted."""
        connections = list_connections(range(accept_limit(self._limit) + OTHER_FILES))
        self._close_idle(connections, len(connections) // 2)
        self._is_full = True

    def _close_idle(self, connections: list[ClientConnection], number: int) -> None:
        """Close the longest idle connections until only `number` are left."""
        waiting = [each for each in connections if each.peer not in self._answering]
        waiting.sort(key=lambda each: each.written)
        self._close(waiting[: len(connections) - number])

    def _close(self, connections: Iterable[ClientConnection]) -> None:
        """Shut down connections that are still open, so that the server closes them.

        Meanwhile the server may close a connection itself and give its descriptor to a new one. So
        each is checked and shut down by a spare descriptor of its own, which exists already because
        none may be left.
        """
        for each in connections:
            with suppress(OSError):  # it has been closed
                os.dup2(each.descriptor, self._spare, inheritable=False)
                self._closed += _shut_down(self._spare, each.peer)
        os.dup2(self._nothing, self._spare, inheritable=False)

    def _report(self) -> None:
        """Log how many connections were closed, at most once per LOG_SECONDS."""
        now = time.monotonic()
        if not (self._closed or self._is_full) or now - self._logged_at < LOG_SECONDS:
            return
        if self._is_full:
            log.error("no file descriptors left", closed=self._closed)
        else:
            log.warning("connections closed", closed=self._closed, limit=self._limit)
        self._closed, self._is_full, self._logged_at = 0, False, now


def stop_listening() -> set[int]:
    """Accept no more connections in this process; returns the ports that it listened on.

    Another socket takes the place of each listening one. It never has a connection, so the server
    waits. A socket that other processes have too stays open for them.
    """
    ports = set[int]()
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind("")  # Linux chooses a name that no file has
        silent.listen()
        silent.setblocking(False)
        for descriptor in map(int, os.listdir(DESCRIPTORS)):
            port = _listening_port(descriptor)
            if port is not None:
                os.dup2(silent.fileno(), descriptor, inheritable=False)
                ports.add(port)
    return ports


def _listening_port(descriptor: int) -> int | None:
    """The TCP port that a descriptor listens on."""
    with suppress(OSError):  # it has been closed
        if stat.S_ISSOCK(os.fstat(descriptor).st_mode):
            borrowed = _borrow(descriptor)
            try:
                own = borrowed.getsockname()
                if isinstance(own, tuple) and _is_listening(borrowed):
                    return int(own[1])
            finally:
                borrowed.detach()
    return None


def _is_listening(listener: socket.socket) -> bool:
    return bool(listener.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN))


def list_connections(
    descriptors: Iterable[int], former_ports: Iterable[int] = ()
) -> list[ClientConnection]:
    """The client connections to the ports that this process listens on.

    former_ports: those that it does not listen on any more.
    """
    ports, found = set(former_ports), []
    for descriptor in descriptors:
        try:
            if not stat.S_ISSOCK(os.fstat(descriptor).st_mode):
                continue
            borrowed = _borrow(descriptor)
        except OSError:  # it has been closed
            continue
        try:
            own = borrowed.getsockname()
            if isinstance(own, tuple):
                if _is_listening(borrowed):
                    ports.add(own[1])
                else:
                    found.append(
                        (own[1], ClientConnection(descriptor, _peer(borrowed), _written(borrowed)))
                    )
        except OSError:  # it has been closed, or the client has disconnected
            continue
        finally:
            borrowed.detach()
    return [connection for port, connection in found if port in ports]


def _borrow(descriptor: int) -> socket.socket:
    """A socket object for a descriptor of the server; detach it after use. Raises: OSError.

    The IPv6 family works for the addresses of both families; with the IPv4 family Python would
    truncate IPv6 addresses.
    """
    return socket.socket(socket.AF_INET6, socket.SOCK_STREAM, 0, fileno=descriptor)


def _peer(connection: socket.socket) -> Peer:
    host, port = connection.getpeername()[:2]
    return host, str(port)


def _written(connection: socket.socket) -> float:
    """When a connection was last written to.

    The kernel only tells how long ago. On a busy machine reading it from a thousand connections
    takes longer than opening them, so these durations cannot be compared.
    """
    info = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, LAST_DATA_SENT + 4)
    milliseconds = int(struct.unpack_from("I", info, LAST_DATA_SENT)[0])
    return time.monotonic() - milliseconds / 1000


def _shut_down(descriptor: int, peer: Peer) -> bool:
    """Shut down a connection if it is that of `peer`; returns whether it was. Raises: OSError."""
    borrowed = _borrow(descriptor)
    try:
        if _peer(borrowed) != peer:
            return False
        borrowed.shutdown(socket.SHUT_RDWR)
    finally:
        borrowed.detach()
    return True
