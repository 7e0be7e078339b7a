"""The SQLite database: reads on the event loop, and one writer thread with shared commits.

With WAL, readers and the writer do not wait for each other. With `synchronous=FULL`, acknowledged
writes survive a power failure.
"""

import asyncio
import contextlib
import os
import time
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

import apsw

from masthead.metrics.text import Samples, sample
from masthead.model.errors import Unavailable
from masthead.store.engine.interface import (
    Connection,
    DatabaseError,
    Dialect,
    Parameters,
    Row,
    Transaction,
    Work,
    sqlite_path,
)
from masthead.store.engine.sqlite.cleaning import clean_files
from masthead.store.engine.sqlite.connection import SQLiteConnection, open_file, translate_error
from masthead.store.engine.sqlite.files import OpenFiles, require_new
from masthead.store.engine.sqlite.integrity import list_damaged
from masthead.store.engine.sqlite.statistics import restore_statistics
from masthead.store.engine.sqlite.writer import Writer
from masthead.store.engine.write_times import WriteTimes

T = TypeVar("T")

PROBE_SECONDS = 1.0  # for this time a successful write proves that the database is writable
SMALL_BYTES = 200 * 2**20  # of a file that is rewritten by day
ASIDE_THREADS = 2  # for reads that may take long; each needs a connection


def connect(url: str, *, is_command: bool = False) -> "SQLiteDatabase":
    """Open the file of a `sqlite:///` URL. Raises: DatabaseError."""
    path = sqlite_path(url)
    if not path.exists():
        require_new(path)
        raise DatabaseError(
            f"There is no database `{path.absolute()}` yet. If that is the right path (see "
            "`MASTHEAD_DATABASE_URL`), run `masthead migrate` first."
        )
    try:
        return SQLiteDatabase(path, is_command=is_command)
    except (apsw.Error, Unavailable) as reason:
        why = str(reason).rstrip(".")
        if not os.access(path, os.R_OK | os.W_OK):
            why = f"it belongs to `{_owner(path)}`, and this user may not read and write it"
        raise DatabaseError(f"`{path}` cannot be opened: {why}.") from reason


def _owner(path: Path) -> str:
    """The name of the user that a file belongs to, or the number if it has no name."""
    try:
        return path.owner()
    except KeyError:
        return str(path.stat().st_uid)


async def _write_page(tx: Transaction) -> None:
    """Write the first page, with an unused number that SQLite reserves for applications."""
    await tx.execute("PRAGMA user_version = 0", {})


class _ThreadedConnection:
    """A connection whose statements run in a thread, so they do not block the event loop."""

    dialect: Dialect = "sqlite"

    def __init__(self, connection: SQLiteConnection, threads: ThreadPoolExecutor) -> None:
        self._connection, self._threads = connection, threads

    async def fetch_all(self, sql: str, parameters: Parameters) -> list[Row]:
        """All rows, by column name."""
        loop = asyncio.get_running_loop()
        select = self._connection.select
        running = loop.run_in_executor(self._threads, select, sql, parameters)
        try:
            return await asyncio.shield(running)
        except asyncio.CancelledError:
            self._connection.interrupt()
            await asyncio.wait([running])  # so that the connection is idle for its next user
            running.exception()  # asyncio logs it if nothing asks for it
            raise

    async def fetch_one(self, sql: str, parameters: Parameters) -> Row | None:
        """The first row, or None."""
        rows = await self.fetch_all(sql, parameters)
        return rows[0] if rows else None


class SQLiteDatabase:
    """A database in one file."""

    dialect: Dialect = "sqlite"

    def __init__(self, path: Path, *, is_command: bool = False) -> None:
        self._path = Path(os.path.realpath(path))  # SQLite keeps its other files in the same folder
        self._idle: list[SQLiteConnection] = []
        self._threads = ThreadPoolExecutor(ASIDE_THREADS, thread_name_prefix="aside")
        self._files = OpenFiles(path)
        self._writer = Writer(self._path, self._files, is_command=is_command)
        self._probe: asyncio.Future[None] | None = None
        self._probed_at = float("-inf")
        self._opened, self._write_times = 0, WriteTimes()

    def _take(self) -> SQLiteConnection:
        """An idle read-only connection, or a new one."""
        self._files.verify_if_due()
        if self._idle:
            return self._idle.pop()
        try:
            connection = SQLiteConnection(open_file(self._path, read_only=True))
        except apsw.Error as reason:
            raise translate_error(reason) from reason
        self._opened += 1
        return connection

    @property
    def replica(self) -> "SQLiteDatabase":
        """The database itself."""
        return self

    async def fetch_all(self, sql: str, parameters: Parameters) -> list[Row]:
        """All rows of one statement, by column name."""
        connection = self._take()
        try:
            return connection.select(sql, parameters)
        finally:
            self._idle.append(connection)

    async def fetch_one(self, sql: str, parameters: Parameters) -> Row | None:
        """The first row of one statement, or None."""
        rows = await self.fetch_all(sql, parameters)
        return rows[0] if rows else None

    @contextlib.asynccontextmanager
    async def read(
        self, *, aside: bool = False, is_long: bool = False
    ) -> AsyncIterator[Connection]:
        """A read-only connection that sees one snapshot. is_long: implies `aside`."""
        aside = aside or is_long
        connection = self._take()
        try:
            connection.begin()
            yield _ThreadedConnection(connection, self._threads) if aside else connection
        finally:
            connection.rollback()
            self._idle.append(connection)

    async def write(
        self,
        work: Work[T],
        *,
        account_id: int | None = None,
        is_long: bool = False,
        is_durable: bool = True,
    ) -> T:
        """The result of `work`, after its commit, which it may share with other writes.

        account_id, is_long: only for PostgreSQL; here all writes run one after another.
        """
        with self._write_times.counted():
            return await self._writer.write(work, is_durable=is_durable)

    def is_shared(self) -> bool:
        """Whether others have written during long writes within the last second."""
        return self._writer.is_shared()

    async def probe_write(self) -> None:
        """Write one page; probes at the same time or soon after share the write."""
        self._files.verify()
        if self._probe is None or self._probe.done():
            if time.monotonic() - self._probed_at < PROBE_SECONDS:
                return
            self._probe = asyncio.ensure_future(self.write(_write_page))
        await asyncio.shield(self._probe)
        self._probed_at = time.monotonic()

    async def lag(self) -> float | None:
        """None: it is no replica."""
        return None

    def figures(self) -> Samples:
        """The numbers of the connections, the writes and the file."""
        connections = "masthead_database_connections"
        size = free = 0
        with contextlib.suppress(OSError):  # the file was moved away
            size = self._path.stat().st_size
            disk = os.statvfs(self._path)
            free = disk.f_bavail * disk.f_frsize
        return {
            sample(connections, pool="readers", state="idle"): len(self._idle),
            sample(connections, pool="readers", state="used"): self._opened - len(self._idle),
            "masthead_sqlite_database_bytes": size,
            "masthead_sqlite_disk_free_bytes": free,
            **self._writer.figures(),
            **self._write_times.figures(),
        }

    async def list_damaged(self) -> list[str]:
        """The indexes that differ from their tables. Slow, but blocks no other reads and writes."""
        return await asyncio.to_thread(list_damaged, self._path)

    async def restore_statistics(self) -> None:
        """Write the statistics of decision 0094, if another program has replaced them."""
        await asyncio.to_thread(restore_statistics, self._path)

    async def analyze_grown(self) -> None:
        """Do nothing: plans assume many rows from the beginning."""

    async def clean(self) -> None:
        """Rewrite the file without free space, and empty the log."""
        await asyncio.to_thread(clean_files, self._path)

    def is_small(self) -> bool:
        """Whether the file can be rewritten while writes wait."""
        return self._path.stat().st_size <= SMALL_BYTES

    async def close(self) -> None:
        """Finish the waiting writes and close the file."""
        await self._writer.close()
        self._threads.shutdown()
        while self._idle:
            self._idle.pop().close()
