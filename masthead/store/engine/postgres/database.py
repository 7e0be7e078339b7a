"""The PostgreSQL database: pooled connections, read snapshots, and transactions with retries."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator
from typing import Any, TypeVar

import asyncpg
import structlog

from masthead.metrics.text import Samples
from masthead.model.errors import Busy, Unavailable
from masthead.store.engine.at_end import run_to_end
from masthead.store.engine.interface import (
    DatabaseError,
    Dialect,
    MissingTable,
    Parameters,
    Reader,
    Row,
    Work,
    invalid_url_error,
)
from masthead.store.engine.postgres import maintenance
from masthead.store.engine.postgres.connection import (
    ForeignError,
    PostgresConnection,
    foreign_errors,
)
from masthead.store.engine.postgres.errors import (
    BROKEN,
    CONFLICTS,
    CONNECTION_LOST,
    READ_ONLY,
    RETRIED,
    is_broken,
)
from masthead.store.engine.postgres.pool import Pool
from masthead.store.engine.postgres.session import (
    LOCK_MILLISECONDS,
    LONG_SECONDS,
    PLAN_ONCE,
    PROBE,
    READER,
    SET_ON_ALL_NODES,
    WRITER,
    Limits,
    Server,
    begin_read,
    name_servers,
    statement_timeout,
)
from masthead.store.engine.postgres.write_queue import WRITERS, Turn, WriteQueue
from masthead.store.engine.write_times import WriteTimes

T = TypeVar("T")
log = structlog.get_logger()

READERS = 10  # connections of a worker, at most; see write_queue for WRITERS
PROBES = 1
ATTEMPTS = 8
RETRY_SECONDS = 0.02  # before a write tries again to take a lock of another process

# Again, as the session's own does not reach the nodes of Citus, where the rows are
BEGIN_WRITE = f"BEGIN; SET LOCAL lock_timeout = {LOCK_MILLISECONDS}"


async def connect(url: str, limits: Limits) -> "PostgresDatabase":
    """Open the database of a URL. Raises: DatabaseError."""
    try:
        database = PostgresDatabase(url, limits)
        await database.open()
    except ValueError:  # its text quotes parts of the URL, which may be the password
        raise invalid_url_error() from None
    except (*BROKEN, asyncpg.PostgresError) as reason:
        servers = name_servers(url)
        place = f" at `{servers}`" if servers else ""
        raise DatabaseError(f"PostgreSQL{place} cannot be reached: {_message(reason)}") from reason
    return database


def _message(reason: Exception) -> str:
    """The text of an error; some have only a name."""
    return str(reason) or type(reason).__name__


class PostgresDatabase:
    """A database on a PostgreSQL server."""

    dialect: Dialect = "postgres"

    def __init__(self, url: str, limits: Limits) -> None:
        def pool(settings: dict[str, str], size: int, begin: str = "") -> Pool:
            server = Server(url, limits, settings, begin)
            return Pool(server.connect, size, wait=limits.statement, is_broken=is_broken)

        self._servers = name_servers(url)
        self._limits, self._queue = limits, WriteQueue(limits.lock)
        self._readers = pool(READER, READERS, PLAN_ONCE)
        self._writers = pool(WRITER, WRITERS, SET_ON_ALL_NODES)
        self._probes = pool(WRITER, PROBES, SET_ON_ALL_NODES)
        self._pools = self._readers, self._writers, self._probes
        self._write_times = WriteTimes()
        self.replica: Reader = self

    async def open(self) -> None:
        """Open the first connections. Raises: errors of asyncpg and of the network."""
        try:
            await self._readers.open()
            await self._writers.open()
        except BaseException:  # even if it is cancelled between the two
            await self.close()
            raise

    async def fetch_all(self, sql: str, parameters: Parameters) -> list[Row]:
        """All rows of one statement, by column name; one round trip."""
        with self._translated():
            async with self._readers.acquire() as connection:
                return await PostgresConnection(connection).fetch_all(sql, parameters)

    async def fetch_one(self, sql: str, parameters: Parameters) -> Row | None:
        """The first row of one statement, or None; one round trip."""
        rows = await self.fetch_all(sql, parameters)
        return rows[0] if rows else None

    @contextlib.asynccontextmanager
    async def read(
        self, *, aside: bool = False, is_long: bool = False
    ) -> AsyncIterator[PostgresConnection]:
        """A read-only connection that sees one snapshot; it never blocks the event loop."""
        begin, seconds = begin_read(self._limits, aside=aside, is_long=is_long)
        with self._translated():
            async with (
                self._readers.acquire() as connection,
                transaction(connection, begin, seconds),
            ):
                with foreign_errors:
                    yield PostgresConnection(connection, seconds)

    async def write(
        self,
        work: Work[T],
        *,
        account_id: int | None = None,
        is_long: bool = False,
        is_durable: bool = True,
    ) -> T:
        """The result of `work` after its durable commit; it runs again after a conflict."""
        with self._translated(READ_ONLY), self._write_times.counted():
            async with self._queue.turn(account_id) as (turn, until):
                return await self._write(work, turn, until, is_long=is_long)

    async def _write(self, work: Work[T], turn: Turn, until: float, *, is_long: bool) -> T:
        """Run `work` until it is committed. It holds no connection between two attempts."""
        attempts, loop = 0, asyncio.get_running_loop()
        while True:
            try:
                async with self._queue.share(turn, until):
                    outcome = await self._attempt(work, turn.account_id, is_long=is_long)
            except asyncpg.LockNotAvailableError as reason:
                if loop.time() > until:
                    raise Busy from reason
                turn.is_blocked = True
                await asyncio.sleep(RETRY_SECONDS)
            except RETRIED:
                attempts += 1
                if attempts == ATTEMPTS:
                    raise
            else:
                turn.is_blocked = False
                return outcome

    async def _attempt(self, work: Work[T], account_id: int | None, *, is_long: bool) -> T:
        begin, seconds = BEGIN_WRITE, None
        if is_long:
            begin, seconds = f"{BEGIN_WRITE}; {statement_timeout(LONG_SECONDS)}", LONG_SECONDS
        async with self._writers.acquire() as connection, transaction(connection, begin, seconds):
            with foreign_errors:
                return await run_to_end(work, PostgresConnection(connection, seconds, account_id))

    def is_shared(self) -> bool:
        """Never: writes of other accounts do not wait."""
        return False

    async def probe_write(self) -> None:
        """Write and delete a row. Raises: Unavailable if that is not possible."""
        with self._translated(READ_ONLY):
            async with self._probes.acquire() as connection, transaction(connection, BEGIN_WRITE):
                for statement in PROBE:
                    await PostgresConnection(connection).execute(statement, {})

    async def lag(self) -> float | None:
        """None: it is no replica."""
        return None

    def figures(self) -> Samples:
        """The numbers of the pools and of the writes."""
        return {
            **self._readers.figures("readers"),
            **self._writers.figures("writers"),
            **self._probes.figures("probes"),
            **self._write_times.figures(),
            **({} if self.replica is self else self.replica.figures()),
        }

    async def list_damaged(self) -> list[str]:
        """Always empty: PostgreSQL maintains its indexes itself."""
        return []

    async def clean(self) -> None:
        """Free the space of deleted rows in all tables, for new rows to overwrite."""
        with self._translated(READ_ONLY):
            async with self._writers.acquire() as connection:
                await maintenance.vacuum(connection)

    async def restore_statistics(self) -> None:
        """Do nothing: they are the server's own."""

    async def analyze_grown(self) -> None:
        """Analyze each table that has four times as many pages as when it was analyzed."""
        with self._translated(READ_ONLY):
            async with self._writers.acquire() as connection:
                await maintenance.analyze_grown(connection)

    def is_small(self) -> bool:
        """Always: VACUUM blocks no other statements."""
        return True

    async def close(self) -> None:
        """Finish pending statements and close the connections."""
        async with contextlib.AsyncExitStack() as stack:  # if one fails, it closes the others
            for each in (*self._pools, self.replica):
                if each is not self:
                    stack.push_async_callback(each.close)

    @contextlib.contextmanager
    def _translated(self, also: tuple[type[Exception], ...] = ()) -> Iterator[None]:
        """Turn the driver's errors into masthead's own.

        also: further errors that mean that the database is unavailable.
        """
        try:
            yield
        except ForeignError as foreign:
            raise foreign.reason from None
        except asyncpg.UndefinedTableError as reason:
            raise MissingTable(str(reason)) from reason
        except CONFLICTS as reason:  # a read ended, or each attempt of a write
            raise Busy from reason
        except BROKEN + also as reason:
            log.error("database unavailable", reason=_message(reason), servers=self._servers)
            is_other_node = isinstance(reason, asyncpg.ConnectionFailureError)  # says this one
            if isinstance(reason, CONNECTION_LOST + also) and not is_other_node:
                for pool in self._pools:
                    pool.drop_idle()
            raise Unavailable from reason


@contextlib.asynccontextmanager
async def transaction(
    connection: Any, begin: str, seconds: float | None = None
) -> AsyncIterator[None]:
    """A transaction. If it is cancelled, its connection is closed: it may not answer."""
    await connection.execute(begin)
    try:
        yield
    except BaseException as error:
        if not is_broken(error):
            await connection.execute("ROLLBACK")
        raise
    await connection.execute("COMMIT", timeout=seconds)
