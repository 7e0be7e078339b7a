"""The bare SQL of a write: recorded on one SQLite database, and run again on a copy of it.

The statements are those that masthead ran, with the same values, in the same transactions, with the
same cache and as durable, without the reads and without masthead's other work.
"""

import contextlib
import re
import time
from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import apsw

from bench.stopwatch import Stopwatch
from masthead.store.engine.sqlite.connection import NOT_YET_DURABLE, SYNCHRONOUS, open_file
from masthead.store.engine.sqlite.writer import CACHE_KIB

WRITES = re.compile(
    r"\s*(INSERT|UPDATE|DELETE|REPLACE|CREATE TEMP|DROP|WITH\b.*\b(INSERT|UPDATE|DELETE)\b)",
    re.I | re.S,
)

Statement = tuple[str, Any]  # text, values
Transaction = list[Statement]

# The first statement of a transaction whose commit does not wait for the disk
UNAWAITED: Statement = (f"PRAGMA synchronous = {NOT_YET_DURABLE}", None)
FULL = 2  # the value of SYNCHRONOUS


@contextlib.contextmanager
def overhearing() -> Iterator[list[Transaction]]:
    """Record the transactions of connections opened in this process during the block."""
    transactions: list[Transaction] = []

    def listen(connection: apsw.Connection) -> None:
        current: Transaction = []

        def note(_cursor: apsw.Cursor, sql: str, values: Any) -> bool:
            if WRITES.match(sql):
                current.append((sql, values))
            elif sql == "COMMIT" and current:
                is_durable = connection.pragma("synchronous") == FULL
                transactions.append([*(() if is_durable else (UNAWAITED,)), *current])
                current.clear()
            return True

        connection.exec_trace = note

    apsw.connection_hooks.append(listen)
    try:
        yield transactions
    finally:
        apsw.connection_hooks.remove(listen)


class Replay:
    """Bare SQL on a copy of the database."""

    def __init__(self, url: str) -> None:
        self._connection = open_file(Path(url.removeprefix("sqlite:///")), read_only=False)
        self._connection.pragma("cache_size", -CACHE_KIB)

    def run(self, transactions: list[Transaction]) -> float:
        """Run transactions, each as durable as it was; return the seconds."""
        run, many = self._connection.execute, self._connection.executemany
        began = time.perf_counter()
        for transaction in transactions:
            is_durable = transaction[0] != UNAWAITED
            self._connection.pragma("synchronous", SYNCHRONOUS if is_durable else NOT_YET_DURABLE)
            run("BEGIN IMMEDIATE")
            for sql, same in groupby(transaction[not is_durable :], key=itemgetter(0)):
                for _ in many(sql, map(itemgetter(1), same)):
                    pass
            run("COMMIT")
        return time.perf_counter() - began

    def close(self) -> None:
        """Close the copy."""
        self._connection.close()


def replay(transactions: list[Transaction], url: str, watch: Stopwatch) -> None:
    """Run transactions, and measure them."""
    bare = Replay(url)
    with contextlib.closing(bare), watch:
        bare.run(transactions)
