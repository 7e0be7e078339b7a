"""GET /health and GET /ready: liveness and readiness."""

import asyncio
from typing import Any

import pytest

from masthead.api import health
from masthead.model.errors import Unavailable
from masthead.settings import Settings
from masthead.store.engine.interface import Database, Transaction
from tests.conftest import Client, serving
from tests.support.cases import for_each
from tests.support.expect import refused


async def test_health_returns_200_once_startup_has_succeeded(client: Client) -> None:
    response = await client.get("/health")
    assert response.status_code == 200
    assert response.json() == {"status": "ok"}


async def test_ready_returns_200_while_the_database_responds(client: Client) -> None:
    response = await client.get("/ready")
    assert response.status_code == 200
    assert response.json() == {"status": "ready"}


@pytest.mark.parametrize("path", ["/health", "/ready"])
async def test_health_and_ready_need_no_key_and_support_head(client: Client, path: str) -> None:
    response = await client.request("HEAD", path)
    assert response.status_code == 200
    assert response.content == b""


@for_each("path", ["/health", "/ready", "/openapi.json"])
async def test_an_unsupported_method_gets_a_405(client: Client, path: str) -> None:
    response = await client.post(path)
    refused(response, "method_not_allowed", status=405)
    assert {each.strip() for each in response.headers["Allow"].split(",")} == {"GET", "HEAD"}


async def set_version(db: Database, version: str) -> None:
    """Change the schema version that the database reports."""

    async def work(tx: Transaction) -> None:
        await tx.execute("UPDATE alembic_version SET version_num = :version", {"version": version})

    await db.write(work)


@pytest.mark.parametrize("version", ["0000", "9999"])
async def test_ready_returns_503_while_the_database_has_another_version(
    scratch_url: str, version: str
) -> None:
    async with serving(Settings(database_url=scratch_url)) as (app, client):
        assert (await client.get("/ready")).status_code == 200
        await set_version(app.state.db, version)
        response = await client.get("/ready")
        refused(response, "unavailable", status=503)
        assert int(response.headers["Retry-After"]) > 0
        assert (await client.get("/health")).status_code == 200


class Slow:
    """A database that responds when a test allows it. asked: the number of queries."""

    dialect = "sqlite"

    def __init__(self, db: Database) -> None:
        self._db, self.may_answer, self.asked = db, asyncio.Event(), 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._db, name)

    async def probe_write(self) -> None:
        self.asked += 1
        await self.may_answer.wait()
        raise Unavailable


async def test_ready_does_not_wait_for_a_database_that_does_not_respond(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "READY_SECONDS", 0.05)
    slow: Any = Slow(db)
    probe = health.DatabaseProbe(slow)
    for _ in range(3):  # all requests share the query of the first one
        with pytest.raises(Unavailable):
            await probe.check()
    assert slow.asked == 1
    slow.may_answer.set()
    with pytest.raises(Unavailable):
        await probe.check()
    with pytest.raises(Unavailable):
        await probe.check()
    assert slow.asked == 2


async def test_ready_returns_503_while_nothing_can_be_written(scratch_url: str) -> None:
    async with serving(Settings(database_url=scratch_url)) as (app, client):
        assert (await client.get("/ready")).status_code == 200
        slow: Any = Slow(app.state.db)
        slow.may_answer.set()
        app.state.probe = health.DatabaseProbe(slow)
        refused(await client.get("/ready"), "unavailable", status=503)
        assert (await client.get("/health")).status_code == 200


async def test_ready_returns_503_while_the_tables_are_missing(scratch_url: str) -> None:
    async with serving(Settings(database_url=scratch_url)) as (app, client):

        async def work(tx: Transaction) -> None:
            await tx.execute_many("ALTER TABLE alembic_version RENAME TO gone", [{}])

        await app.state.db.write(work)
        refused(await client.get("/ready"), "unavailable", status=503)
        assert (await client.get("/health")).status_code == 200
