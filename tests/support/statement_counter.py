"""A database that records the statements of its writes, and of its reads."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from masthead.store.engine.interface import Connection, Database, Parameters, Row, Transaction, Work
from tests.support.watched_transaction import WatchedTransaction

T = TypeVar("T")


class StatementCounter:
    """A database that records statements, in order.

    statements: those of all writes. reads: those of `read`.
    """

    def __init__(self, db: Database) -> None:
        self._db, self.statements, self.reads = db, list[str](), list[str]()

    async def write(self, work: Work[T], **options: Any) -> T:
        """The result of `work`. A statement that runs for many rows is recorded once per row."""

        async def recorded(tx: Transaction) -> T:
            return await work(_RecordingTransaction(tx, self.statements))

        return await self._db.write(recorded, **options)

    @asynccontextmanager
    async def read(self, **options: Any) -> AsyncIterator[Connection]:
        """A connection whose statements are recorded, too."""
        async with self._db.read(**options) as connection:
            yield _RecordingTransaction(connection, self.reads)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._db, name)


class _RecordingTransaction(WatchedTransaction):
    def __init__(self, tx: Connection, statements: list[str]) -> None:
        super().__init__(tx)
        self._statements = statements

    async def before(self, sql: str, parameters: Parameters) -> None:
        self._statements.append(sql)

    async def insert_rows(
        self, table: str, rows: Sequence[Row], *, has_texts: bool = False
    ) -> None:
        self._statements.append(f"INSERT INTO {table}")  # once for all rows
        await self._tx.insert_rows(table, rows, has_texts=has_texts)
