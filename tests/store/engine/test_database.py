"""Read snapshots, write transactions, and the isolation of failures."""

import asyncio
import gc
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from contextvars import ContextVar
from pathlib import Path

import apsw
import asyncpg
import pytest

from masthead.model.errors import Invalid
from masthead.store.engine.database import connect
from masthead.store.engine.interface import Connection, Database, MissingTable, Transaction
from masthead.store.engine.postgres import session
from masthead.store.engine.postgres.database import ATTEMPTS
from masthead.store.engine.sqlite import connection as sqlite_connection
from masthead.store.engine.sqlite.writer import SHARED_COMMIT
from tests.support.databases import migrated

DRIVER_ERRORS = (apsw.Error, asyncpg.PostgresError)

Work = Callable[[Transaction], Awaitable[int]]


def insert(id: int, name: str = "") -> Work:
    """A write of one row that returns its id."""

    async def work(tx: Transaction) -> int:
        await tx.insert_rows("sample", [{"id": id, "name": name}])
        return id

    return work


def refuse(id: int) -> Work:
    """A write of one row that then fails."""

    async def work(tx: Transaction) -> int:
        await insert(id)(tx)
        raise Invalid(f"no {id}")

    return work


async def ids(db: Database) -> list[int]:
    """The ids in the table."""
    async with db.read() as connection:
        rows = await connection.fetch_all("SELECT id FROM sample ORDER BY id", {})
        return [row["id"] for row in rows]


# --- reading --------------------------------------------------------------------------------------


@asynccontextmanager
async def at_once(db: Database) -> AsyncIterator[Connection]:
    """The database itself, for single statements."""
    yield db


Way = Callable[[Database], AbstractAsyncContextManager[Connection]]
WAYS: list[Way] = [at_once, lambda db: db.read(), lambda db: db.read(aside=True)]

# A statement that takes minutes on both databases
ENDLESS = (
    "WITH RECURSIVE counted(n) AS (SELECT CAST(1 AS bigint) UNION ALL"
    " SELECT n + 1 FROM counted WHERE n < 1000000000) SELECT count(*) AS n FROM counted"
)


@pytest.mark.parametrize(
    "sql",
    [
        "INSERT INTO sample (id) VALUES (1) RETURNING id",
        "UPDATE account SET is_active = false RETURNING id",
        "DELETE FROM account RETURNING id",
        "DROP TABLE sample",
        "CREATE TABLE more (id bigint)",
    ],
)
async def test_a_reader_cannot_write(own: Database, sql: str) -> None:
    for way in WAYS:
        with pytest.raises(DRIVER_ERRORS, match=r"read-?only"):
            async with way(own) as reader:
                await reader.fetch_all(sql, {})
    assert await ids(own) == []


async def test_every_way_to_read_returns_the_same_rows(own: Database) -> None:
    await own.write(insert(1))
    for way in WAYS:
        async with way(own) as reader:
            found = await reader.fetch_all("SELECT id FROM sample WHERE id > :id", {"id": 0})
            assert [row["id"] for row in found] == [1]
            assert await reader.fetch_one("SELECT id FROM sample WHERE id > :id", {"id": 1}) is None


async def test_a_long_read_aside_delays_no_other_reads(own: Database) -> None:
    """A cancelled read does not delay them either: its connection is idle before the next use."""
    begun = asyncio.Event()
    logged: list[dict[str, object]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _loop, context: logged.append(context))

    async def count_on() -> None:
        async with own.read(aside=True) as reader:
            begun.set()
            await reader.fetch_all(ENDLESS, {})

    counting = asyncio.create_task(count_on())
    await begun.wait()
    for id in range(20):
        await own.write(insert(id))
        assert len(await ids(own)) == id + 1
    counting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await counting
    assert len(await ids(own)) == 20
    del counting
    gc.collect()  # asyncio logs an error that nothing has looked at when its future goes
    assert logged == []


async def test_a_reader_sees_one_snapshot(own: Database) -> None:
    await own.write(insert(1))
    async with own.read() as connection:
        before = await connection.fetch_all("SELECT id FROM sample", {})
        await own.write(insert(2))
        assert await connection.fetch_all("SELECT id FROM sample", {}) == before
        assert await ids(own) == [1, 2]
    assert await ids(own) == [1, 2]


async def test_a_read_sees_the_writes_before_it(own: Database) -> None:
    for id in range(50):
        await own.write(insert(id))
        assert (await ids(own))[-1] == id


async def test_readers_wait_if_all_connections_are_in_use(own: Database) -> None:
    await own.write(insert(1))
    everyone = asyncio.Barrier(8)  # fewer than a worker has connections; all in use at once

    async def look(number: int) -> list[int]:
        async with own.read() as reader:
            if number < 8:
                await everyone.wait()
            return [row["id"] for row in await reader.fetch_all("SELECT id FROM sample", {})]

    assert await asyncio.gather(*map(look, range(40))) == [[1]] * 40
    assert await asyncio.gather(*(ids(own) for _ in range(40))) == [[1]] * 40


async def test_a_failed_reader_does_not_affect_the_next_one(own: Database) -> None:
    for way in WAYS * 30:  # more than a pool holds
        with pytest.raises(DRIVER_ERRORS):
            async with way(own) as reader:
                await reader.fetch_all("SELECT no_such_column FROM sample", {})
    assert await ids(own) == []


async def test_a_missing_table_is_reported_by_reads_and_writes(own: Database) -> None:
    async def work(tx: Transaction) -> None:
        await tx.execute("UPDATE unicorn SET id = 1", {})

    with pytest.raises(MissingTable, match="unicorn"):
        async with own.read() as connection:
            await connection.fetch_one("SELECT id FROM unicorn", {})
    with pytest.raises(MissingTable, match="unicorn"):
        await own.write(work)


# --- writing --------------------------------------------------------------------------------------


_DOES_WAIT = {
    "sqlite": "SELECT synchronous = 2 AS waits FROM pragma_synchronous",
    "postgres": "SELECT current_setting('synchronous_commit') = 'on' AS waits",
}


async def test_only_durable_writes_of_sqlite_wait_for_the_disk(
    scratch_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_connection, "SYNCHRONOUS", "FULL")  # tests do not wait otherwise
    monkeypatch.setitem(session.WRITER, "synchronous_commit", "on")
    db = await connect(scratch_url)

    async def ask(tx: Transaction) -> bool:
        row = await tx.fetch_one(_DOES_WAIT[tx.dialect], {})
        assert row is not None
        return bool(row["waits"])

    try:
        each = [await db.write(ask, is_durable=is_durable) for is_durable in (True, False, True)]
        assert each == [True, db.dialect == "postgres", True]
        together = (db.write(ask, is_durable=False), db.write(ask, is_durable=True))
        assert (await asyncio.gather(*together))[1]
    finally:
        await db.close()


async def test_a_write_returns_the_result_of_its_work(own: Database) -> None:
    assert await own.write(insert(7)) == 7
    assert await ids(own) == [7]


async def test_a_write_runs_in_the_context_of_its_caller(own: Database) -> None:
    language = ContextVar("language", default="")

    async def work(tx: Transaction) -> str:
        return language.get()

    async def write(chosen: str) -> str:
        language.set(chosen)
        return await own.write(work)

    assert await asyncio.gather(*map(write, ["de", "en", "nl"])) == ["de", "en", "nl"]


async def test_a_failed_write_leaves_no_rows(own: Database) -> None:
    with pytest.raises(Invalid, match="no 1"):
        await own.write(refuse(1))
    assert await ids(own) == []
    assert await own.write(insert(1)) == 1


async def test_a_write_sees_its_own_rows(own: Database) -> None:
    async def work(tx: Transaction) -> int:
        await insert(1)(tx)
        row = await tx.fetch_one("SELECT count(*) AS n FROM sample", {})
        return int(row["n"]) if row else 0

    assert await own.write(work) == 1


async def test_a_failed_write_does_not_affect_others_in_the_same_commit(own: Database) -> None:
    async def hold(tx: Transaction) -> int:
        time.sleep(0.05)  # noqa: ASYNC251 - meanwhile the others queue up behind it
        return await insert(0)(tx)

    jobs = [hold, insert(1), refuse(2), insert(3), insert(1), refuse(4), insert(5)]
    outcomes = await asyncio.gather(*map(own.write, jobs), return_exceptions=True)
    assert [outcomes[n] for n in (0, 3, 6)] == [0, 3, 5]
    assert sorted(type(outcomes[n]).__name__ for n in (2, 5)) == ["Invalid", "Invalid"]
    twins = [outcomes[1], outcomes[4]]
    assert sum(outcome == 1 for outcome in twins) == 1
    assert sum(isinstance(outcome, DRIVER_ERRORS) for outcome in twins) == 1
    assert await ids(own) == [0, 1, 3, 5]


async def test_all_of_many_concurrent_writes_succeed(own: Database) -> None:
    count = SHARED_COMMIT * 2 + 1
    answers = await asyncio.gather(*(own.write(insert(id)) for id in range(count)))
    assert answers == list(range(count))
    assert await ids(own) == answers


async def test_a_cancelled_request_does_not_affect_others(own: Database) -> None:
    impatient = [asyncio.create_task(own.write(insert(id))) for id in range(20)]
    await asyncio.sleep(0)
    for task in impatient:
        task.cancel()
    await asyncio.gather(*impatient, return_exceptions=True)
    assert await own.write(insert(99)) == 99
    assert 99 in await ids(own)


async def test_closing_finishes_the_current_writes(
    backend: str, file_url: str, own: Database
) -> None:
    leaving = await connect(file_url)

    def slow(id: int) -> Work:
        async def work(tx: Transaction) -> int:
            if backend == "postgres":
                await tx.fetch_one("SELECT pg_sleep(0.3)", {})
            else:
                time.sleep(0.05)  # noqa: ASYNC251 - the writer thread has no loop to block
            return await insert(id)(tx)

        return work

    under_way = [asyncio.create_task(leaving.write(slow(id))) for id in range(3)]
    await asyncio.sleep(0.1)  # PostgreSQL's have a connection by now
    await leaving.close()
    assert await asyncio.gather(*under_way) == await ids(own) == [0, 1, 2]


# --- one database only ----------------------------------------------------------------------------


async def test_a_write_that_suspends_is_refused_on_sqlite(backend: str, own: Database) -> None:
    async def work(tx: Transaction) -> int:
        await insert(1)(tx)
        await asyncio.sleep(0)
        return 1

    if backend == "postgres":
        assert await own.write(work) == 1
        return
    with pytest.raises(RuntimeError, match="waited"):
        await own.write(work)
    assert await ids(own) == []


async def test_the_slower_of_two_writes_of_the_same_unique_value_runs_again(
    backend: str, own: Database
) -> None:
    async def work(tx: Transaction) -> str:
        row = await tx.fetch_one("SELECT id FROM sample WHERE id = 1", {})
        if backend == "postgres":  # on SQLite no other write can run between them
            await tx.fetch_one("SELECT pg_sleep(0.1)", {})
        if row:
            return "found"
        await insert(1)(tx)
        return "made"

    assert sorted(await asyncio.gather(own.write(work), own.write(work))) == ["found", "made"]


async def test_a_write_of_an_existing_unique_value_fails_after_some_attempts(
    backend: str, own: Database
) -> None:
    runs = 0

    async def work(tx: Transaction) -> int:
        nonlocal runs
        runs += 1
        await insert(1)(tx)
        return await insert(1)(tx)

    with pytest.raises(DRIVER_ERRORS):
        await own.write(work)
    assert runs == (ATTEMPTS if backend == "postgres" else 1)
    assert await ids(own) == []


async def test_pending_writes_finish_before_sqlite_closes(tmp_path: Path) -> None:
    url = migrated(f"sqlite:///{tmp_path}/masthead.db")
    has_begun, may_go_on = threading.Event(), threading.Event()
    leaving = await connect(url)

    async def first(_tx: Transaction) -> int:
        has_begun.set()
        return int(may_go_on.wait(10))

    async def later(tx: Transaction) -> int:
        return await tx.execute("INSERT INTO lease VALUES ('a', 'b', '2026-01-01', 0)", {})

    writes = [asyncio.create_task(leaving.write(first))]
    await asyncio.to_thread(has_begun.wait, 10)  # so that the following writes wait for it together
    writes.append(asyncio.create_task(leaving.write(later)))
    await asyncio.sleep(0)
    closing = asyncio.create_task(leaving.close())
    await asyncio.sleep(0)
    may_go_on.set()
    await closing
    assert await asyncio.gather(*writes) == [1, 1]


async def test_a_commit_that_fails_on_sqlite_changes_nothing(tmp_path: Path) -> None:
    db = await connect(migrated(f"sqlite:///{tmp_path}/masthead.db"))

    async def orphan(tx: Transaction) -> int:
        await tx.execute("PRAGMA defer_foreign_keys = ON", {})
        return await tx.execute(
            "INSERT INTO account_user VALUES (7, 'x', 'y', '2026-01-01', false, NULL)", {}
        )

    async def count(tx: Transaction) -> int:
        return len(await tx.fetch_all("SELECT user_id FROM account_user", {}))

    with pytest.raises(apsw.ConstraintError):
        await db.write(orphan)
    assert await db.write(count) == 0
    await db.close()
