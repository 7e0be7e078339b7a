"""Conflicts with other work on the server, such as a rebalance of Citus, pass by themselves."""

import asyncpg
import pytest
from structlog.testing import capture_logs

from masthead.background.worker import Background
from masthead.model.emails import Site
from masthead.model.errors import Busy
from masthead.services.key_usage import KeyUsage
from masthead.store.engine.interface import Database, Transaction
from masthead.store.engine.postgres.database import ATTEMPTS
from masthead.store.engine.refused_rows import REFUSED_ROWS
from tests.support import citus
from tests.support.databases import opened, opened_connection

DEADLOCK = "DO $$ BEGIN RAISE deadlock_detected; END $$"
INTERNAL = "DO $$ BEGIN RAISE '{}' USING ERRCODE = 'XX000'; END $$"
DISTRIBUTED = "canceling the transaction since it was involved in a distributed deadlock"


@pytest.fixture
def postgres_url(backend: str, scratch_url: str) -> str:
    """A migrated PostgreSQL database."""
    if backend == "sqlite":
        pytest.skip("SQLite has one writer, and one machine")
    return scratch_url


async def fail(db: Database, statement: str, *, times: int) -> int:
    """The attempt of a write that succeeded, after some in which a statement failed."""
    attempts = 0

    async def work(tx: Transaction) -> int:
        nonlocal attempts
        attempts += 1
        if attempts <= times:
            await tx.execute(statement, {})
        return attempts

    return await db.write(work)


async def test_a_read_that_is_ended_by_a_deadlock_is_busy(postgres_url: str) -> None:
    async with opened(postgres_url) as db:
        with pytest.raises(Busy):
            await db.fetch_all(DEADLOCK, {})
        with pytest.raises(Busy):
            async with db.read() as connection:
                await connection.fetch_all(DEADLOCK, {})
        assert await db.fetch_all("SELECT 1 AS one", {})


async def test_a_write_that_always_ends_in_a_deadlock_is_busy(postgres_url: str) -> None:
    async with opened(postgres_url) as db:
        assert await fail(db, DEADLOCK, times=ATTEMPTS - 1) == ATTEMPTS
        with pytest.raises(Busy):
            await fail(db, DEADLOCK, times=ATTEMPTS)


@pytest.mark.parametrize(
    "text",
    [
        "canceling statement due to lock timeout",
        "deadlock detected",
        DISTRIBUTED,
        'duplicate key value violates unique constraint "copy_pk_102008"',
    ],
)
async def test_a_write_that_a_node_of_citus_refuses_by_a_text_is_tried_again(
    postgres_url: str, text: str
) -> None:
    async with opened(postgres_url) as db:
        assert await fail(db, INTERNAL.format(text), times=1) == 2


@pytest.mark.parametrize("kind", ["check", "foreign key", "not-null"])
async def test_a_row_that_a_node_of_citus_refuses_by_a_text_is_refused(
    postgres_url: str, kind: str
) -> None:
    async with opened(postgres_url) as db:
        with pytest.raises(REFUSED_ROWS, match="violates"):
            await fail(db, INTERNAL.format(f"the row violates {kind} constraint"), times=1)


async def test_any_other_internal_error_is_no_conflict(postgres_url: str) -> None:
    async with opened(postgres_url) as db:
        with pytest.raises(asyncpg.InternalServerError, match="cache lookup failed"):
            await fail(db, INTERNAL.format("cache lookup failed"), times=1)


async def test_citus_itself_says_by_a_text_that_a_row_is_there(postgres_url: str) -> None:
    """On Citus, `insert_rows` copies the rows to their node."""
    if not citus.has(postgres_url):
        pytest.skip("this is not Citus")
    rows = [{"account_id": 1, "key": "a"}]

    async def insert(tx: Transaction) -> None:
        await tx.insert_rows("conflict", rows)

    async with opened_connection(postgres_url) as other:
        await other.execute("CREATE TABLE conflict (account_id bigint, key text)")
        await other.execute("ALTER TABLE conflict ADD PRIMARY KEY (account_id, key)")
        await other.execute("SELECT create_distributed_table('conflict', 'account_id')")
    async with opened(postgres_url) as db:
        await db.write(insert)
        with pytest.raises(asyncpg.UniqueViolationError):
            await db.write(insert)


async def test_background_work_waits_for_a_deadlock(postgres_url: str) -> None:
    async with opened(postgres_url) as db:
        worker = Background(
            db,
            KeyUsage(),
            mailer=None,
            mail_from="",
            database_url="",
            site=Site("https://masthead.test", "masthead.test"),
        )

        async def work() -> bool:
            return bool(await db.fetch_all(DEADLOCK, {}))

        with capture_logs() as logs:
            assert await worker._attempt("webhooks", work) is False
    assert [(each["event"], each["log_level"]) for each in logs] == [
        ("background work waits", "warning")
    ]
