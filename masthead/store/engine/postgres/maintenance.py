"""Maintenance of all tables of PostgreSQL: what the planner knows, and the space of old rows."""

import contextlib
from collections.abc import AsyncIterator
from typing import Any

import asyncpg

from masthead.store.engine.postgres.session import LONG_SECONDS

# Tables with four times as many pages as when they were analyzed, or in which there were no rows;
# on Citus, they have no pages
_GROWN = """
    SELECT CAST(CAST(oid AS regclass) AS text) AS name
    FROM pg_class
    WHERE relkind = 'r'
      AND relnamespace = CAST(current_schema() AS regnamespace)
      AND pg_relation_size(oid)
          > 4 * CASE WHEN reltuples > 0 THEN greatest(relpages, 1) ELSE 1 END
              * CAST(current_setting('block_size') AS bigint)
"""


async def vacuum(connection: Any) -> None:
    """Free the space of deleted rows, for new rows to overwrite."""
    async with _without_timeout(connection):
        await connection.execute("VACUUM", timeout=LONG_SECONDS)


async def analyze_grown(connection: Any) -> None:
    """Analyze the tables that have grown much. One that the server is analyzing is left to it."""
    async with _without_timeout(connection):
        for row in await connection.fetch(_GROWN):
            with contextlib.suppress(asyncpg.LockNotAvailableError):
                await connection.execute(f"ANALYZE {row['name']}", timeout=LONG_SECONDS)


@contextlib.asynccontextmanager
async def _without_timeout(connection: Any) -> AsyncIterator[None]:
    await connection.execute("SET statement_timeout = 0")
    try:
        yield
    finally:
        await connection.execute("RESET statement_timeout")
