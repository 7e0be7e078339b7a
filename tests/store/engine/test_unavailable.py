"""A database that does not answer: the error, no changes, and the recovery."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, closing, suppress
from errno import ECONNRESET, ENOSPC
from pathlib import Path

import apsw
import pytest
from structlog.testing import capture_logs

from masthead.model.errors import Busy, Unavailable
from masthead.store.engine.database import connect
from masthead.store.engine.interface import (
    Database,
    DatabaseError,
    Reader,
    Transaction,
    sqlite_path,
)
from masthead.store.engine.postgres import session
from masthead.store.engine.postgres.connection import PostgresConnection
from masthead.store.engine.postgres.database import READERS
from masthead.store.engine.postgres.errors import ConnectionFailed
from masthead.store.engine.postgres.session import name_servers
from masthead.store.engine.postgres.write_queue import OF_ONE_ACCOUNT
from masthead.store.engine.sqlite import connection as sqlite_connection
from tests.support.databases import migrated, opened, opened_connection


async def count(db: Database) -> int:
    """The number of accounts."""
    async with db.read() as connection:
        row = await connection.fetch_one("SELECT count(*) AS n FROM account", {})
    assert row
    return int(row["n"])


async def delete(tx: Transaction) -> int:
    """A write to an empty table, without an account."""
    return await tx.execute("DELETE FROM lease", {})


@pytest.fixture
async def impatient(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Database]:
    """A SQLite database that waits only briefly for others."""
    monkeypatch.setattr(sqlite_connection, "BUSY_MILLISECONDS", 50)
    db = await connect(migrated(f"sqlite:///{tmp_path}/masthead.db"))
    yield db
    await db.close()


async def test_a_write_is_refused_as_busy_while_another_process_writes(
    impatient: Database, tmp_path: Path
) -> None:
    with closing(apsw.Connection(str(tmp_path / "masthead.db"))) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(Unavailable, match="again"):
            await impatient.write(delete)
        assert await count(impatient) == 0  # reads continue
    assert await impatient.write(delete) == 0


async def test_a_full_disk_fails_only_the_writes_of_one_commit(impatient: Database) -> None:
    async def fill(tx: Transaction) -> None:
        rows = [{"name": str(n), "text": "x" * 10_000} for n in range(100)]
        sql = "INSERT INTO lease (name, holder, until_at) VALUES (:name, :text, '2026-01-01')"
        await tx.execute_many(sql, rows)

    async def limit(tx: Transaction) -> None:
        (row,) = await tx.fetch_all("PRAGMA page_count", {})
        await tx.fetch_all(f"PRAGMA max_page_count = {row['page_count'] + 3}", {})

    await impatient.write(limit)
    outcomes = await asyncio.gather(*map(impatient.write, (fill, fill)), return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [Unavailable, Unavailable]
    assert await impatient.write(delete) == 0


@pytest.mark.parametrize("reason", [OSError(ENOSPC, "No space left"), TimeoutError("too late")])
async def test_an_error_of_the_block_is_not_one_of_the_database(
    scratch_url: str, reason: OSError
) -> None:
    async def read(db: Reader) -> None:
        async with db.read() as connection:
            await connection.fetch_one("SELECT 1 AS n", {})
            raise reason

    async def work(tx: Transaction) -> None:
        await delete(tx)
        raise reason

    with capture_logs() as logged:
        async with opened(scratch_url) as db:
            for reader in (db, db.replica):
                with pytest.raises(type(reason)) as raised:
                    await read(reader)
                assert raised.value is reason
            with pytest.raises(type(reason)) as raised:
                await db.write(work)
            assert raised.value is reason
            assert await db.write(delete) == 0
    assert logged == []


@pytest.mark.parametrize(
    "reason, message",
    [(OSError(ECONNRESET, "the line broke"), "the line broke"), (TimeoutError(), "TimeoutError")],
)
async def test_the_error_of_a_connection_says_why_it_failed(reason: OSError, message: str) -> None:
    class Broken:
        async def fetchrow(self, _sql: str, **_options: object) -> None:
            raise reason

    with pytest.raises(ConnectionFailed, match=message) as raised:
        await PostgresConnection(Broken()).fetch_one("SELECT 1 AS n", {})
    assert raised.value.__cause__ is reason


async def test_a_stopped_database_is_unavailable_until_it_is_back(
    backend: str, scratch_url: str
) -> None:
    async def end(tx: Transaction) -> None:
        await tx.execute("DELETE FROM account", {})
        await tx.fetch_all("SELECT pg_terminate_backend(pg_backend_pid())", {})

    async with opened(scratch_url) as db:
        if backend == "postgres":
            with pytest.raises(Unavailable, match="again"):
                await db.write(end)
        else:
            path = sqlite_path(scratch_url)
            aside = path.rename(path.with_suffix(".aside"))
            with pytest.raises(Unavailable, match="again"):
                await count(db)
            assert list(path.parent.glob("*.db")) == []  # it was not created again either
            aside.rename(path)
        assert await count(db) == 0
        assert await db.write(delete) == 0


async def test_connections_that_ended_while_idle_are_replaced(
    backend: str, scratch_url: str
) -> None:
    async with opened(scratch_url) as db:
        assert await count(db) == 0
        assert await db.write(delete) == 0
        if backend == "postgres":
            async with opened_connection(scratch_url) as other:
                ended = await other.fetch(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    " WHERE datname = current_database() AND pid <> pg_backend_pid()"
                    " AND application_name NOT LIKE 'citus%' AND application_name NOT LIKE 'Citus%'"
                )
                assert len(ended) >= 2  # a reader, a writer, and perhaps one that is just closing
            await asyncio.sleep(0.1)  # time until the process notices it
        assert await count(db) == 0
        assert await db.write(delete) == 0


@pytest.mark.parametrize(
    "url",
    [
        "sqlite:///no/such/folder/masthead.db",
        "sqlite://",
        "sqlite:///",
        "postgresql://127.0.0.1:1/masthead",
        "postgresql://127.0.0.1:notaport/masthead",
        "mysql://127.0.0.1/masthead",
    ],
)
async def test_an_unreachable_address_is_reported(url: str) -> None:
    with pytest.raises(DatabaseError):
        await connect(url)


@pytest.mark.parametrize(
    "url, servers",
    [
        ("postgresql://masthead:s3cret@db.internal/masthead", "db.internal:5432"),
        ("postgres://masthead@db1:6000,db2/masthead", "db1:6000, db2:5432"),
        ("postgresql://m:s3@cret@[::1]/masthead?password=s3cret", "[::1]:5432"),
        ("postgresql://m@[::1]:6000/masthead", "[::1]:6000"),
        ("postgresql://m@/masthead?host=db.internal&port=6000", "db.internal:6000"),
        ("postgresql://m@/masthead?host=/run/postgresql", "/run/postgresql"),
        ("postgresql://m@%2Frun%2Fpostgresql/masthead", "%2Frun%2Fpostgresql"),
        ("postgresql:///masthead", ""),
        ("postgresql://m:12345/s3cret@db.internal/masthead", ""),  # 12345 looks like a port
    ],
)
def test_messages_name_the_servers_of_a_url_without_its_password(url: str, servers: str) -> None:
    assert name_servers(url) == servers


async def test_the_error_names_a_server_that_cannot_be_reached() -> None:
    with pytest.raises(DatabaseError) as refused:
        await connect("postgresql://masthead:s3cret@127.0.0.1:1/masthead")
    assert str(refused.value).startswith("PostgreSQL at `127.0.0.1:1` cannot be reached: ")
    assert "s3cret" not in str(refused.value)


async def test_an_error_without_the_name_of_a_server_is_complete(tmp_path: Path) -> None:
    with pytest.raises(DatabaseError, match="PostgreSQL cannot be reached: "):
        await connect(f"postgresql://m@/masthead?host={tmp_path}/no@server")


async def test_one_of_several_servers_that_responds_is_used(backend: str, scratch_url: str) -> None:
    if backend == "sqlite":
        pytest.skip("it is a file")
    before, at, after = scratch_url.partition("@")
    async with opened(f"{before}{at}127.0.0.1:1,{after}") as db:
        assert await count(db) == 0
        await db.probe_write()
    with pytest.raises(DatabaseError, match="cannot be reached"):
        await connect(f"{before}{at}127.0.0.1:1,127.0.0.1:2/masthead")


@pytest.mark.slow
async def test_an_endless_statement_is_cancelled(backend: str, scratch_url: str) -> None:
    if backend == "sqlite":
        pytest.skip("there is no server that could take long")
    async with opened(scratch_url, seconds=1) as db:
        with pytest.raises(Unavailable):
            await db.fetch_all("SELECT pg_sleep(100)", {})
        async with db.read(aside=True) as connection:  # a page has a longer timeout
            assert await connection.fetch_all("SELECT pg_sleep(1.2)", {})
        async with db.read(is_long=True) as connection:
            assert await connection.fetch_all("SELECT pg_sleep(1.2)", {})


async def test_more_readers_than_connections_are_refused_in_time(
    backend: str, scratch_url: str
) -> None:
    if backend == "sqlite":
        pytest.skip("there are no connections to run out of")
    async with opened(scratch_url, seconds=1) as db:
        async with AsyncExitStack() as readers:
            for _ in range(READERS):
                await readers.enter_async_context(db.read())
            with pytest.raises(Unavailable):
                await count(db)
        assert await count(db) == 0


@pytest.mark.slow
async def test_waiting_for_a_row_that_another_session_locks_times_out(
    backend: str, scratch_url: str
) -> None:
    if backend == "sqlite":
        pytest.skip("a file that is written to is tried above")
    async with opened(scratch_url, seconds=1) as db:
        async with opened_connection(scratch_url) as other, other.transaction():
            await other.execute("LOCK TABLE lease, schema_support")
            with pytest.raises(Busy):
                await db.write(delete)
            with pytest.raises(Unavailable):
                await db.probe_write()
        assert await db.write(delete) == 0


@pytest.mark.parametrize(
    "code, connections", [("lock_not_available", 1), ("query_canceled", 2)], ids=str
)
async def test_a_connection_is_used_again_after_waiting_for_a_row_in_vain(
    backend: str, scratch_url: str, code: str, connections: int
) -> None:
    if backend == "sqlite":
        pytest.skip("there is no connection to replace")
    used: list[int] = []

    async def fail_once(tx: Transaction) -> None:
        used.extend(row["id"] for row in await tx.fetch_all("SELECT pg_backend_pid() AS id", {}))
        if len(used) == 1:
            await tx.execute(f"DO $$ BEGIN RAISE {code}; END $$", {})

    async with opened(scratch_url) as db:
        with suppress(Unavailable):  # masthead itself waits for a row again
            await db.write(fail_once)
        await db.write(fail_once)
    assert len(set(used)) == connections


@pytest.mark.slow
async def test_a_write_that_waits_for_others_to_its_account_gives_up_in_time(
    backend: str, scratch_url: str
) -> None:
    if backend == "sqlite":
        pytest.skip("all writes are behind one another")
    db = await connect(scratch_url, seconds=1)
    have_begun, may_end = asyncio.Barrier(OF_ONE_ACCOUNT + 1), asyncio.Event()

    async def hold(_tx: Transaction) -> None:
        await have_begun.wait()
        await may_end.wait()

    writing = [asyncio.create_task(db.write(hold, account_id=1)) for _ in range(OF_ONE_ACCOUNT)]
    await have_begun.wait()
    with pytest.raises(Busy, match="import"):
        await db.write(delete, account_id=1)
    assert await db.write(delete, account_id=2) == 0
    may_end.set()
    await asyncio.gather(*writing)
    assert await db.write(delete, account_id=1) == 0
    await db.close()


async def test_the_write_of_an_account_does_not_wait_for_another(
    backend: str, scratch_url: str
) -> None:
    if backend == "sqlite":
        pytest.skip("all writes are behind one another")
    async with opened(scratch_url) as db:

        async def write_beside(_tx: Transaction) -> bool:
            await db.write(delete, account_id=2)
            return db.is_shared()

        assert await db.write(write_beside, account_id=1) is False


async def test_a_write_must_name_the_account_that_it_locks(backend: str, scratch_url: str) -> None:
    async def work(tx: Transaction) -> None:
        tx.require_turn(1)

    async with opened(scratch_url, is_command=True) as db:
        await db.write(work, account_id=1)
        if backend == "postgres":
            for wrong in (None, 2):
                with pytest.raises(RuntimeError, match="was called without the account"):
                    await db.write(work, account_id=wrong)


async def test_a_connection_that_cannot_be_prepared_is_closed(
    backend: str, scratch_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if backend == "sqlite":
        pytest.skip("it is opened as it is")

    async def fail(_connection: object) -> None:
        raise OSError("the line broke")

    monkeypatch.setattr(session, "_set_date_codec", fail)
    with pytest.raises(DatabaseError, match="the line broke"):
        await connect(scratch_url)


async def test_an_unknown_database_is_reported(scratch_url: str) -> None:
    with pytest.raises(DatabaseError, match="no_such"):
        await connect(scratch_url + "_no_such")
