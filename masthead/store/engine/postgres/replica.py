"""Reads from a replica, which are used only if it has everything that was committed before.

Before each read, the primary says how far its log reaches, and the replica must have replayed that
much. So a read shows every write that was acknowledged before it, by any worker of any machine.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Any

import asyncpg
import structlog
from asyncpg.connect_utils import SessionAttribute

from masthead.metrics.text import Samples, sample
from masthead.model.errors import Unavailable
from masthead.store.engine.interface import Connection, Dialect, Parameters, Row
from masthead.store.engine.postgres.connection import (
    ForeignError,
    PostgresConnection,
    foreign_errors,
)
from masthead.store.engine.postgres.database import PostgresDatabase, transaction
from masthead.store.engine.postgres.errors import BROKEN, CONFLICTS, is_broken
from masthead.store.engine.postgres.pool import Pool
from masthead.store.engine.postgres.session import PLAN_ONCE, READER, Limits, Server, begin_read

REPLICA_READERS = 10  # connections of a worker, at most
CONNECT_SECONDS = 1.0  # to get a connection; the primary answers otherwise
REPLAY_SECONDS = 0.2  # to wait until the replica has replayed the last write
BEHIND_SECONDS, AWAY_SECONDS = 1.0, 5.0  # to leave it alone if it has not, or does not answer

# Where the log of the primary ends, and its timeline: after a failover, another server may go on
# with a log of the same length. A commit is visible once it is flushed, unless that is off. On
# Citus, each node has a log of its own: null.
POSITION = """
    SELECT
        CAST(log.position AS text) AS position,
        CAST(CAST('x' || substr(pg_walfile_name(log.position), 1, 8) AS bit(32)) AS integer)
            AS timeline
    FROM (
        SELECT CASE current_setting('synchronous_commit')
            WHEN 'off' THEN pg_current_wal_insert_lsn()
            ELSE pg_current_wal_flush_lsn()
        END AS position
    ) AS log
    WHERE to_regclass('pg_dist_partition') IS NULL
"""
# Null on a server that is no replica
REPLAYED = """
    SELECT CASE
        WHEN pg_is_in_recovery()
            THEN pg_last_wal_replay_lsn() >= CAST(CAST($1 AS text) AS pg_lsn)
    END
    FROM pg_control_checkpoint()
    WHERE timeline_id = $2
"""
# Null if it has replayed no transaction since it started
AGE = """
    SELECT greatest(extract(epoch FROM now() - pg_last_xact_replay_timestamp()), 0) AS seconds
"""
# CONFLICTS: the replica ended the statement, which needed what a replayed write has removed
_FAILED = (*BROKEN, *CONFLICTS, asyncpg.InsufficientPrivilegeError)

log = structlog.get_logger()


class NotCurrent(Exception):
    """The replica cannot be used for a read; the message says why. seconds: to leave it alone."""

    def __init__(self, reason: str, seconds: float) -> None:
        super().__init__(reason)
        self.seconds = seconds


class Behind(NotCurrent):
    """The replica has not replayed the last writes yet."""

    def __init__(self) -> None:
        super().__init__("it is behind the primary", BEHIND_SECONDS)


class Replica:
    """Reads from a replica of the database, or from the primary while the replica is no use."""

    dialect: Dialect = "postgres"

    def __init__(self, primary: PostgresDatabase, url: str, limits: Limits) -> None:
        server = Server(url, limits, READER, PLAN_ONCE, role=SessionAttribute.any)
        self._primary, self._limits = primary, limits
        self._pool = Pool(
            server.connect, REPLICA_READERS, wait=CONNECT_SECONDS, is_broken=is_broken
        )
        self._rest_until = 0.0
        self._reads, self._reads_of_primary = 0, 0

    async def fetch_all(self, sql: str, parameters: Parameters) -> list[Row]:
        """All rows of one statement, by column name."""
        try:
            async with self._caught_up() as connection:
                return await PostgresConnection(connection).fetch_all(sql, parameters)
        except (NotCurrent, *_FAILED) as reason:
            self._leave_alone(reason)
        return await self._primary.fetch_all(sql, parameters)

    async def fetch_one(self, sql: str, parameters: Parameters) -> Row | None:
        """The first row of one statement, or None."""
        rows = await self.fetch_all(sql, parameters)
        return rows[0] if rows else None

    @contextlib.asynccontextmanager
    async def read(
        self, *, aside: bool = False, is_long: bool = False
    ) -> AsyncIterator[Connection]:
        """A read-only connection that sees one snapshot.

        Raises: Unavailable if the replica fails during the block; the next read uses the primary.
        """
        async with contextlib.AsyncExitStack() as stack:
            try:
                connection = await stack.enter_async_context(self._caught_up())
            except (NotCurrent, *_FAILED) as reason:
                self._leave_alone(reason)
                reading = self._primary.read(aside=aside, is_long=is_long)
                yield await stack.enter_async_context(reading)
                return
            begin, seconds = begin_read(self._limits, aside=aside, is_long=is_long)
            try:
                async with transaction(connection, begin, seconds):
                    with foreign_errors:
                        yield PostgresConnection(connection, seconds)
            except ForeignError as foreign:
                raise foreign.reason from None
            except _FAILED as reason:
                self._leave_alone(reason)
                raise Unavailable from reason

    @contextlib.asynccontextmanager
    async def _caught_up(self) -> AsyncIterator[Any]:
        """A connection to a replica that has all writes until now. Raises: NotCurrent."""
        if asyncio.get_running_loop().time() < self._rest_until:
            raise NotCurrent("", 0.0)
        position = await self._find_position()
        async with contextlib.AsyncExitStack() as stack:
            async with asyncio.timeout(CONNECT_SECONDS):
                connection = await stack.enter_async_context(self._pool.acquire())
            await _wait_for_replay(connection, position)
            self._reads += 1
            yield connection

    async def _find_position(self) -> Row:
        """The end of the primary's log. Raises: NotCurrent if it cannot be compared."""
        position = await self._primary.fetch_one(POSITION, {})
        if position is None:
            raise NotCurrent("on Citus, replicas are not used", AWAY_SECONDS)
        return position

    async def lag(self) -> float | None:
        """The seconds by which the replica is behind the primary: 0 if it has all writes.

        Otherwise the age of the last transaction that it has replayed. None if that is unknown,
        such as if the replica does not answer within a second. It also asks a replica that reads
        leave alone.
        """
        try:
            position = await self._find_position()
            async with asyncio.timeout(CONNECT_SECONDS), self._pool.acquire() as connection:
                try:
                    await _wait_for_replay(connection, position)
                except Behind:
                    seconds = await connection.fetchval(AGE)
                    return None if seconds is None else float(seconds)
        except (NotCurrent, *_FAILED):
            return None
        return 0.0

    def _leave_alone(self, reason: Exception) -> None:
        """Use the primary for a while, so that reads do not wait for the replica each time."""
        self._reads_of_primary += 1
        seconds = reason.seconds if isinstance(reason, NotCurrent) else AWAY_SECONDS
        if not seconds:
            return
        log.warning("replica not used", reason=str(reason) or type(reason).__name__)
        self._rest_until = asyncio.get_running_loop().time() + seconds
        if not isinstance(reason, NotCurrent):
            self._pool.drop_idle()

    def figures(self) -> Samples:
        """The numbers of the connections, and of the reads by server."""
        reads = "masthead_replica_reads_total"
        return {
            **self._pool.figures("replica"),
            sample(reads, server="replica"): self._reads,
            sample(reads, server="primary"): self._reads_of_primary,
        }

    async def close(self) -> None:
        """Close the connections."""
        await self._pool.close()


async def _wait_for_replay(connection: Any, position: Row) -> None:
    """Return when the replica has replayed the log until a position. Raises: NotCurrent."""
    deadline, pause = asyncio.get_running_loop().time() + REPLAY_SECONDS, 0.001
    while True:
        values = position["position"], position["timeline"]
        has_replayed = await connection.fetchval(REPLAYED, *values)
        if has_replayed:
            return
        if has_replayed is None:
            raise NotCurrent("the server is no replica, or of another timeline", AWAY_SECONDS)
        if asyncio.get_running_loop().time() > deadline:
            raise Behind
        await asyncio.sleep(pause)
        pause *= 2
