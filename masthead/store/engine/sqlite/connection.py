"""A connection to a SQLite file: how it is opened, how values go in and come out."""

import json
import time
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, cast

import apsw
import structlog

from masthead.model.errors import Unavailable
from masthead.store.engine.interface import (
    DAYS,
    FLAGS,
    LIST,
    Dialect,
    MissingTable,
    Parameters,
    Row,
)
from masthead.store.engine.sqlite.version import require_fixed_engine

log = structlog.get_logger()

BUSY_MILLISECONDS = 10_000
RETRY_SECONDS = 0.01  # before another attempt to switch a new file to WAL
SYNCHRONOUS = "FULL"  # a commit returns once the log is durable
AT_ONCE = 64  # rows of an INSERT
JOURNAL_BYTES = 64 * 2**20  # of log, to which its file shrinks when the log restarts
STATEMENTS = 256  # prepared statements that a connection keeps
VFS: str | None = None  # how SQLite reaches the file system; tests replace it
_UNAVAILABLE = (
    apsw.BusyError,
    apsw.LockedError,
    apsw.ProtocolError,
    apsw.FullError,
    apsw.IOError,
    apsw.CantOpenError,
    apsw.ReadOnlyError,
    apsw.NoMemError,
)
_DAMAGED = (apsw.CorruptError, apsw.NotADBError)


def open_file(path: Path, *, read_only: bool) -> apsw.Connection:
    """Connect to a file that exists; `sqlite_files.create_file` creates one.

    Raises: DatabaseError if this SQLite has a known defect; apsw.Error.
    """
    require_fixed_engine()
    flags = apsw.SQLITE_OPEN_READWRITE
    connection = apsw.Connection(str(path.absolute()), flags, VFS, statementcachesize=STATEMENTS)
    try:
        connection.set_busy_timeout(BUSY_MILLISECONDS)
        # One plan per statement: otherwise STAT4 prepares it again for each new value
        connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, True)
        _switch_to_wal(connection)
        connection.pragma("synchronous", SYNCHRONOUS)
        connection.pragma("foreign_keys", "ON")
        connection.pragma("query_only", read_only)
        connection.wal_autocheckpoint(0)  # `sqlite_checkpoints` does it
        connection.pragma("journal_size_limit", JOURNAL_BYTES)
    except apsw.Error:
        connection.close()
        raise
    return connection


def _switch_to_wal(connection: apsw.Connection) -> None:
    """Use write-ahead logging, which a new file does not use yet.

    SQLite fails at once, without the busy timeout, if two connections switch a file at the same
    time: both have begun to read it, and each waits for the other one to stop.
    """
    deadline = time.monotonic() + BUSY_MILLISECONDS / 1000
    while True:
        try:
            connection.pragma("journal_mode", "WAL")
        except apsw.BusyError:
            if time.monotonic() > deadline:
                raise
            time.sleep(RETRY_SECONDS)
        else:
            return


def error_name(error: Exception) -> str:
    """SQLite's name of an error, as `SQLITE_IOERR_WRITE`; empty if it is not from SQLite."""
    name = apsw.mapping_extended_result_codes.get(getattr(error, "extendedresult", -1))
    return str(name or apsw.mapping_result_codes.get(getattr(error, "result", -1), ""))


def refusal(error: apsw.Error | Unavailable) -> Exception:
    """What a driver's error means to the layers above."""
    if isinstance(error, _UNAVAILABLE):
        log.error("database unavailable", reason=str(error), code=error_name(error))
        return Unavailable("The database is busy or its disk does not answer")
    if isinstance(error, _DAMAGED):
        log.critical("database damaged", reason=str(error), code=error_name(error))
        return Unavailable("The database file is damaged")
    if str(error).startswith("no such table"):
        return MissingTable(str(error))
    return error


@cache
def _spelled(sql: str) -> str:
    return LIST.sub(r"(SELECT value FROM json_each(:\1))", sql)


@lru_cache(maxsize=64)  # rows that are written together have one
def _moment(value: datetime) -> str:
    return value.astimezone(UTC).isoformat(timespec="microseconds")


# How values are stored that SQLite has no type for: days and moments as ISO text, lists as JSON
_STORED: dict[type, Callable[[Any], str]] = {
    date: date.isoformat,
    datetime: _moment,
    list: json.dumps,
}


def _stored(value: Any) -> Any:
    """A value as SQLite takes it."""
    store = _STORED.get(type(value))
    return store(value) if store else value


@cache
def _converted_places(columns: tuple[str, ...]) -> list[int]:
    """Where the columns stand whose values SQLite takes in another form: days and moments."""
    return [place for place, name in enumerate(columns) if name in DAYS or name.endswith("_at")]


@cache
def _inserting(table: str, columns: tuple[str, ...], count: int) -> str:
    """The statement that inserts so many rows."""
    row = f"({', '.join('?' * len(columns))})"
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES {', '.join([row] * count)}"  # noqa: S608 - our own names


def _plain(parameters: Parameters) -> Parameters:
    """Parameters as SQLite takes them; most are so already."""
    if _STORED.keys().isdisjoint(map(type, parameters.values())):
        return parameters
    return {
        name: store(value) if (store := _STORED.get(type(value))) else value
        for name, value in parameters.items()
    }


def _reader_of(column: str) -> Callable[[Any], Any] | None:
    """How a column's values are read, None if as they are."""
    if column in DAYS:
        return date.fromisoformat
    if column in FLAGS:
        return bool
    return datetime.fromisoformat if column.endswith("_at") else None


@cache
def _readers_of(columns: tuple[str, ...]) -> list[tuple[str, Callable[[Any], Any]]]:
    return [(name, read) for name in columns if (read := _reader_of(name))]


class SQLiteConnection:
    """One connection; also the transaction of the writer. Nothing in it ever suspends."""

    dialect: Dialect = "sqlite"

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._names: dict[str, tuple[str, ...]] = {}  # of a statement's columns; slow to ask for

    def require_turn(self, account_id: int) -> None:
        """Nothing to require: the writer thread does one write after another."""

    def begin(self) -> None:
        """Let all statements until `rollback` see one snapshot."""
        self._connection.execute("BEGIN")  # takes no lock yet, so it cannot fail

    def rollback(self) -> None:
        """Release the snapshot; if the disk failed, SQLite has already done so."""
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")

    def interrupt(self) -> None:
        """End a statement that another thread is running."""
        self._connection.interrupt()

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    def _refusal(self, error: apsw.Error) -> Exception:
        """The same as `refusal`; but a write on a read-only connection is a bug in masthead."""
        if isinstance(error, apsw.ReadOnlyError) and self._connection.pragma("query_only"):
            return error
        return refusal(error)

    def select(self, sql: str, parameters: Parameters) -> list[Row]:
        """All rows, by column name, without an event loop."""
        names = self._names.get(sql)
        try:
            cursor = self._connection.execute(_spelled(sql), _plain(parameters))
            if names is None:
                names = self._names[sql] = tuple([each[0] for each in cursor.get_description()])
            found = cursor.fetchall()
        except apsw.ExecutionCompleteError:  # it has no rows, and so no description
            return []
        except apsw.Error as reason:
            raise self._refusal(reason) from reason
        rows: list[dict[str, Any]] = [dict(zip(names, values, strict=True)) for values in found]
        for name, read in _readers_of(names):
            for row in rows:
                if row[name] is not None:
                    row[name] = read(row[name])
        return cast(list[Row], rows)

    async def fetch_all(self, sql: str, parameters: Parameters) -> list[Row]:
        """All rows, by column name."""
        return self.select(sql, parameters)

    async def fetch_one(self, sql: str, parameters: Parameters) -> Row | None:
        """The first row, or None."""
        rows = self.select(sql, parameters)
        return rows[0] if rows else None

    async def execute(self, sql: str, parameters: Parameters) -> int:
        """Run a statement; how many rows it changed."""
        try:
            self._connection.execute(_spelled(sql), _plain(parameters))
            return self._connection.changes()
        except apsw.Error as reason:
            raise self._refusal(reason) from reason

    async def execute_many(self, sql: str, rows: Sequence[Parameters]) -> None:
        """Run a statement once for each row of parameters."""
        try:
            self._connection.executemany(_spelled(sql), map(_plain, rows))
        except apsw.Error as reason:
            raise self._refusal(reason) from reason

    async def insert_rows(self, table: str, rows: Sequence[Row]) -> None:
        """Insert rows that all have the same columns, up to 64 by a statement.

        A statement for each would leave the interpreter to other threads, and wait for it, each
        time.
        """
        done = 0
        while count := min(len(rows) - done, AT_ONCE):
            count = 1 << count.bit_length() - 1  # few sizes, so that few statements are prepared
            columns = tuple(rows[done])
            values = [
                value
                for row in rows[done : done + count]
                for value in map(row.__getitem__, columns)
            ]
            for place in _converted_places(columns):
                for each in range(place, len(values), len(columns)):
                    values[each] = _stored(values[each])
            try:
                self._connection.execute(_inserting(table, columns, count), values)
            except apsw.Error as reason:
                raise self._refusal(reason) from reason
            done += count
