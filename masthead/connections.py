"""A limit on the connections of a worker: those that are idle the longest are closed first.

The server accepts connections up to a limit of its own, and then stops accepting until one ends:
clients that send nothing could hold all of them. So a thread looks at the sockets of this process
and closes connections in excess, but never one whose request is being answered. It also closes
connections of clients that take too much memory. decision 0029.
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
from pathlib import Path
from typing import NamedTuple

import structlog

log = structlog.get_logger()

Peer = tuple[str, str]  # address and port of a client

LOOK_SECONDS = 0.1
LOG_SECONDS = 10.0  # between two lines about closed connections
FREED = 0.1  # share of the limit that is free after connections were closed
HEADROOM = 1.5  # times the limit that the server may accept between two checks
OTHER_FILES = 256  # descriptors for everything but connections: database, logs, libraries
MIN_LIMIT = 16
DESCRIPTORS = "/proc/self/fd"
LAST_DATA_SENT = 44  # offset of `tcpi_last_data_sent` in `struct tcp_info` of Linux
NO_DESCRIPTORS = (errno.EMFILE, errno.ENFILE)


def most_accepted(limit: int) -> int:
    """How many connections the server may accept before the next check."""
    return int(limit * HEADROOM)


def fit_limit(limit: int) -> int:
    """The limit of connections, lowered if the system allows too few open files for it.

    Raises this process's own limit of open files, which its workers inherit.
    """
    wanted = most_accepted(limit) + OTHER_FILES
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
    """How many files this process may have open, after raising that to `wanted` if possible."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    unlimited = resource.RLIM_INFINITY
    if soft == unlimited or soft >= wanted:
        return wanted
    raised = wanted if hard == unlimited else min(wanted, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (raised, hard))
    return raised


def keep_limit(
    limit: int, answering: Collection[Peer], excess: Callable[[], Collection[Peer]]
) -> None:
    """Keep the connections of this process at the limit from now on, in a thread.

    answering: clients whose request is being answered. excess: clients to drop at once.
    Works only on Linux: other systems do not say how long a connection was idle.
    """
    if Path(DESCRIPTORS).is_dir():
        guard = ConnectionGuard(limit, answering, excess)
        threading.Thread(target=guard.run, name="connections", daemon=True).start()


class Connection(NamedTuple):
    """A connection of this process. idle: milliseconds since it was accepted or last written to."""

    descriptor: int
    peer: Peer
    idle: int


class ConnectionGuard:
    """Closes connections in excess of a limit."""

    def __init__(
        self, limit: int, answering: Collection[Peer], excess: Callable[[], Collection[Peer]]
    ) -> None:
        self._limit, self._answering, self._excess = limit, answering, excess
        self._closed, self._is_full, self._logged_at = 0, False, -LOG_SECONDS

    def run(self) -> None:
        """Check until the process ends."""
        while True:
            time.sleep(LOOK_SECONDS)
            try:
                self.look()
            except Exception:  # without this thread there is no limit
                log.exception("connections cannot be counted")
                time.sleep(LOG_SECONDS)

    def look(self) -> None:
        """Close the connections in excess now."""
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
                    self._keep(connections, int(self._limit * (1 - FREED)))
        self._report()

    def _free_descriptors(self) -> None:
        """Close half of the connections: no descriptor is left, not even to count them."""
        connections = list_connections(range(most_accepted(self._limit) + OTHER_FILES))
        self._keep(connections, len(connections) // 2)
        self._is_full = True

    def _keep(self, connections: list[Connection], number: int) -> None:
        """Close those that were idle the longest, until only this many are left."""
        waiting = [each for each in connections if each.peer not in self._answering]
        waiting.sort(key=lambda each: each.idle, reverse=True)
        self._close(waiting[: len(connections) - number])

    def _close(self, connections: Iterable[Connection]) -> None:
        self._closed += sum(_close(each.descriptor, each.peer) for each in connections)

    def _report(self) -> None:
        """Log what was closed, at most once in a while."""
        now = time.monotonic()
        if not (self._closed or self._is_full) or now - self._logged_at < LOG_SECONDS:
            return
        if self._is_full:
            log.error("no file descriptors left", closed=self._closed)
        else:
            log.warning("connections closed", closed=self._closed, limit=self._limit)
        self._closed, self._is_full, self._logged_at = 0, False, now


def list_connections(descriptors: Iterable[int]) -> list[Connection]:
    """The connections that clients have made to the ports that this process listens at."""
    ports, found = set[int](), []
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
                if borrowed.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
                    ports.add(own[1])
                else:
                    found.append((own[1], Connection(descriptor, _peer(borrowed), _idle(borrowed))))
        except OSError:  # the same, or the client has gone
            continue
        finally:
            borrowed.detach()
    return [connection for port, connection in found if port in ports]


def _borrow(descriptor: int) -> socket.socket:
    """A connection of the server, to be detached. Raises: OSError.

    As one of IPv6 it has room for the addresses of both families; Python cuts off the longer ones
    of a socket that it takes for one of IPv4.
    """
    return socket.socket(socket.AF_INET6, socket.SOCK_STREAM, 0, fileno=descriptor)


def _peer(connection: socket.socket) -> Peer:
    host, port = connection.getpeername()[:2]
    return host, str(port)


def _idle(connection: socket.socket) -> int:
    told = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, LAST_DATA_SENT + 4)
    return int(struct.unpack_from("I", told, LAST_DATA_SENT)[0])


def _close(descriptor: int, peer: Peer) -> bool:
    """Shut a connection down, so that the server closes it; whether it was still there.

    The descriptor is not duplicated first: there may be none left for that.
    """
    try:
        borrowed = _borrow(descriptor)
    except OSError:
        return False
    try:
        if _peer(borrowed) != peer:
            return False
        borrowed.shutdown(socket.SHUT_RDWR)
    except OSError:
        return False
    finally:
        borrowed.detach()
    return True
