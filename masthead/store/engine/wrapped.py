"""A database around another one, for classes that change some of its methods."""

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import TypeVar, Unpack

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

T = TypeVar("T")


class WrappedDatabase(Database):
    """A database that behaves like the one it wraps. Only the owner of that one closes it."""

    def __init__(self, db: Database) -> None:
        self._db = db

    @property
    def dialect(self) -> Dialect:
        """The SQL dialect of the wrapped database."""
        return self._db.dialect

    @property
    def replica(self) -> Reader:
        """The source for lists, searches and exports."""
        return self._db.replica

    async def fetch_all(self, sql: str, parameters: Parameters) -> list[Row]:
        """All rows, by column name."""
        return await self._db.fetch_all(sql, parameters)

    async def fetch_one(self, sql: str, parameters: Parameters) -> Row | None:
        """The first row, or None."""
        return await self._db.fetch_one(sql, parameters)

    def read(
        self, *, aside: bool = False, is_long: bool = False
    ) -> AbstractAsyncContextManager[Connection]:
        """A read-only connection that sees one snapshot."""
        return self._db.read(aside=aside, is_long=is_long)

    async def write(self, work: Work[T], **options: Unpack[WriteOptions]) -> T:
        """The result of `work`, after its commit."""
        return await self._db.write(work, **options)

    def is_shared(self) -> bool:
        """Whether long writes should be short, so that others need not wait."""
        return self._db.is_shared()

    async def probe_write(self) -> None:
        """Raises: Unavailable if nothing can be written now."""
        await self._db.probe_write()

    async def list_damaged(self) -> list[str]:
        """The indexes that do not match their tables."""
        return await self._db.list_damaged()

    async def lag(self) -> float | None:
        """The lag, if it is a replica."""
        return await self._db.lag()

    def figures(self) -> Mapping[str, float]:
        """The numbers of the wrapped database for the metrics."""
        return self._db.figures()

    async def analyze_grown(self) -> None:
        """As of the database."""
        await self._db.analyze_grown()

    async def restore_statistics(self) -> None:
        """Let the planner assume again what it should."""
        await self._db.restore_statistics()

    async def clean(self) -> None:
        """Remove what was deleted from the files of the database."""
        await self._db.clean()

    def is_small(self) -> bool:
        """Whether `clean` takes a few seconds at most."""
        return self._db.is_small()

    async def close(self) -> None:
        """Do nothing; the owner of the wrapped database closes it."""


class Undurable(WrappedDatabase):
    """A database whose commits do not wait for the disk, for work that is repeated if it is lost.

    The next commit of the wrapped database makes them durable, too.
    """

    async def write(self, work: Work[T], **options: Unpack[WriteOptions]) -> T:
        """The result of `work`, after a commit that a power failure may undo on SQLite."""
        options["is_durable"] = False
        return await self._db.write(work, **options)


class OneTransaction(WrappedDatabase):
    """A database whose reads and writes all belong to one transaction of its caller.

    What is read sees what was written before, and nothing is committed until the caller commits.
    is_long: whether the transaction was begun for statements that may take minutes.
    """

    def __init__(self, db: Database, tx: Transaction, *, is_long: bool) -> None:
        super().__init__(db)
        self._tx, self._is_long = tx, is_long

    @property
    def replica(self) -> Reader:
        """The transaction, as a replica lacks what it has written."""
        return self

    async def fetch_all(self, sql: str, parameters: Parameters) -> list[Row]:
        """All rows, by column name."""
        return await self._tx.fetch_all(sql, parameters)

    async def fetch_one(self, sql: str, parameters: Parameters) -> Row | None:
        """The first row, or None."""
        return await self._tx.fetch_one(sql, parameters)

    def read(
        self, *, aside: bool = False, is_long: bool = False
    ) -> AbstractAsyncContextManager[Connection]:
        """The transaction."""
        return nullcontext(self._tx)

    async def write(self, work: Work[T], **options: Unpack[WriteOptions]) -> T:
        """The result of `work`. The caller commits it, and repeats it after a conflict.

        Raises: RuntimeError if its statements take longer than those of the transaction may.
        """
        if options.get("is_long") and not self._is_long:
            raise RuntimeError("a long write in a transaction that was begun for a short one")
        return await work(self._tx)
