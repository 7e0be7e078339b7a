"""PostgreSQL by asyncpg: pooled connections, snapshots to read, transactions that run again."""

import contextlib
import re
from collections.abc import AsyncIterator, Sequence
from datetime import date
from functools import cache
from typing import Any, TypeVar

import asyncpg
import msgspec
import structlog

from masthead.model.errors import Unavailable
from masthead.store.connection import (
    LIST,
    WORDS,
    DatabaseError,
    Dialect,
    MissingTable,
    Parameters,
    Row,
    Work,
    unreadable_address,
)
from masthead.store.postgres_pool import Pool

T = TypeVar("T")
log = structlog.get_logger()

READERS = 10  # connections of a worker, at most
WRITERS = 6
ATTEMPTS = 8
_FIRST_DAY = date(2000, 1, 1).toordinal()  # from which PostgreSQL counts days
_PARAMETER = re.compile(r"(?<!:):([a-z]\w*)")
_AGAIN = (
    asyncpg.DeadlockDetectedError,
    asyncpg.SerializationError,
    asyncpg.UniqueViolationError,  # another was faster: the second run sees what it did
)
_GONE = (
    OSError,
    TimeoutError,
    asyncpg.PostgresConnectionError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,  # the server's goodbye came while we began to speak
    asyncpg.OperatorInterventionError,
    asyncpg.InsufficientResourcesError,
    # what a new connection meets while the database is closed, gone or no longer ours
    asyncpg.ObjectNotInPrerequisiteStateError,
    asyncpg.InvalidCatalogNameError,
    asyncpg.InvalidAuthorizationSpecificationError,
)


# What a session is told; a reader's refuses to write, even outside of a transaction, and goes by
# indexes: a plan made while a table is empty, as `subscription_change` mostly is, would walk it
SESSION = {"jit": "off", "random_page_cost": "1.1", "datestyle": "ISO"}
READER = {
    "default_transaction_read_only": "on",
    "enable_seqscan": "off",
    # one plan for all values: to plan a page for its own takes as long as to read it
    "plan_cache_mode": "force_generic_plan",
}

# What may take long is planned for its values, and may walk a table
ASIDE = "SET LOCAL plan_cache_mode = force_custom_plan; SET LOCAL enable_seqscan = on"


async def connect(url: str) -> "PostgresDatabase":
    """The database that the address names. Raises: DatabaseError."""
    try:
        readers = await Pool.open(url, READERS, {**SESSION, **READER}, _take_days_literally)
        writers = await Pool.open(url, WRITERS, SESSION, _take_days_literally)
    except ValueError:  # quotes parts of the address, which may be those of the password
        raise unreadable_address() from None
    except (*_GONE, asyncpg.PostgresError) as reason:
        raise DatabaseError(f"PostgreSQL cannot be reached: {reason}") from reason
    return PostgresDatabase(readers, writers)


async def _take_days_literally(connection: Any) -> None:
    """Write the calendar's last day as it is; the driver by itself makes it `infinity`."""
    await connection.set_type_codec(
        "date",
        schema="pg_catalog",
        encoder=lambda day: (day.toordinal() - _FIRST_DAY).to_bytes(4, "big", signed=True),
        decoder=lambda data: date.fromordinal(
            int.from_bytes(data, "big", signed=True) + _FIRST_DAY
        ),
        format="binary",
    )


@cache
def _spelled(sql: str) -> tuple[str, tuple[str, ...]]:
    """The statement with numbered parameters, and their names in that order."""
    names: list[str] = []

    def number(name: str) -> str:
        if name not in names:
            names.append(name)
        return f"${names.index(name) + 1}"

    def spread(match: re.Match[str]) -> str:
        value = f"CAST(value AS {match[2]})" if match[2] else "value"
        rows = f"json_array_elements_text(CAST({number(match[1])} AS json))"
        return f"(SELECT {value} FROM {rows} AS listed(value))"  # noqa: S608 - our own names

    for word, meaning in WORDS.items():
        sql = sql.replace(word, meaning)
    text = _PARAMETER.sub(lambda match: number(match[1]), LIST.sub(spread, sql))
    return text, tuple(names)


def _bound(parameters: Parameters, names: tuple[str, ...]) -> list[object]:
    values = (parameters[name] for name in names)
    return [
        msgspec.json.encode(value).decode() if isinstance(value, list) else value
        for value in values
    ]


class PostgresConnection:
    """A pooled connection inside a transaction."""

    dialect: Dialect = "postgres"

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    async def fetch_all(self, sql: str, parameters: Parameters) -> list[Row]:
        """All rows, by column name."""
        text, names = _spelled(sql)
        return list(await self._connection.fetch(text, *_bound(parameters, names)))

    async def fetch_one(self, sql: str, parameters: Parameters) -> Row | None:
        """The first row, or None."""
        text, names = _spelled(sql)
        row: Row | None = await self._connection.fetchrow(text, *_bound(parameters, names))
        return row

    async def execute(self, sql: str, parameters: Parameters) -> int:
        """Run a statement; how many rows it changed."""
        text, names = _spelled(sql)
        tag: str = await self._connection.execute(text, *_bound(parameters, names))
        return int(tag.rpartition(" ")[2])

    async def execute_many(self, sql: str, rows: Sequence[Parameters]) -> None:
        """Run a statement once for each row of parameters, in one round trip."""
        text, names = _spelled(sql)
        await self._connection.executemany(text, [_bound(row, names) for row in rows])

    async def insert_rows(self, table: str, rows: Sequence[Row]) -> None:
        """Insert rows that all have the same columns: one statement, the rows as one JSON text."""
        if not rows:
            return
        columns = ", ".join(rows[0])
        await self._connection.execute(
            f"INSERT INTO {table} ({columns}) SELECT {columns}"  # noqa: S608 - our own names
            f" FROM json_populate_recordset(CAST(NULL AS {table}), CAST($1 AS json))",
            msgspec.json.encode(rows).decode(),
        )


class PostgresDatabase:
    """A database on a PostgreSQL server."""

    dialect: Dialect = "postgres"

    def __init__(self, readers: Any, writers: Any) -> None:
        self._readers, self._writers = readers, writers

    async def fetch_all(self, sql: str, parameters: Parameters) -> list[Row]:
        """All rows of one statement, by column name; one round trip."""
        with _translated():
            async with self._readers.lend() as connection:
                return await PostgresConnection(connection).fetch_all(sql, parameters)

    async def fetch_one(self, sql: str, parameters: Parameters) -> Row | None:
        """The first row of one statement, or None; one round trip."""
        rows = await self.fetch_all(sql, parameters)
        return rows[0] if rows else None

    @contextlib.asynccontextmanager
    async def read(self, *, aside: bool = False) -> AsyncIterator[PostgresConnection]:
        """A read-only connection that sees one snapshot; it is always aside."""
        with _translated():
            async with (
                self._readers.lend() as connection,
                connection.transaction(isolation="repeatable_read", readonly=True),
            ):
                if aside:
                    await connection.execute(ASIDE)
                yield PostgresConnection(connection)

    async def write(self, work: Work[T]) -> T:
        """What `work` returns, once it is committed; it runs again when it lost a race."""
        with _translated():
            for _ in range(ATTEMPTS - 1):
                with contextlib.suppress(*_AGAIN):
                    return await self._attempt(work)
            return await self._attempt(work)

    async def _attempt(self, work: Work[T]) -> T:
        async with (
            self._writers.lend() as connection,
            connection.transaction(),
        ):
            return await work(PostgresConnection(connection))

    async def list_damaged(self) -> list[str]:
        """None: PostgreSQL keeps its indexes right by itself."""
        return []

    async def close(self) -> None:
        """Finish what is under way and let go of the connections."""
        await self._readers.close()
        await self._writers.close()


@contextlib.contextmanager
def _translated() -> Any:
    """Turn the driver's errors into the words of the layers above."""
    try:
        yield
    except asyncpg.UndefinedTableError as reason:
        raise MissingTable(str(reason)) from reason
    except _GONE as reason:
        log.error("database unavailable", reason=str(reason))
        raise Unavailable from reason
