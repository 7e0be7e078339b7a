"""A primary with a replica that reads can use."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

import asyncpg
import pytest

from masthead.settings import Settings
from masthead.store.engine.postgres import replica
from tests.conftest import Cast, make_account, serving
from tests.faults.conftest import TIMEOUT, own_cluster
from tests.support.factories import make_issue
from tests.support.postgres import OwnCluster
from tests.support.replica import DEADLINES, FLUSHED, standby_of


class Pair:
    """A primary, its replica, and a database of both."""

    def __init__(self, primary: OwnCluster, replica: OwnCluster, url: str) -> None:
        self.primary, self.replica, self.url = primary, replica, url
        self.read_url = replica.url_of(url.rpartition("/")[2])

    async def ask(self, server: OwnCluster, sql: str) -> object:
        """The value that a server returns."""
        connection = await asyncpg.connect(server.url_of(self.url.rpartition("/")[2]))
        try:
            return await connection.fetchval(sql)
        finally:
            await connection.close()

    @asynccontextmanager
    async def paused(self) -> AsyncIterator[None]:
        """Let the replica stay as it is during the block."""
        await self.ask(self.replica, "SELECT pg_wal_replay_pause()")
        try:
            yield
        finally:
            await self.ask(self.replica, "SELECT pg_wal_replay_resume()")


@contextmanager
def open_pair() -> Iterator[Pair]:
    """Start two servers; the second one copies the first one."""
    with own_cluster(*FLUSHED) as primary:
        url = primary.create_migrated_database()
        with standby_of(primary) as replica:
            yield Pair(primary, replica, url)


@pytest.fixture(autouse=True)
def real_deadlines(monkeypatch: pytest.MonkeyPatch) -> None:
    """masthead waits for a replica as long as in production."""
    for name, seconds in DEADLINES.items():
        monkeypatch.setattr(replica, name, seconds)


@pytest.fixture(scope="module")
def shared_pair(request: pytest.FixtureRequest) -> Iterator[Pair]:
    """Two servers for the tests of a module, which must leave them as they were."""
    if request.config.getoption("--backend") == "sqlite":
        pytest.skip("PostgreSQL was not chosen")
    with open_pair() as pair:
        yield pair


@asynccontextmanager
async def reading_desk(pair: Pair) -> AsyncIterator[Cast]:
    """An account with an issue, on a service that reads from the replica."""
    settings = Settings(
        database_url=pair.url, database_read_url=pair.read_url, database_timeout=TIMEOUT
    )
    async with serving(settings) as (app, client):
        cast = await make_account(client, app.state.db, "Acme")
        await make_issue(cast)
        yield cast
