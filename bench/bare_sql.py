"""The bare SQL of a write: overheard on one SQLite database, run again on a copy of it.

The statements are those that masthead ran, with the same values, in the same transactions, without
the reads and without all else that it does.
"""

import contextlib
import re
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from masthead.store.sqlite_connection import open_file

WRITES = re.compile(
    r"\s*(INSERT|UPDATE|DELETE|REPLACE|CREATE TEMP|DROP|WITH\b.*\b(INSERT|UPDATE|DELETE)\b)",
    re.I | re.S,
)

Statement = tuple[str, Any, bool]  # text, values, whether there are many rows of them
Transaction = list[Statement]


class Overheard(sqlite3.Connection):
    """A connection that remembers what was written through it."""

    transactions: list[Transaction]
    current: Transaction

    def execute(self, sql: str, parameters: Any = ()) -> sqlite3.Cursor:
        """Run and remember."""
        if WRITES.match(sql):
            self.current.append((sql, parameters, False))
        elif sql == "COMMIT" and self.current:
            self.transactions.append(list(self.current))
            self.current.clear()
        return super().execute(sql, parameters)

    def executemany(self, sql: str, parameters: Any) -> sqlite3.Cursor:
        """Run and remember."""
        rows = list(parameters)
        self.current.append((sql, rows, True))
        return super().executemany(sql, rows)


@contextlib.contextmanager
def overhearing() -> Iterator[list[Transaction]]:
    """The transactions of all connections that are opened meanwhile in this process."""
    transactions: list[Transaction] = []
    connect = sqlite3.connect

    def listen(*words: Any, **options: Any) -> sqlite3.Connection:
        connection = connect(*words, **options, factory=Overheard)
        connection.transactions, connection.current = transactions, []
        return connection

    setattr(sqlite3, "connect", listen)  # noqa: B010 - for the time of this block
    try:
        yield transactions
    finally:
        setattr(sqlite3, "connect", connect)  # noqa: B010


class Replay:
    """Bare SQL on a copy of the database."""

    def __init__(self, url: str) -> None:
        self._connection = open_file(Path(url.removeprefix("sqlite:///")), read_only=False)

    def run(self, transactions: list[Transaction]) -> float:
        """Run transactions, each to its durable end; seconds."""
        run, many = self._connection.execute, self._connection.executemany
        began = time.perf_counter()
        for transaction in transactions:
            run("BEGIN IMMEDIATE")
            for sql, values, has_many in transaction:
                if has_many:
                    many(sql, values)
                else:
                    run(sql, values).fetchall()
            run("COMMIT")
        return time.perf_counter() - began

    def close(self) -> None:
        """Let go of the copy."""
        self._connection.close()
