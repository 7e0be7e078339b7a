"""Read a whole database from one snapshot, table by table, in constant memory."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any, Protocol

import apsw

from masthead.store.engine.database import SCHEMA_VERSION, find_misfit, unfinished_error
from masthead.store.engine.interface import (
    DatabaseError,
    Dialect,
    invalid_url_error,
    is_postgres,
    sqlite_path,
)
from masthead.store.engine.moving.errors import named_errors
from masthead.store.engine.moving.lines import BATCH, Lines, StoredTable, encoder_of
from masthead.store.engine.postgres.session import Limits, Server
from masthead.store.engine.sqlite.connection import open_file
from masthead.store.engine.sqlite.files import is_missing

CHUNK = 256 * 1024  # bytes of COPY that are passed on together
WAITING = 4  # chunks that wait for their reader
UNLIMITED = 86_400.0  # seconds; a statement may take long, but not for ever
SESSION = {
    "statement_timeout": "0",
    "idle_in_transaction_session_timeout": "0",
    "tcp_user_timeout": "60000",
    "timezone": "UTC",
    "bytea_output": "hex",
}
OTHER_PROGRAM = "tables of another program"  # what an unusable target has
OWN = {
    "alembic_version",
    "schema_support",
    "unfinished_distribution",
    "unfinished_work",
}  # tables that say something about their database
_TYPES = {"int": "bigint", "integer": "bigint", "timestamp with time zone": "timestamptz"}
_POSTGRES_VALUES = {
    "boolean": "CAST({name} AS integer)",
    "timestamptz": """to_char({name}, 'YYYY-MM-DD"T"HH24:MI:SS.US"+00:00"')""",
}
# Not the tables and views of an extension, such as those of Citus
OF_NO_EXTENSION = """
    NOT EXISTS (
        SELECT 1
        FROM pg_depend d
        WHERE d.classid = CAST('pg_class' AS regclass) AND d.objid = c.oid AND d.deptype = 'e'
    )
"""
POSTGRES_TABLES = f"""
    SELECT c.relname, a.attname, format_type(a.atttypid, NULL)
    FROM pg_class c
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    WHERE c.relkind IN ('r', 'p') AND c.relnamespace = to_regnamespace(current_schema())
      AND {OF_NO_EXTENSION}
"""  # noqa: S608 - our own condition
SQLITE_TABLES = """
    SELECT t.name, c.name, c.type
    FROM pragma_table_list AS t, pragma_table_info(t.name) AS c
    WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite_%'
"""


def describe_accounts(count: int) -> str:
    """The accounts of a target, such as "2 accounts"; empty if it has none."""
    return f"{count} account{'' if count == 1 else 's'}" if count else ""


class Snapshot(Protocol):
    """A database as it is at one moment."""

    @property
    def dialect(self) -> Dialect:
        """Its engine."""
        ...

    async def select(self, sql: str) -> list[Any]:
        """All rows of a statement without parameters; their columns by position."""
        ...

    async def list_tables(self) -> dict[str, StoredTable]:
        """Its tables by name, without those about the database itself."""
        ...

    def read(self, table: StoredTable) -> Lines:
        """All rows of a table."""
        ...


def tables_from(rows: list[Any]) -> dict[str, StoredTable]:
    """The tables by name, from rows with the name of a table, a column and its type."""
    columns: dict[str, dict[str, str]] = {}
    for table, name, type in rows:
        if table not in OWN:
            columns.setdefault(table, {})[name] = _TYPES.get(type.lower(), type.lower())
    return {
        name: StoredTable(name, tuple(sorted(found.items()))) for name, found in columns.items()
    }


class SQLiteSnapshot:
    """A snapshot of a SQLite file."""

    dialect: Dialect = "sqlite"

    def __init__(self, connection: apsw.Connection, url: str) -> None:
        self.connection, self._url = connection, url
        connection.execute("BEGIN")
        connection.execute("SELECT 1 FROM sqlite_schema").fetchall()  # BEGIN alone takes none

    async def select(self, sql: str) -> list[Any]:
        """All rows of a statement."""
        return self.connection.execute(sql).fetchall()

    async def list_tables(self) -> dict[str, StoredTable]:
        """Its tables by name."""
        return tables_from(await self.select(SQLITE_TABLES))

    async def read(self, table: StoredTable) -> Lines:
        """All rows of a table."""
        encode, names = encoder_of(table), ", ".join(table.names)
        with named_errors(self._url):
            cursor = self.connection.execute(f"SELECT {names} FROM {table.name}")  # noqa: S608 - names of the schema
            for rows in _in_batches(cursor):
                yield encode(rows)


def _in_batches(cursor: Iterator[Any]) -> Iterator[list[Any]]:
    batch = []
    for row in cursor:
        batch.append(row)
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


class PostgresSnapshot:
    """A snapshot of a PostgreSQL database."""

    dialect: Dialect = "postgres"

    def __init__(self, connection: Any, url: str) -> None:
        self.connection, self._url = connection, url

    async def select(self, sql: str) -> list[Any]:
        """All rows of a statement."""
        rows: list[Any] = await self.connection.fetch(sql)
        return rows

    async def list_tables(self) -> dict[str, StoredTable]:
        """Its tables by name."""
        return tables_from(await self.select(POSTGRES_TABLES))

    async def read(self, table: StoredTable) -> Lines:
        """All rows of a table."""
        values = ", ".join(
            _POSTGRES_VALUES.get(type, "{name}").format(name=name) for name, type in table.columns
        )
        chunks: asyncio.Queue[bytes | None] = asyncio.Queue(WAITING)
        waiting = bytearray()

        async def receive(data: bytes) -> None:
            waiting.extend(data)
            if len(waiting) >= CHUNK:
                await chunks.put(bytes(waiting))
                waiting.clear()

        async def copy() -> None:
            sql = f"SELECT {values} FROM {table.name}"  # noqa: S608 - names of the schema
            try:
                await self.connection.copy_from_query(sql, output=receive)
                await chunks.put(bytes(waiting))
            finally:
                await chunks.put(None)

        copying = asyncio.create_task(copy())
        try:
            rest = b""
            while (chunk := await chunks.get()) is not None:
                whole, _, rest = (rest + chunk).rpartition(b"\n")
                if whole:
                    yield whole.decode().split("\n")
            with named_errors(self._url):
                await copying
        finally:
            if not copying.done():
                copying.cancel()
                self.connection.terminate()


async def connect_for_moving(url: str) -> Any:
    """A connection to PostgreSQL without time limits. Raises: DatabaseError; errors of asyncpg."""
    try:
        return await Server(url, Limits(statement=UNLIMITED), SESSION).connect()
    except ValueError:  # its text quotes parts of the URL, which may be the password
        raise invalid_url_error() from None


@contextlib.asynccontextmanager
async def open_snapshot(url: str) -> AsyncIterator[Snapshot]:
    """Open a snapshot of the database of a URL. Raises: DatabaseError.

    It takes no lock that a write waits for. On SQLite, the log grows while it is open.
    """
    with named_errors(url):
        if is_postgres(url):
            connection = await connect_for_moving(url)
            try:
                await connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
                yield PostgresSnapshot(connection, url)
            finally:
                connection.terminate()
            return
        path = sqlite_path(url)
        if is_missing(path):
            raise DatabaseError(f"There is no database `{path}`.")
        with contextlib.closing(open_file(Path(path), read_only=True)) as file:
            yield SQLiteSnapshot(file, url)


_HAS_TABLE: dict[Dialect, str] = {
    "sqlite": "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = '{name}'",
    "postgres": "SELECT 1 WHERE to_regclass('{name}') IS NOT NULL",
}


async def has_table(snapshot: Snapshot, name: str) -> bool:
    """Whether the database has a table."""
    return bool(await snapshot.select(_HAS_TABLE[snapshot.dialect].format(name=name)))


async def version_of(snapshot: Snapshot) -> str:
    """The version of the schema; empty without tables."""
    if not await has_table(snapshot, "alembic_version"):
        return ""
    rows = await snapshot.select("SELECT version_num FROM alembic_version")
    return str(rows[0][0]) if rows else ""


async def oldest_user_of(snapshot: Snapshot, version: str) -> str:
    """The oldest masthead that can use this version of the schema; empty if it does not say."""
    if not await has_table(snapshot, "schema_support"):
        return ""
    rows = await snapshot.select("SELECT version, oldest_user FROM schema_support")
    return str(dict(rows).get(version, ""))


async def require_usable(snapshot: Snapshot, *, needs_own_version: bool = True) -> None:
    """Raises: DatabaseError unless the database is whole, and this masthead can use it.

    needs_own_version: whether the schema must be the one that this masthead creates.
    """
    if await has_table(snapshot, "unfinished_work"):
        raise unfinished_error((await snapshot.select("SELECT work FROM unfinished_work"))[0][0])
    version = await version_of(snapshot)
    if not needs_own_version:
        if misfit := find_misfit(version, await oldest_user_of(snapshot, version)):
            raise DatabaseError(misfit)
    elif version != SCHEMA_VERSION:
        how = "older: run `masthead migrate` first" if version < SCHEMA_VERSION else "newer"
        raise DatabaseError(
            f"The database has version {version or 'none'}, this masthead {SCHEMA_VERSION}. "
            f"It is {how}."
        )


async def sum_writes(snapshot: Snapshot) -> int:
    """The number of writes of all its accounts; it grows with each one."""
    return int((await snapshot.select("SELECT coalesce(sum(writes), 0) FROM account_state"))[0][0])
