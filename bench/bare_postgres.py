"""The bare SQL of a write on PostgreSQL: recorded at the driver, and run again on a copy.

As `bare_sql` does for SQLite: the statements that masthead ran, with the same values, in the same
transactions, over one connection with the same settings.
"""

import asyncio
import contextlib
from collections.abc import Iterator
from functools import wraps
from typing import Any
from unittest.mock import patch

import asyncpg

from bench.bare_sql import WRITES
from bench.stopwatch import Stopwatch
from masthead.store.engine.postgres.session import (
    LONG_SECONDS,
    WRITER,
    Limits,
    Server,
    statement_timeout,
)

METHODS = ("execute", "executemany", "fetch", "fetchrow", "copy_records_to_table")
COPY = "copy_records_to_table"

Call = tuple[str, tuple[Any, ...], dict[str, Any]]  # a method of the driver, and its arguments
Transaction = list[Call]


@contextlib.contextmanager
def overhearing() -> Iterator[list[Transaction]]:
    """Record the transactions that write, of all connections of this process."""
    transactions: list[Transaction] = []
    current: dict[int, Transaction] = {}

    def note(connection: object, call: Call) -> None:
        method, (sql, *_), _ = call
        if method == COPY or WRITES.match(sql):
            current.setdefault(id(connection), []).append(call)
        elif sql == "COMMIT" and (done := current.pop(id(connection), None)):
            transactions.append(done)
        elif sql.startswith(("BEGIN", "ROLLBACK")):
            current.pop(id(connection), None)

    with contextlib.ExitStack() as stack:
        for method in METHODS:
            listening = _listening(method, note)
            stack.enter_context(patch.object(asyncpg.Connection, method, listening))
        yield transactions


def _listening(method: str, note: Any) -> Any:
    """A method of the driver that also notes its calls."""
    original = getattr(asyncpg.Connection, method)

    @wraps(original)
    async def listening(connection: Any, *values: Any, **named: Any) -> Any:
        if method == COPY:
            named["records"] = list(named["records"])
        note(connection, (method, values, named))
        return await original(connection, *values, **named)

    return listening


def replay(transactions: list[Transaction], url: str, watch: Stopwatch) -> None:
    """Run transactions, each with a durable commit, and measure them."""

    async def run() -> None:
        connection = await Server(url, Limits(), WRITER).connect()
        try:
            with watch:
                for transaction in transactions:
                    await connection.execute(f"BEGIN; {statement_timeout(LONG_SECONDS)}")
                    for method, values, named in transaction:
                        await getattr(connection, method)(*values, **named)
                    await connection.execute("COMMIT")
        finally:
            await connection.close()

    asyncio.run(run())
