"""SQLite: readers on the event loop, one writer thread that shares commits among requests.

WAL, so that readers and the writer do not wait for one another; `synchronous=FULL`, so that what
was answered survives a power cut.
"""

import asyncio
import contextlib
import json
import sqlite3
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Sequence
from datetime import UTC, date, datetime
from functools import cache
from pathlib import Path
from queue import SimpleQueue
from typing import Any, TypeVar, cast

import structlog

from masthead.model.errors import Unavailable
from masthead.store.connection import (
    DAYS,
    FLAGS,
    LIST,
    DatabaseError,
    MissingTable,
    Parameters,
    Row,
    Work,
    sqlite_path,
)

T = TypeVar("T")
log = structlog.get_logger()

BUSY_MILLISECONDS = 10_000
SHARED_COMMIT = 128  # at most so many requests wait for one COMMIT
_PASSING = ("SQLITE_BUSY", "SQLITE_LOCKED", "SQLITE_FULL", "SQLITE_IOERR", "SQLITE_CANTOPEN")

BEGIN_WRITE = "BEGIN IMMEDIATE"  # takes the write lock first: no other process can come between


def connect(url: str) -> "SQLiteDatabase":
    """The database in the file that the address names. Raises: DatabaseError."""
    path = sqlite_path(url)
    if not path.exists():
        raise DatabaseError(f"There is no database `{path}` yet; run `masthead migrate` first.")
    try:
        return SQLiteDatabase(path)
    except sqlite3.Error as reason:
        raise DatabaseError(f"`{path}` cannot be opened: {reason}.") from reason


def _open(path: Path, *, read_only: bool) -> sqlite3.Connection:
    """A connection to a file that is there: `masthead migrate` alone makes one."""
    address = f"{path.absolute().as_uri()}?mode=rw"
    connection = sqlite3.connect(address, uri=True, isolation_level=None, check_same_thread=False)
    try:
        connection.execute(f"PRAGMA busy_timeout = {BUSY_MILLISECONDS}")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute(f"PRAGMA query_only = {int(read_only)}")
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _refusal(error: sqlite3.Error | Unavailable) -> Exception:
    """What a driver's error means to the layers above."""
    name = getattr(error, "sqlite_errorname", "")
    if name.startswith(_PASSING):
        log.error("database unavailable", reason=str(error), code=name)
        return Unavailable("The database is busy or its disk does not answer")
    if str(error).startswith("no such table"):
        return MissingTable(str(error))
    return error


@cache
def _spelled(sql: str) -> str:
    return LIST.sub(r"(SELECT value FROM json_each(:\1))", sql)


def _moment(value: datetime) -> str:
    return value.astimezone(UTC).isoformat(timespec="microseconds")


# How values are stored that SQLite has no type for: days and moments as ISO text, lists as JSON
_STORED: dict[type, Callable[[Any], str]] = {
    date: date.isoformat,
    datetime: _moment,
    list: json.dumps,
}


def _plain(parameters: Parameters) -> dict[str, object]:
    """Parameters as SQLite takes them."""
    return {
        name: store(value) if (store := _STORED.get(type(value))) else value
        for name, value in parameters.items()
    }


@cache
def _reader_of(column: str) -> Callable[[Any], Any] | None:
    """How a column's values are read, None if as they are."""
    if column in DAYS:
        return date.fromisoformat
    if column in FLAGS:
        return bool
    return datetime.fromisoformat if column.endswith("_at") else None


class SQLiteConnection:
    """One connection; also the transaction of the writer. Nothing in it ever suspends."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def _run(self, sql: str, parameters: Parameters) -> sqlite3.Cursor:
        try:
            return self._connection.execute(_spelled(sql), _plain(parameters))
        except sqlite3.Error as reason:
            raise _refusal(reason) from reason

    def _rows(self, cursor: sqlite3.Cursor) -> Iterator[dict[str, Any]]:
        names = [column[0] for column in cursor.description]
        readers = [(name, read) for name in names if (read := _reader_of(name))]
        for values in cursor.fetchall():
            row = dict(zip(names, values, strict=True))
            for name, read in readers:
                if row[name] is not None:
                    row[name] = read(row[name])
            yield row

    async def fetch_all(self, sql: str, parameters: Parameters) -> list[Row]:
        """All rows, by column name."""
        return list(self._rows(self._run(sql, parameters)))

    async def fetch_one(self, sql: str, parameters: Parameters) -> Row | None:
        """The first row, or None."""
        return next(self._rows(self._run(sql, parameters)), None)

    async def execute(self, sql: str, parameters: Parameters) -> int:
        """Run a statement; how many rows it changed."""
        return self._run(sql, parameters).rowcount

    async def execute_many(self, sql: str, rows: Sequence[Parameters]) -> None:
        """Run a statement once for each row of parameters."""
        try:
            self._connection.executemany(_spelled(sql), map(_plain, rows))
        except sqlite3.Error as reason:
            raise _refusal(reason) from reason

    async def insert_rows(self, table: str, rows: Sequence[Row]) -> None:
        """Insert rows that all have the same columns."""
        if not rows:
            return
        columns = ", ".join(rows[0])
        values = ", ".join(f":{name}" for name in rows[0])
        sql = f"INSERT INTO {table} ({columns}) VALUES ({values})"  # noqa: S608 - our own names
        await self.execute_many(sql, rows)


class _Job:
    """A write that waits for the writer thread, and where its answer goes."""

    def __init__(self, work: Work[Any]) -> None:
        self.work = work
        self.loop = asyncio.get_running_loop()
        self.answer: asyncio.Future[Any] = self.loop.create_future()

    def settle(self, outcome: object, error: BaseException | None) -> None:
        """Answer, from the writer thread."""
        with contextlib.suppress(RuntimeError):  # the loop has closed: nobody waits any more
            self.loop.call_soon_threadsafe(self._settle, outcome, error)

    def _settle(self, outcome: object, error: BaseException | None) -> None:
        if self.answer.done():  # the request was cancelled meanwhile
            return
        if error is None:
            self.answer.set_result(outcome)
        else:
            self.answer.set_exception(error)


def _run_to_end(work: Work[T], transaction: SQLiteConnection) -> T:
    """Run a coroutine that never suspends, without an event loop."""
    coroutine = cast(Coroutine[Any, Any, T], work(transaction))
    try:
        coroutine.send(None)
    except StopIteration as end:
        return cast(T, end.value)
    coroutine.close()
    raise RuntimeError("a write waited for something else than its transaction")


class SQLiteDatabase:
    """A database in one file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._idle: list[sqlite3.Connection] = []
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self._writer = _open(path, read_only=False)
        self._thread = threading.Thread(target=self._write_on, name="writer", daemon=True)
        self._thread.start()

    @contextlib.asynccontextmanager
    async def read(self) -> AsyncIterator[SQLiteConnection]:
        """A read-only connection that sees one snapshot."""
        try:
            connection = self._idle.pop() if self._idle else _open(self._path, read_only=True)
            connection.execute("BEGIN")
        except sqlite3.Error as reason:
            raise _refusal(reason) from reason
        try:
            yield SQLiteConnection(connection)
        finally:
            connection.execute("ROLLBACK")
            self._idle.append(connection)

    async def write(self, work: Work[T]) -> T:
        """What `work` returns, once the commit that it may share with others is done."""
        job = _Job(work)
        self._jobs.put(job)
        return cast(T, await job.answer)

    async def close(self) -> None:
        """Finish the waiting writes and close the file."""
        self._jobs.put(None)
        await asyncio.to_thread(self._thread.join)
        while self._idle:
            self._idle.pop().close()
        self._writer.close()

    def _write_on(self) -> None:
        """The writer thread: batch after batch until `close`."""
        while batch := self._next_batch():
            self._commit_together(batch)

    def _next_batch(self) -> list[_Job]:
        """The jobs that wait for a commit, one at least; none once the database closes."""
        batch: list[_Job] = []
        while (job := self._jobs.get()) is not None:
            batch.append(job)
            if len(batch) == SHARED_COMMIT or self._jobs.empty():
                return batch
        if batch:
            self._jobs.put(None)  # for the next time
        return batch

    def _commit_together(self, batch: list[_Job]) -> None:
        """Run each job in a savepoint of its own, commit once, and only then answer."""
        outcomes: list[tuple[object, BaseException | None]] = []
        try:
            self._writer.execute(BEGIN_WRITE)
            for job in batch:
                outcomes.append(self._attempt(job))  # noqa: PERF401 - the part done counts
            self._writer.execute("COMMIT")
        except (sqlite3.Error, Unavailable) as reason:
            if self._writer.in_transaction:
                with contextlib.suppress(sqlite3.Error):
                    self._writer.execute("ROLLBACK")
            outcomes = [(None, _refusal(reason))] * len(batch)
        for job, (outcome, error) in zip(batch, outcomes, strict=True):
            job.settle(outcome, error)

    def _attempt(self, job: _Job) -> tuple[object, BaseException | None]:
        self._writer.execute("SAVEPOINT job")
        try:
            outcome: object = _run_to_end(job.work, SQLiteConnection(self._writer))
            error = None
        except Exception as raised:
            outcome, error = None, raised
            if not self._writer.in_transaction:  # SQLite gave it up, as on a full disk
                raise Unavailable from raised
            self._writer.execute("ROLLBACK TO job")
        self._writer.execute("RELEASE job")
        return outcome, error
