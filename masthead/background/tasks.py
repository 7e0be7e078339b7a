"""The process that does one task of a job: how it is started, and what it does."""

import gc
import subprocess
from collections.abc import Awaitable, Callable
from contextlib import suppress

from msgspec import Struct

from masthead.model.errors import Invalid
from masthead.services.dispatch.file_builds import FileTaken, prepare_file
from masthead.services.exports.archives import make_archive
from masthead.services.imports.work.page_batches import work_on
from masthead.services.revenue.statements import make_statement
from masthead.store.engine.database import open_database
from masthead.store.engine.interface import Database
from masthead.supervision import run_task, start_task

MODULE = "masthead.background.tasks"


async def _build_file(db: Database, account_id: int, id: str, *, holder: str) -> None:
    """Build a file. If it cannot be written by its profile, that is recorded with the file."""
    with suppress(FileTaken, Invalid):
        await prepare_file(db, account_id, id, holder=holder)


WORK: dict[str, Callable[..., Awaitable[object]]] = {  # by the name of the job
    "exports": make_archive,
    "files": _build_file,
    "imports": work_on,
    "revenue statements": make_statement,
}


class Task(Struct, frozen=True):
    """What the process reads from its standard input. id: of the row that it works on."""

    job: str
    database_url: str
    account_id: int
    id: str
    options: dict[str, str] = {}
    read_url: str = ""


def start_process(task: Task) -> subprocess.Popen[bytes]:
    """Start a process that does a task."""
    return start_task(MODULE, task)


async def do_task(task: Task) -> None:
    """Do a task and store its result."""
    async with open_database(task.database_url, read_url=task.read_url) as db:
        await WORK[task.job](db, task.account_id, task.id, **task.options)


if __name__ == "__main__":
    gc.set_threshold(50_000)  # with the default, searching for cycles takes 6 % of an import
    run_task(Task, do_task)
