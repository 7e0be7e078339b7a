"""A TCP proxy in front of a server, which can drop data, cut connections and respond late."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from urllib.parse import urlsplit

from tests.support.ports import open_until_end


class Line:
    """A connection through the proxy. is_silent: data is dropped without an error."""

    def __init__(self, writers: list[asyncio.StreamWriter]) -> None:
        self.writers, self.is_silent = writers, False


class Proxy:
    """Forwards data as configured. delay: seconds that each piece of data waits."""

    def __init__(self, url: str) -> None:
        self._target = urlsplit(url)
        self._lines: set[Line] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self.delay, self.silences_new = 0.0, False

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        host, port = self._target.hostname, self._target.port
        try:
            server_reader, server_writer = await asyncio.open_connection(host, port)
        except OSError:  # the server is down
            writer.transport.abort()
            return
        line = Line([writer, server_writer])
        line.is_silent = self.silences_new
        self._lines.add(line)
        ways = (reader, server_writer), (server_reader, writer)
        try:
            async with asyncio.TaskGroup() as both:
                for source, target in ways:
                    both.create_task(self._pass_on(line, source, target))
        except* OSError:
            pass
        finally:
            self._lines.discard(line)
            writer.close()
            server_writer.close()

    async def _pass_on(
        self, line: Line, source: asyncio.StreamReader, target: asyncio.StreamWriter
    ) -> None:
        while data := await source.read(65536):
            await asyncio.sleep(self.delay)
            if not line.is_silent:
                target.write(data)
                await target.drain()
        if not line.is_silent:
            target.close()

    def silence(self, *, new_too: bool = False) -> None:
        """Drop all data of the open connections, as a lost firewall rule does."""
        self.silences_new = new_too
        for line in self._lines:
            line.is_silent = True

    def cut(self) -> None:
        """Reset all connections."""
        for line in self._lines:
            for writer in line.writers:
                writer.transport.abort()

    def lead_to(self, url: str) -> None:
        """Forward new connections to another server."""
        self._target = urlsplit(url)

    def heal(self) -> None:
        """Forward the data of new connections."""
        self.silences_new, self.delay = False, 0.0


@contextlib.asynccontextmanager
async def open_proxy(url: str) -> AsyncIterator[tuple[Proxy, str]]:
    """A proxy in front of the server of an address, and the address that leads through it."""
    proxy = Proxy(url)
    server = await asyncio.start_server(proxy._serve, "127.0.0.1", 0)
    target = urlsplit(url)
    try:
        async with open_until_end(server) as port:
            yield proxy, target._replace(netloc=f"{target.username}@127.0.0.1:{port}").geturl()
    finally:
        proxy.cut()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(5):
                await server.wait_closed()
