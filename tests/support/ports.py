"""Loopback ports of servers."""

import asyncio
import contextlib
import socket
import sys
from collections.abc import AsyncIterator, Iterator


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


@contextlib.asynccontextmanager
async def open_until_end(server: asyncio.Server) -> AsyncIterator[int]:
    """The port of a server, which accepts no connections after the block.

    asyncio leaves the socket open of a connection that it has accepted but does not serve yet
    when its server is closed.
    """
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        for listening in server.sockets:
            asyncio.get_running_loop().remove_reader(listening)
        await asyncio.sleep(0)  # now it serves those that it has accepted
        server.close()
