"""The process that builds one file: how it is started, and what it does."""

import subprocess
from contextlib import suppress

from msgspec import Struct

from masthead.model.errors import Invalid
from masthead.services.dispatch.file_builds import FileTaken, prepare_file
from masthead.store.engine.database import connect
from masthead.supervision import run_task, start_task

MODULE = "masthead.background.dispatch_file_process"


class FileTask(Struct, frozen=True):
    """What the process reads from its standard input. holder: of the lease on the file."""

    database_url: str
    account_id: int
    file_id: str
    holder: str


def start_process(task: FileTask) -> subprocess.Popen[bytes]:
    """Start a process that builds a file."""
    return start_task(MODULE, task)


async def build_file(task: FileTask) -> None:
    """Build the file. If it cannot be written by its profile, that is recorded with the file."""
    db = await connect(task.database_url, is_command=True)
    try:
        with suppress(FileTaken, Invalid):
            await prepare_file(db, task.account_id, task.file_id, holder=task.holder)
    finally:
        await db.close()


def main() -> None:
    """Build the file that standard input names."""
    run_task(FileTask, build_file)


if __name__ == "__main__":
    main()
