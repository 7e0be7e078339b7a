"""Fixtures: a database for each file of tests, with a table `sample` that each test gets empty."""

from collections.abc import AsyncIterator, Callable

import pytest

from masthead.store.engine.database import connect
from masthead.store.engine.interface import Database, Transaction

SAMPLE = """
CREATE TABLE sample (
    id bigint PRIMARY KEY,
    name text,
    is_active boolean,
    order_date date,
    created_at timestamptz
)
"""


async def execute(db: Database, sql: str) -> None:
    """Run a statement that no service uses."""

    async def work(tx: Transaction) -> None:
        await tx.execute_many(sql, [{}])

    await db.write(work, is_long=True)


@pytest.fixture(scope="module")
def file_url(migrated_database: Callable[[], str]) -> str:
    """The address of a database for the tests of one file."""
    return migrated_database()


@pytest.fixture(scope="module")
async def with_sample(file_url: str) -> AsyncIterator[Database]:
    """That database, open, with the table `sample`."""
    database = await connect(file_url)
    await execute(database, SAMPLE)
    yield database
    await database.close()


@pytest.fixture
async def own(with_sample: Database) -> Database:
    """The same, with no rows in the table."""
    await execute(with_sample, "DELETE FROM sample")
    return with_sample
