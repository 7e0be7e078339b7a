"""A migration on PostgreSQL that waits for a lock does not block others for long."""

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager

import asyncpg
import pytest

from masthead.settings import Settings
from masthead.store.engine.database import SCHEMA_VERSION
from masthead.store.engine.interface import DatabaseError
from masthead.store.engine.postgres import migration_locks
from masthead.store.engine.postgres.migration_locks import Blocker, Versions
from tests.conftest import make_account, serving
from tests.store.engine.test_migrate import OLDEST, fitness
from tests.store.engine.test_schema_support import FIRST, SECOND, Newer, newer
from tests.support.citus import not_on_citus
from tests.support.waiting import PATIENCE

__all__ = ["newer"]  # a fixture

IS_WAITING = """
SELECT EXISTS (
    SELECT
      FROM pg_locks
     WHERE NOT granted
       AND mode = 'AccessExclusiveLock'
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
)
"""


@pytest.fixture(autouse=True)
def _short_pauses(backend: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if backend != "postgres":
        pytest.skip("on SQLite, a migration does not wait for those who read")
    monkeypatch.setattr(migration_locks, "PAUSE_SECONDS", 0.2)


class Migration:
    """A migration of a newer masthead that changes two tables; said: what it tells."""

    def __init__(self, url: str, newer: Newer) -> None:
        self._url, self._newer, self.said = url, newer, list[str]()
        newer.add(
            FIRST,
            OLDEST,
            "ALTER TABLE source ADD COLUMN colour text",
            "ALTER TABLE issue ADD COLUMN colour text",
        )

    def start(self, patience: float = PATIENCE) -> "asyncio.Task[Versions]":
        """Begin to migrate. patience: seconds until it gives up.

        In a thread of its own: older ones may have begun in a test without coverage.
        """

        def work() -> Versions:
            return self._newer.migrate(self._url, patience=patience, tell=self.said.append)

        async def finish() -> Versions:
            with ThreadPoolExecutor(1) as thread:
                return await asyncio.get_running_loop().run_in_executor(thread, work)

        return asyncio.create_task(finish())


@pytest.fixture
def migration(scratch_url: str, newer: Newer) -> Migration:
    """A migration that has not begun."""
    return Migration(scratch_url, newer)


@asynccontextmanager
async def reading(url: str) -> AsyncIterator[asyncpg.Connection]:
    """A report that reads the issues in one long transaction."""
    connection = await asyncpg.connect(url, server_settings={"application_name": "report"})
    try:
        await connection.execute("BEGIN; SELECT 1 FROM issue LIMIT 1")
        yield connection
    finally:
        await connection.close()


async def wait_until_one_waits(connection: asyncpg.Connection) -> None:
    """Return when a migration waits for a lock."""
    async with asyncio.timeout(PATIENCE):
        while not await connection.fetchval(IS_WAITING):  # noqa: ASYNC110 - only PostgreSQL knows
            await asyncio.sleep(0.01)


async def ask_beside(url: str, migration: Migration, *, seconds: int, times: int) -> list[int]:
    """The statuses of requests that arrive while a migration waits for a long report.

    seconds: that a statement of a request may take.
    """
    async with serving(Settings(database_url=url, database_timeout=seconds)) as (app, client):
        cast = await make_account(client, app.state.db, "Acme")
        statuses = []
        async with reading(url) as report:
            task = migration.start()
            for number in range(times):
                await wait_until_one_waits(report)
                answer = await cast.post("/v1/issues/", {"number": number + 1, "name": "Spring"})
                statuses.append(answer.status_code)
                statuses.append((await cast.get("/v1/issues/")).status_code)
        assert await task == (SCHEMA_VERSION, FIRST)
        return statuses


@pytest.mark.slow
async def test_reads_and_writes_continue_while_a_migration_waits_for_a_long_reader(
    scratch_url: str, migration: Migration
) -> None:
    statuses = await ask_beside(scratch_url, migration, seconds=60, times=2)
    assert statuses == [201, 200] * 2
    assert "(report) has a transaction that blocks a table and is" in migration.said[0]
    assert "tried again in 0.2 s" in migration.said[0]


@pytest.mark.slow
async def test_without_the_limit_others_wait_as_long_as_the_migration(
    scratch_url: str, migration: Migration, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(migration_locks, "LOCK_SECONDS", 0)  # no limit
    assert await ask_beside(scratch_url, migration, seconds=1, times=1) == [503, 503]
    assert migration.said == []


@pytest.mark.slow
async def test_a_migration_that_gets_no_lock_gives_up_and_changes_nothing(
    scratch_url: str, migration: Migration
) -> None:
    async with reading(scratch_url) as report:
        pid = report.get_server_pid()
        with pytest.raises(DatabaseError) as refusal:
            await migration.start(patience=0)
    assert f"nothing was changed: Process {pid} of PostgreSQL (report)" in str(refusal.value)
    assert f"`SELECT pg_terminate_backend({pid})`" in str(refusal.value)
    assert migration.said == []
    columns = (
        "SELECT 1 FROM information_schema.columns"
        " WHERE column_name = 'colour' AND table_name IN ('source', 'issue')"
    )
    async with reading(scratch_url) as report:
        assert await report.fetchval(columns) is None
    assert await asyncio.to_thread(fitness, scratch_url) == ""
    assert await migration.start() == (SCHEMA_VERSION, FIRST)


@pytest.mark.slow
@not_on_citus("either side of a deadlock is stopped")
async def test_a_deadlock_with_a_migration_is_tried_again(
    scratch_url: str, newer: Newer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(migration_locks, "LOCK_SECONDS", PATIENCE)
    migration = Migration(f"{scratch_url}?deadlock_timeout=3s", newer)
    async with reading(scratch_url) as report:
        await report.execute("SET deadlock_timeout = '60s'")  # the migration looks first
        task = migration.start()
        await wait_until_one_waits(report)
        await report.fetchval("SELECT count(*) FROM source")  # which the migration has changed
    assert await task == (SCHEMA_VERSION, FIRST)
    assert len(migration.said) >= 1


async def test_any_other_error_ends_the_migration(scratch_url: str, newer: Newer) -> None:
    migration = Migration(scratch_url, newer)
    newer.add(SECOND, OLDEST, "ALTER TABLE nothing ADD COLUMN colour text")
    with pytest.raises(DatabaseError, match="nothing"):
        await migration.start()
    assert migration.said == []
    assert await asyncio.to_thread(fitness, scratch_url) == ""


async def test_a_migration_does_not_depend_on_seeing_who_blocks_it(
    scratch_url: str, migration: Migration, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(migration_locks, "FIND_BLOCKER", "SELECT nothing FROM nowhere, $1")
    monkeypatch.setattr(migration_locks, "LOCK_SECONDS", 0.5)
    async with reading(scratch_url):
        with pytest.raises(DatabaseError, match=r"Another transaction blocks"):
            await migration.start(patience=0)


def test_a_transaction_of_another_role_has_no_age() -> None:
    assert str(Blocker(7, "", None)) == (
        "Process 7 of PostgreSQL (without a name) has a transaction that blocks a table"
    )
