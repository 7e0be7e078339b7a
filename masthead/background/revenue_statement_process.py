"""The process that works out one revenue statement: how it is started, and what it does."""

import subprocess

from msgspec import Struct

from masthead.services.revenue.statements import make_statement
from masthead.store.engine.database import connect
from masthead.supervision import run_task, start_task

MODULE = "masthead.background.revenue_statement_process"


class StatementTask(Struct, frozen=True):
    """What the process reads from its standard input."""

    database_url: str
    account_id: int
    statement_id: str


def start_process(task: StatementTask) -> subprocess.Popen[bytes]:
    """Start a process that works out a statement."""
    return start_task(MODULE, task)


async def work_out(task: StatementTask) -> None:
    """Work out the statement and store it."""
    db = await connect(task.database_url, is_command=True)
    try:
        await make_statement(db, task.account_id, task.statement_id)
    finally:
        await db.close()


def main() -> None:
    """Work out the statement that standard input names."""
    run_task(StatementTask, work_out)


if __name__ == "__main__":
    main()
