"""Fill an empty PostgreSQL database in one transaction."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from typing import Any

import asyncpg

from masthead.store.engine.interface import DatabaseError
from masthead.store.engine.moving.lines import Lines, StoredTable, as_bytes
from masthead.store.engine.moving.snapshots import (
    OF_NO_EXTENSION,
    OTHER_PROGRAM,
    POSTGRES_TABLES,
    connect_for_moving,
    describe_accounts,
    tables_from,
)

_LOCK_ID = 7_426_874  # any number, the same in all processes: one copy or restore at a time
# erasures: of the database that a restore replaces; nothing else remembers them until it ends
MARK = """
    CREATE TABLE IF NOT EXISTS unfinished_work (
        work text NOT NULL,
        started_at timestamptz NOT NULL,
        erasures text
    )
"""
_TABLES = f"""
    SELECT c.relname
    FROM pg_class c
    WHERE c.relkind IN ('r', 'p', 'v', 'm') AND c.relnamespace = to_regnamespace(current_schema())
      AND {OF_NO_EXTENSION}
"""  # noqa: S608 - our own condition
_REFERENCES = """
    SELECT CAST(conrelid AS regclass) AS of_table, conname AS name, pg_get_constraintdef(oid) AS sql
    FROM pg_constraint
    WHERE contype = 'f' AND connamespace = to_regnamespace(current_schema())
"""
_INDEXES = """
    SELECT CAST(i.indexrelid AS regclass) AS name, pg_get_indexdef(i.indexrelid) AS sql
    FROM pg_index i
    JOIN pg_class c ON c.oid = i.indexrelid
    LEFT JOIN pg_constraint k ON k.conindid = i.indexrelid
    WHERE k.oid IS NULL AND c.relnamespace = to_regnamespace(current_schema())
"""


@contextlib.asynccontextmanager
async def only_mover(url: str) -> AsyncIterator[Any]:
    """A connection that nobody else moves data with, for the block.

    Raises: DatabaseError if another process copies or restores into the database.
    """
    connection = await connect_for_moving(url)
    try:
        if not await connection.fetchval(f"SELECT pg_try_advisory_lock({_LOCK_ID})"):
            raise DatabaseError("Another copy or restore into this database is running.")
        yield connection
        if not connection.is_closed() and not connection.is_in_transaction():
            # at once: the server notices a terminated connection only later
            await connection.execute(f"SELECT pg_advisory_unlock({_LOCK_ID})")
    finally:
        connection.terminate()


class PostgresTarget:
    """A database that gets all its rows in one transaction."""

    def __init__(self, url: str, connection: Any) -> None:
        self.url, self._connection = url, connection

    @classmethod
    @contextlib.asynccontextmanager
    async def open(
        cls, url: str, migrate: Callable[[str], object]
    ) -> AsyncIterator["PostgresTarget"]:
        """Prepare the database. Raises: DatabaseError if it has data."""
        async with only_mover(url) as connection:
            await _take(connection)
            await asyncio.to_thread(migrate, url)
            target = cls(url, connection)
            await target._begin()
            yield target

    async def _begin(self) -> None:
        """Begin the transaction: it creates indexes after the rows, and checks references last."""
        execute, fetch = self._connection.execute, self._connection.fetch
        await execute("BEGIN; SET LOCAL maintenance_work_mem = '128MB'")
        self._references = await fetch(_REFERENCES)
        for each in self._references:
            await execute(f'ALTER TABLE {each["of_table"]} DROP CONSTRAINT "{each["name"]}"')
        self._indexes = await fetch(_INDEXES)
        for each in self._indexes:
            await execute(f"DROP INDEX {each['name']}")
        await execute(f"TRUNCATE {', '.join(await self.list_tables())}")

    async def list_tables(self) -> dict[str, StoredTable]:
        """Its tables by name."""
        return tables_from(await self._connection.fetch(POSTGRES_TABLES))

    async def write(self, table: StoredTable, lines: Lines) -> None:
        """Write all rows of a table."""

        async def content() -> AsyncIterator[bytes]:
            async for batch in lines:
                yield as_bytes([batch])

        try:
            await self._connection.copy_to_table(
                table.name, source=content(), columns=table.names, format="text"
            )
        except asyncpg.DataError as reason:
            raise DatabaseError(
                f"PostgreSQL cannot store a value of `{table.name}`: {reason}."
            ) from reason

    async def complete(self) -> None:
        """Create the indexes, check the references, and commit."""
        execute = self._connection.execute
        for each in self._indexes:
            await execute(each["sql"])
        try:
            for each in self._references:
                name, sql = each["name"], each["sql"]
                await execute(f'ALTER TABLE {each["of_table"]} ADD CONSTRAINT "{name}" {sql}')
        except asyncpg.ForeignKeyViolationError as reason:
            raise DatabaseError(
                f"Rows of the source refer to rows that are missing: {reason}. Run "
                "`masthead check` on it."
            ) from reason
        await execute("COMMIT")
        await execute("ANALYZE")

    async def publish(self) -> None:
        """Let masthead use the database."""
        await self._connection.execute("DROP TABLE unfinished_work")


async def find_data(connection: Any) -> str:
    """The data of a database that must not be lost, such as "2 accounts"; empty if none."""
    names = {name for (name,) in await connection.fetch(_TABLES)}
    if not names or "unfinished_work" in names:
        return ""
    if "account" not in names:
        return OTHER_PROGRAM
    count = await connection.fetchval("SELECT count(*) FROM account")
    return describe_accounts(count)


async def _take(connection: Any) -> None:
    """Mark an empty database as unfinished. Raises: DatabaseError if it has data."""
    if data := await find_data(connection):
        raise DatabaseError(f"The database has {data}. Create an empty one with `createdb`.")
    async with connection.transaction():
        await connection.execute(MARK)
        await connection.execute("DELETE FROM unfinished_work")
        await connection.execute(
            "INSERT INTO unfinished_work (work, started_at) VALUES ('copy-database', now())"
        )
