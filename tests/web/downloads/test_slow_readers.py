"""A client that reads a download slowly keeps no connection of the database, and no snapshot."""

import asyncio
import time
from collections.abc import AsyncIterator

import httpx
import pytest
from starlette.applications import Starlette
from starlette.responses import StreamingResponse
from starlette.types import Message, Receive, Scope, Send

from masthead.model.dispatch.profiles import FileFormat
from masthead.services.exports import archives
from masthead.store.dispatch.runs import get_dispatch
from masthead.store.engine.interface import Database
from masthead.web.downloads import list_file
from masthead.web.downloads.lists import LISTS, SETTINGS_LISTS
from masthead.web.renewals import downloads
from tests.conftest import BY, Cast
from tests.support.dispatch_files import build
from tests.support.rich_account import make_rich
from tests.support.waiting import PATIENCE
from tests.web.conftest import Person
from tests.web.downloads.test_hostile_texts import queries


async def list_open(db: Database) -> list[str]:
    """What is open in the database: connections in use, and transactions of PostgreSQL."""
    used = [name for name, count in db.figures().items() if 'state="used"' in name and count]
    if db.dialect == "postgres":
        rows = await db.fetch_all(
            """
            SELECT query
            FROM pg_stat_activity
            WHERE datname = current_database()
              AND pid <> pg_backend_pid()
              AND xact_start IS NOT NULL
              AND backend_type = 'client backend'
            """,
            {},
        )
        used += [row["query"] for row in rows]
    return used


class SlowReader:
    """An app whose client looks, between two parts of a response, at what is open.

    patience: the seconds until others that use the database must have ended.
    """

    def __init__(self, app: Starlette, db: Database, patience: float = PATIENCE) -> None:
        self._app, self._db, self._patience = app, db, patience
        self.parts, self.found = 0, list[str]()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""

        async def look(message: Message) -> None:
            await send(message)
            if message["type"] == "http.response.body":
                self.parts += 1
                deadline = time.monotonic() + self._patience
                while (found := await list_open(self._db)) and time.monotonic() < deadline:  # noqa: ASYNC110
                    await asyncio.sleep(0.02)
                self.found += found

        await self._app(scope, receive, look)


async def test_a_slow_reader_keeps_nothing_open(
    acme: Cast, owner: Person, app: Starlette, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(list_file, "ROWS", 1)
    monkeypatch.setattr(downloads, "ROWS", 1)
    await make_rich(acme)
    asked = await queries(acme)
    mine = {"id": acme.account_id}
    (run,) = await acme.db.fetch_all("SELECT id FROM dispatch WHERE account_id = :id", mine)
    frozen = await get_dispatch(acme.db, acme.account_id, run["id"])
    file, _content = await build(acme, frozen, FileFormat.CSV)
    archive = await archives.request_archive(acme.db, acme.account_id, by=BY)
    await archives.make_archive(acme.db, acme.account_id, archive)
    paths = [
        *(("downloads", name, kind) for name in LISTS for kind in ("csv", "xlsx")),
        *(("settings", "downloads", name, "csv") for name in SETTINGS_LISTS),
        ("ending", "download"),
        ("dispatches", run["id"], "files", file.id),
        ("settings", "export", archive, "zip"),
    ]
    reader = SlowReader(app, acme.db)
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(reader),
        base_url="http://masthead.test",
        cookies=owner.http.cookies,
    ) as http:
        person = Person(http, owner.at)
        for path in paths:
            answer = await person.see(*path, **asked.get(path[1], {}))
            assert answer.status_code == 200, path
            assert reader.found == [], path
    assert reader.parts > 2 * len(paths)


async def test_a_download_that_keeps_a_snapshot_would_be_found(acme: Cast) -> None:
    async def read() -> AsyncIterator[bytes]:
        async with acme.db.read(aside=True) as connection:
            yield str(await connection.fetch_all("SELECT 1 AS one", {})).encode()

    app = StreamingResponse(read())
    reader = SlowReader(app, acme.db, patience=0)  # type: ignore[arg-type]
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(reader), base_url="http://masthead.test"
    ) as http:
        await http.get("/")
    assert reader.found != []
