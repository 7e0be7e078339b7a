"""A database whose statements are spans of OpenTelemetry, if they belong to a span.

Loaded only if traces are on. A span has the text of its statement, which contains no values.
"""

import re
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from functools import cache
from typing import TypeVar, Unpack

from opentelemetry.trace import SpanKind, Status, StatusCode, Tracer, get_current_span

from masthead.metrics.text import Samples
from masthead.store.engine.at_end import AtEnd
from masthead.store.engine.interface import (
    Connection,
    Database,
    Dialect,
    Parameters,
    Reader,
    Row,
    Transaction,
    Work,
    WriteOptions,
)
from masthead.store.engine.wrapped import WrappedDatabase

T = TypeVar("T")

_TABLE = re.compile(r"\b(?:FROM|INTO|UPDATE|JOIN)\s+([a-z_]+)")
_SYSTEMS: dict[Dialect, str] = {"sqlite": "sqlite", "postgres": "postgresql"}


@cache
def _describe(sql: str) -> tuple[str, dict[str, str]]:
    """The name of a span, and its attributes, by OpenTelemetry's conventions."""
    operation = sql.split(None, 1)[0].upper()
    attributes = {"db.query.text": " ".join(sql.split()), "db.operation.name": operation}
    table = _TABLE.search(sql)
    if table is None:
        return operation, attributes
    return f"{operation} {table[1]}", {**attributes, "db.collection.name": table[1]}


class TracedConnection:
    """A connection whose statements are spans."""

    def __init__(self, connection: Connection, tracer: Tracer) -> None:
        self._connection, self._tracer = connection, tracer

    @property
    def dialect(self) -> Dialect:
        """Its SQL dialect."""
        return self._connection.dialect

    @contextmanager
    def _span(self, sql: str) -> Iterator[None]:
        """A span for a statement; none outside of a request, such as in background work."""
        if not get_current_span().is_recording():
            yield
            return
        name, attributes = _describe(sql)
        system = {"db.system.name": _SYSTEMS[self.dialect]}
        with self._tracer.start_as_current_span(
            name,
            kind=SpanKind.CLIENT,
            attributes={**attributes, **system},
            record_exception=False,  # its text may contain values
            set_status_on_exception=False,
        ) as span:
            try:
                yield
            except BaseException as error:
                span.set_attribute("error.type", type(error).__name__)
                span.set_status(Status(StatusCode.ERROR))
                raise

    async def fetch_all(self, sql: str, parameters: Parameters) -> list[Row]:
        """All rows, by column name."""
        with self._span(sql):
            return await self._connection.fetch_all(sql, parameters)

    async def fetch_one(self, sql: str, parameters: Parameters) -> Row | None:
        """The first row, or None."""
        with self._span(sql):
            return await self._connection.fetch_one(sql, parameters)


class TracedTransaction(TracedConnection):
    """A transaction whose statements are spans."""

    def __init__(self, transaction: Transaction, tracer: Tracer) -> None:
        super().__init__(transaction, tracer)
        self._transaction = transaction

    @property
    def ending(self) -> AtEnd:
        """What it does last, before the commit."""
        return self._transaction.ending

    def require_turn(self, account_id: int) -> None:
        """Raises: RuntimeError unless the write was begun for that account."""
        self._transaction.require_turn(account_id)

    async def execute(self, sql: str, parameters: Parameters) -> int:
        """Run a statement; returns how many rows it changed."""
        with self._span(sql):
            return await self._transaction.execute(sql, parameters)

    async def execute_many(self, sql: str, rows: Sequence[Parameters]) -> None:
        """Run a statement once for each row of parameters; one span."""
        with self._span(sql):
            await self._transaction.execute_many(sql, rows)

    async def insert_rows(
        self, table: str, rows: Sequence[Row], *, has_texts: bool = False
    ) -> None:
        """Insert rows that all have the same columns; one span."""
        with self._span(f"INSERT INTO {table}"):
            await self._transaction.insert_rows(table, rows, has_texts=has_texts)


class TracedReader(TracedConnection):
    """A replica, or a database that is only read from."""

    def __init__(self, reader: Reader, tracer: Tracer) -> None:
        super().__init__(reader, tracer)
        self._reader = reader

    @asynccontextmanager
    async def read(
        self, *, aside: bool = False, is_long: bool = False
    ) -> AsyncIterator[Connection]:
        """A read-only connection that sees one snapshot."""
        async with self._reader.read(aside=aside, is_long=is_long) as connection:
            yield TracedConnection(connection, self._tracer)

    async def lag(self) -> float | None:
        """The lag, if it is a replica."""
        return await self._reader.lag()

    def figures(self) -> Samples:
        """The numbers of this process."""
        return self._reader.figures()

    async def close(self) -> None:
        """Finish pending work and close all connections."""
        await self._reader.close()


class TracedDatabase(TracedReader, WrappedDatabase):
    """A database whose statements are spans."""

    def __init__(self, database: Database, tracer: Tracer) -> None:
        TracedReader.__init__(self, database, tracer)
        WrappedDatabase.__init__(self, database)

    @property
    def replica(self) -> Reader:
        """The source for lists, searches and exports."""
        return TracedReader(self._db.replica, self._tracer)

    async def write(self, work: Work[T], **options: Unpack[WriteOptions]) -> T:
        """The result of `work`, after its commit; a span of its own, with those of its attempts."""

        async def traced(tx: Transaction) -> T:
            return await work(TracedTransaction(tx, self._tracer))

        with self._span("COMMIT"):
            return await self._db.write(traced, **options)
