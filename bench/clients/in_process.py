"""Ask masthead for pages within this process: what they cost, in statements and processor time."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from msgspec import Struct
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect

from bench.servers.processes import family
from masthead.app import create_app
from masthead.settings import Settings
from masthead.store.engine.postgres.connection import PostgresConnection
from masthead.store.engine.sqlite.connection import SQLiteConnection

HOST = b"bench.localhost"
COUNTED = {PostgresConnection: ("fetch_all", "fetch_one", "execute"), SQLiteConnection: ("select",)}


class Answer(Struct):
    """An answer, and what it cost. Seconds; cpu: of this process and of the database server.

    first: until the first byte of the body. sent: bytes of the body, which is kept up to `KEPT`.
    """

    status: int = 0
    headers: dict[str, str] = {}
    body: bytes = b""
    sent: int = 0
    first: float = 0.0
    taken: float = 0.0
    cpu: float = 0.0
    statements: int = 0


KEPT = 4_000_000
MOST = 5_000_000  # bytes of a file that are read


class Asker:
    """Asks an application. server: the process of PostgreSQL, if it is used."""

    def __init__(self, app: Starlette, server: int | None) -> None:
        self._app, self._server = app, server
        self.count = 0

    async def get(self, path: str, cookie: str) -> Answer:
        """The answer to a GET request with a cookie."""
        where = urlsplit(path)
        scope = {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.4"},
            "http_version": "1.1",
            "method": "GET",
            "scheme": "http",
            "path": where.path,
            "raw_path": where.path.encode(),
            "query_string": where.query.encode(),
            "root_path": "",
            "headers": [(b"host", HOST), (b"cookie", cookie.encode())],
            "client": ("127.0.0.1", 1),
            "server": ("127.0.0.1", 80),
        }
        answer, parts = Answer(), list[bytes]()
        before, cpu, began = self.count, self._cpu(), time.perf_counter()

        requests = [{"type": "http.request", "body": b"", "more_body": False}]

        async def receive() -> dict[str, Any]:
            if not requests:
                await asyncio.Event().wait()  # the client stays
            return requests.pop()

        async def send(message: Any) -> None:
            if message["type"] == "http.response.start":
                answer.status = message["status"]
                answer.headers = {
                    name.decode().lower(): value.decode() for name, value in message["headers"]
                }
            elif part := message.get("body", b""):
                answer.first = answer.first or time.perf_counter() - began
                answer.sent += len(part)
                if answer.sent <= KEPT:
                    parts.append(part)
                if answer.sent > MOST:
                    raise OSError("the client has read enough")

        with contextlib.suppress(ClientDisconnect):
            await self._app(scope, receive, send)
        answer.taken = time.perf_counter() - began
        answer.cpu = self._cpu() - cpu
        answer.statements = self.count - before
        answer.body = b"".join(parts)
        return answer

    def _cpu(self) -> float:
        return time.process_time() + (server_cpu(self._server) if self._server else 0)


def server_cpu(pid: int) -> float:
    """Processor seconds of a process and its children, as exactly as the kernel counts them."""
    found = 0
    for each in family(pid):
        with contextlib.suppress(OSError):
            found += int(Path(f"/proc/{each}/schedstat").read_text().split()[0])
    return found / 1e9


@contextlib.asynccontextmanager
async def asking(url: str, server: int | None) -> AsyncIterator[Asker]:
    """masthead in this process, without its background work."""
    app = create_app(Settings(database_url=url), background=False)
    async with app.router.lifespan_context(app):
        asker = Asker(app, server)
        with _counted(asker):
            yield asker


@contextlib.contextmanager
def _counted(asker: Asker) -> Iterator[None]:
    """Count the statements of all connections."""
    kept = [(kind, name, getattr(kind, name)) for kind in COUNTED for name in COUNTED[kind]]

    def counting(method: Any) -> Any:
        def counted(*values: Any) -> Any:
            asker.count += 1
            return method(*values)

        return counted

    for kind, name, method in kept:
        setattr(kind, name, counting(method))
    try:
        yield
    finally:
        for kind, name, method in kept:
            setattr(kind, name, method)
