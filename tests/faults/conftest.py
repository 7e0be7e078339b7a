"""Fixtures of the fault tests: a separate PostgreSQL server that they can stop, fill and kill."""

import contextlib
import os
import shutil
import signal
import tempfile
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from masthead.services.check.accounts import check
from masthead.settings import Settings
from masthead.store.engine.sqlite import connection as sqlite_connection
from tests.conftest import Cast, make_account, serving
from tests.faults.support.notes import NOTES
from tests.support.factories import make_issue
from tests.support.postgres import FAST, PLACE, OwnCluster, PostgresMissing, open_own_cluster

TIMEOUT = 2  # seconds for a statement; the default is longer
BOUND = 15.0  # seconds: much longer than any response takes, but much shorter than no deadline


@pytest.fixture(autouse=True)
def noted_results(record_property: Callable[[str, object], None]) -> Iterator[None]:
    """Pass a test's notes to the report of the campaign."""
    NOTES.clear()
    yield
    for name in ("client", "recovery"):
        if name in NOTES:
            record_property(name, NOTES[name])


@pytest.fixture(autouse=True)
def durable_commits(real_synchronous: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commits to SQLite reach the disk, as in production."""
    monkeypatch.setattr(sqlite_connection, "SYNCHRONOUS", real_synchronous)


@contextlib.contextmanager
def own_cluster(*settings: str) -> Iterator[OwnCluster]:
    """A server that no other test uses."""
    home = Path(tempfile.mkdtemp(prefix="masthead-faults-", dir=PLACE))
    try:
        with open_own_cluster(home, [*FAST, "shared_buffers=16MB", *settings]) as cluster:
            yield cluster
    except PostgresMissing as reason:
        pytest.skip(str(reason))
    finally:
        shutil.rmtree(home, ignore_errors=True)


@pytest.fixture(scope="session")
def server(request: pytest.FixtureRequest) -> Iterator[OwnCluster]:
    """The server of these tests."""
    if request.config.getoption("--backend") == "sqlite":
        pytest.skip("PostgreSQL was not chosen")
    with own_cluster() as cluster:
        yield cluster


@pytest.fixture
def url(server: OwnCluster) -> str:
    """A separate database for the test."""
    return server.create_migrated_database()


@asynccontextmanager
async def desk(url: str, seconds: int = TIMEOUT) -> AsyncIterator[Cast]:
    """An account with an issue, on a service with that database; checks all invariants at the end.

    The address may lead through a proxy, or name several servers.
    """
    settings = Settings(database_url=url, database_timeout=seconds)
    async with serving(settings) as (app, client):
        cast = await make_account(client, app.state.db, "Acme")
        await make_issue(cast)
        yield cast
        assert [fault async for fault in check(cast.db)] == []


@contextlib.contextmanager
def frozen(cluster: OwnCluster) -> Iterator[None]:
    """Stop the server during the block; its connections stay open."""
    stopped = cluster.processes
    try:
        send_signal(stopped, signal.SIGSTOP)
        yield
    finally:
        send_signal(stopped, signal.SIGCONT)


def send_signal(pids: Iterable[int], number: signal.Signals) -> None:
    """Send a signal to processes, of which some may have ended by themselves."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)
