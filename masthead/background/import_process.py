"""The process that works on one import: how it is started, and what it does."""

import gc
import subprocess

from msgspec import Struct

from masthead.services.imports.work.page_batches import work_on
from masthead.store.engine.database import connect
from masthead.supervision import run_task, start_task

MODULE = "masthead.background.import_process"


class ImportTask(Struct, frozen=True):
    """What the process reads from its standard input."""

    database_url: str
    account_id: int
    batch_id: str
    placeholder_domain: str


def start_process(task: ImportTask) -> subprocess.Popen[bytes]:
    """Start a process that works on an import."""
    return start_task(MODULE, task)


async def work_out(task: ImportTask) -> None:
    """Do what the import waits for."""
    db = await connect(task.database_url, is_command=True)
    try:
        await work_on(
            db, task.account_id, task.batch_id, placeholder_domain=task.placeholder_domain
        )
    finally:
        await db.close()


def main() -> None:
    """Work on the import that standard input names."""
    gc.set_threshold(50_000)  # with the default, searching for cycles takes 6 % of the time
    run_task(ImportTask, work_out)


if __name__ == "__main__":
    main()
