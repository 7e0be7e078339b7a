"""The process that works out one revenue statement: how it is started, and what it does."""

import asyncio
import os
import subprocess
import sys
from contextlib import suppress

import msgspec
from msgspec import Struct

from masthead.services.revenue.statements import make_statement
from masthead.store.engine.database import connect
from masthead.supervision import SUPERVISOR, follow_supervisor

MODULE = "masthead.background.revenue_statement_process"
NICE = 10  # requests come first, if the processors are busy


class StatementTask(Struct, frozen=True):
    """What the process reads from its standard input."""

    database_url: str
    account_id: int
    statement_id: str


def start_process(task: StatementTask) -> subprocess.Popen[bytes]:
    """Start a process that works out a statement. It ends when this process has ended.

    The URL of the database may contain a password, so it is not in the command line.
    """
    process = subprocess.Popen(  # noqa: S603 - masthead itself
        [sys.executable, "-P", "-m", MODULE],
        stdin=subprocess.PIPE,
        env={**os.environ, SUPERVISOR: str(os.getpid())},
    )
    assert process.stdin is not None
    with suppress(BrokenPipeError), process.stdin as stream:  # its exit code tells
        stream.write(msgspec.json.encode(task))
    return process


async def work_out(task: StatementTask) -> None:
    """Work out the statement and store it."""
    db = await connect(task.database_url, is_command=True)
    try:
        await make_statement(db, task.account_id, task.statement_id)
    finally:
        await db.close()


def main() -> None:
    """Work out the statement that standard input names."""
    os.nice(NICE)
    follow_supervisor()
    asyncio.run(work_out(msgspec.json.decode(sys.stdin.buffer.read(), type=StatementTask)))


if __name__ == "__main__":
    main()
