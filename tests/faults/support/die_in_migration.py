"""Run `masthead migrate`, and kill it before the statement with the number DIE_AT, if any.

WITHOUT_TRANSACTION: each statement commits by itself.
"""

import os
import signal
from pathlib import Path
from typing import Any

import apsw
import asyncpg

from masthead.cli import main
from masthead.store.engine import migrate
from masthead.store.engine.sqlite import connection as sqlite_connection

LAST = int(os.environ.get("DIE_AT", 10**9))
done = 0


def count(*_: Any) -> bool:
    """Count a statement; die before the last one."""
    global done
    done += 1
    if done == LAST:
        os.kill(os.getpid(), signal.SIGKILL)
    return True


def open_counted(path: Path, *, read_only: bool) -> apsw.Connection:
    """A connection whose statements are counted."""
    connection = sqlite_connection.open_file(path, read_only=read_only)
    connection.exec_trace = count
    return connection


async def execute_counted(connection: Any, statement: str) -> Any:
    """Run a statement on PostgreSQL, and count it."""
    count()
    return await EXECUTE(connection, statement)


EXECUTE = asyncpg.Connection.execute
setattr(asyncpg.Connection, "execute", execute_counted)  # noqa: B010 - the type checker has no need to know
migrate.open_file = open_counted  # type: ignore[attr-defined]
if "WITHOUT_TRANSACTION" in os.environ:
    migrate.BEGIN_WRITE = "SELECT 1"  # type: ignore[attr-defined]

if __name__ == "__main__":
    try:
        main()
    finally:
        print(done)  # noqa: T201 - for the test
