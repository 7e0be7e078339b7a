"""The account of the simulated publisher, and a client of its API."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
from msgspec import Struct

from bench.databases import BY
from bench.year.publisher import ISSUES, Publisher
from masthead.app import create_app
from masthead.model.inputs import IssueCreate
from masthead.model.types.enums import Scope, SourceType
from masthead.services import accounts, keys, sources
from masthead.services.issues import records as issues
from masthead.settings import Settings
from masthead.store.engine.database import connect

ACCOUNT = "year"


class Opened(Struct, frozen=True):
    """The account: its id, an API key, and the id of the source of its orders."""

    account_id: int
    key: str
    source: str


async def open_account(url: str, publisher: Publisher) -> Opened:
    """Create the account, its source and the issues of the year before."""
    db = await connect(url)
    try:
        account = await accounts.create_account(
            db, name="Year", subdomain=ACCOUNT, currency="EUR", owner="owner@bench.test", by=BY
        )
        _, key = await keys.create_key(
            db, account.id, user="owner@bench.test", scope=Scope.READ_WRITE, by=BY
        )
        source = await sources.create_source(
            db, account.id, name="Web shop", type=SourceType.IMPORT, by=BY
        )
        for number in range(1, ISSUES + 1):
            body = IssueCreate(number=number, release_date_actual=publisher.release(number))
            await issues.create_issue(db, account.id, body, by=BY)
    finally:
        await db.close()
    return Opened(account.id, key, source.id)


@asynccontextmanager
async def serving(url: str, opened: Opened) -> AsyncIterator[tuple[Any, httpx.AsyncClient]]:
    """The application, and a client of its API."""
    app = create_app(Settings(database_url=url), background=False)
    headers = {"Authorization": f"Bearer {opened.key}"}
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(
            transport=httpx.ASGITransport(app), base_url="http://bench", headers=headers
        ) as http,
    ):
        yield app, http
