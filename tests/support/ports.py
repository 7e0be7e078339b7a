"""Loopback ports for servers that a test starts later."""

import contextlib
import socket
import sys
from collections.abc import Iterator


@contextlib.contextmanager
def reserved_port() -> Iterator[int]:
    """A port for one server of the test; until then, connections to it are refused.

    A socket holds it without listening, so the system gives it to nobody else. A server may still
    take it, because servers set SO_REUSEADDR as this socket does. Only Linux allows that: elsewhere
    the port is merely free.
    """
    with socket.socket() as holder:
        holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        holder.bind(("127.0.0.1", 0))
        port: int = holder.getsockname()[1]
        if sys.platform != "linux":
            holder.close()
        yield port
