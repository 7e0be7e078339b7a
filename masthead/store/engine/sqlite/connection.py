"""A connection to a SQLite file: its settings, and the conversion of values."""

import time
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, date, datetime
from functools import cache, lru_cache
from itertools import chain, repeat
from operator import itemgetter
from pathlib import Path
from typing import Any, cast

import apsw
import msgspec
import structlog

from masthead.model.errors import Unavailable
from masthead.store.engine.at_end import AtEnd
from masthead.store.engine.interface import (
    BOOLEAN_COLUMNS,
    DATE_COLUMNS,
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
NOT_YET_DURABLE = "NORMAL"  # a later commit, or a checkpoint, makes the log durable
INSERT_ROWS = 64  # rows per INSERT in a server
JOURNAL_BYTES = 64 * 2**20  # size to which the log's file shrinks when the log restarts
CACHED_STATEMENTS = 256  # prepared statements that a connection keeps
VFS: str | None = None  # SQLite's virtual file system; tests replace it
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
    """Open an existing file; `files.create_file` creates one.

    Raises: DatabaseError if this SQLite has a known defect; apsw.Error.
    """
    require_fixed_engine()
    flags = apsw.SQLITE_OPEN_READWRITE
    connection = apsw.Connection(
        str(path.absolute()), flags, VFS, statementcachesize=CACHED_STATEMENTS
    )
    try:
        connection.set_busy_timeout(BUSY_MILLISECONDS)
        # One plan per statement: otherwise STAT4 prepares it again for each new value
        connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, True)
        _switch_to_wal(connection)
        connection.pragma("synchronous", SYNCHRONOUS)
        connection.pragma("foreign_keys", "ON")
        connection.pragma("query_only", read_only)
        connection.wal_autocheckpoint(0)  # see checkpoints.py
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
    """SQLite's name of an error, such as `SQLITE_IOERR_WRITE`; empty for other errors."""
    name = apsw.mapping_extended_result_codes.get(getattr(error, "extendedresult", -1))
    return str(name or apsw.mapping_result_codes.get(getattr(error, "result", -1), ""))


def translate_error(error: apsw.Error | Unavailable) -> Exception:
    """masthead's error for an error of the driver."""
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
def _translate(sql: str) -> str:
    return LIST.sub(r"(SELECT value FROM json_each(:\1))", sql)


@lru_cache(maxsize=64)  # rows that are written together share a few values
def _format_datetime(value: datetime) -> str:
    return value.astimezone(UTC).isoformat(timespec="microseconds")


# Types that SQLite lacks: dates and times are stored as ISO 8601 text, lists as JSON
_ENCODERS: dict[type, Callable[[Any], str]] = {
    date: date.isoformat,
    datetime: _format_datetime,
    list: lambda value: msgspec.json.encode(value).decode(),
}


def _encode(value: Any) -> Any:
    """A value as SQLite stores it."""
    encode = _ENCODERS.get(type(value))
    return encode(value) if encode else value


@cache
def _encoded_positions(columns: tuple[str, ...]) -> list[int]:
    """The positions of the columns whose values are encoded: dates and times."""
    return [
        position
        for position, name in enumerate(columns)
        if name in DATE_COLUMNS or name.endswith("_at")
    ]


@cache
def _values_of(columns: tuple[str, ...]) -> Callable[[Row], Iterable[Any]]:
    """The function that returns the values of a row."""
    return itemgetter(*columns) if len(columns) > 1 else lambda row: (row[columns[0]],)


@cache
def _insert_sql(table: str, columns: tuple[str, ...], count: int) -> str:
    """The statement that inserts `count` rows."""
    row = f"({', '.join('?' * len(columns))})"
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES {', '.join([row] * count)}"  # noqa: S608 - only names from our code


def _encode_all(parameters: Parameters) -> Parameters:
    """Parameters as SQLite stores them; most need no change."""
    if _ENCODERS.keys().isdisjoint(map(type, parameters.values())):
        return parameters
    return {
        name: encode(value) if (encode := _ENCODERS.get(type(value))) else value
        for name, value in parameters.items()
    }


def _decoder_of(column: str) -> Callable[[Any], Any] | None:
    """The function that decodes a column's values; None if they need none."""
    if column in DATE_COLUMNS:
        return date.fromisoformat
    if column in BOOLEAN_COLUMNS:
        return bool
    return datetime.fromisoformat if column.endswith("_at") else None


_Decoders = list[tuple[str, Callable[[Any], Any]]]
_Columns = tuple[tuple[str, ...], _Decoders]  # the names of columns, and how to decode some


def _decoders_of(columns: tuple[str, ...]) -> _Decoders:
    return [(name, decode) for name in columns if (decode := _decoder_of(name))]


class SQLiteConnection:
    """One connection; also the transaction of the writer. Its coroutines never suspend."""

    dialect: Dialect = "sqlite"

    def __init__(self, connection: apsw.Connection, *, insert_rows: int = INSERT_ROWS) -> None:
        """insert_rows: how many rows one INSERT has at most."""
        self._connection, self._insert_rows = connection, insert_rows
        self._columns: dict[str, _Columns] = {}  # by statement
        self.ending = AtEnd()

    def require_turn(self, account_id: int) -> None:
        """Always allowed: the writer thread runs one write after another."""

    def begin(self) -> None:
        """Begin a snapshot, which all statements until `rollback` see."""
        self._connection.execute("BEGIN")  # it takes no lock yet, so it cannot fail

    def rollback(self) -> None:
        """Release the snapshot; if the disk failed, SQLite has already done so."""
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")

    def interrupt(self) -> None:
        """End a statement that another thread is running."""
        self._connection.interrupt()

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def _translate_error(self, error: apsw.Error) -> Exception:
        """Like `translate_error`, but a write on a read-only connection is a bug in masthead."""
        if isinstance(error, apsw.ReadOnlyError) and self._connection.pragma("query_only"):
            return error
        return translate_error(error)

    def select(self, sql: str, parameters: Parameters) -> list[Row]:
        """All rows, by column name; synchronous."""
        known = self._columns.get(sql)
        try:
            cursor = self._connection.execute(_translate(sql), _encode_all(parameters))
            if known is None:
                names = tuple([each[0] for each in cursor.get_description()])
                known = self._columns[sql] = names, _decoders_of(names)
            found = cursor.fetchall()
        except apsw.ExecutionCompleteError:  # it returns no rows and has no description
            return []
        except apsw.Error as reason:
            raise self._translate_error(reason) from reason
        names, decoders = known
        # half of the time of a comprehension; rows always have all columns
        rows: list[dict[str, Any]] = list(map(dict, map(zip, repeat(names), found)))
        for name, decode in decoders:
            for row in rows:
                if row[name] is not None:
                    row[name] = decode(row[name])
        return cast(list[Row], rows)

    async def fetch_all(self, sql: str, parameters: Parameters) -> list[Row]:
        """All rows, by column name."""
        return self.select(sql, parameters)

    async def fetch_one(self, sql: str, parameters: Parameters) -> Row | None:
        """The first row, or None."""
        rows = self.select(sql, parameters)
        return rows[0] if rows else None

    async def execute(self, sql: str, parameters: Parameters) -> int:
        """Run a statement; returns how many rows it changed."""
        try:
            self._connection.execute(_translate(sql), _encode_all(parameters))
            return self._connection.changes()
        except apsw.Error as reason:
            raise self._translate_error(reason) from reason

    async def execute_many(self, sql: str, rows: Sequence[Parameters]) -> None:
        """Run a statement once for each row of parameters."""
        try:
            self._connection.executemany(_translate(sql), map(_encode_all, rows))
        except apsw.Error as reason:
            raise self._translate_error(reason) from reason

    async def insert_rows(
        self, table: str, rows: Sequence[Row], *, has_texts: bool = False
    ) -> None:
        """Insert rows that all have the same columns.

        has_texts: no difference, because SQLite converts the values.
        """
        if not rows:
            return
        columns = tuple(rows[0])
        values = list(chain.from_iterable(map(_values_of(columns), rows)))
        width, done = len(columns), 0
        for position in _encoded_positions(columns):
            column = values[position::width]
            encoded = {value: _encode(value) for value in set(column)}  # few differ
            values[position::width] = map(encoded.__getitem__, column)
        try:
            if self._insert_rows == 1:
                tuples = zip(*[iter(values)] * width, strict=True)
                self._connection.executemany(_insert_sql(table, columns, 1), tuples)
                return
            while count := min(len(rows) - done, self._insert_rows):
                count = 1 << count.bit_length() - 1  # few sizes, so that few are prepared
                some = values[done * width : (done + count) * width]
                self._connection.execute(_insert_sql(table, columns, count), some)
                done += count
        except apsw.Error as reason:
            raise self._translate_error(reason) from reason
