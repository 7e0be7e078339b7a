"""Open a database for a test, and close it also if the test fails."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import asyncpg

from masthead.store.engine.database import connect
from masthead.store.engine.interface import Database


@asynccontextmanager
async def opened(
    url: str, *, seconds: float = 5.0, is_command: bool = False, read_url: str = ""
) -> AsyncIterator[Database]:
    """The database of a URL; the options are those of `connect`.

    A failed test that leaves its connections open fails a second test: the one during which the
    garbage collector finds them, and asyncpg warns of an `unclosed connection`.
    """
    db = await connect(url, seconds=seconds, is_command=is_command, read_url=read_url)
    try:
        yield db
    finally:
        await db.close()


@asynccontextmanager
async def opened_connection(url: str) -> AsyncIterator[asyncpg.Connection]:
    """Another connection to PostgreSQL, which is none of masthead."""
    connection = await asyncpg.connect(url)
    try:
        yield connection
    finally:
        await connection.close()
