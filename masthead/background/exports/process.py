"""The process that writes one export: how it is started, and what it does."""

import subprocess

from msgspec import Struct

from masthead.services.exports.archives import make_archive
from masthead.store.engine.database import connect
from masthead.supervision import run_task, start_task

MODULE = "masthead.background.exports.process"


class ExportTask(Struct, frozen=True):
    """What the process reads from its standard input."""

    database_url: str
    account_id: int
    export_id: str
    read_url: str = ""


def start_process(task: ExportTask) -> subprocess.Popen[bytes]:
    """Start a process that writes an export."""
    return start_task(MODULE, task)


async def write_export(task: ExportTask) -> None:
    """Write the export and store it."""
    db = await connect(task.database_url, is_command=True, read_url=task.read_url)
    try:
        await make_archive(db, task.account_id, task.export_id)
    finally:
        await db.close()


def main() -> None:
    """Write the export that standard input names."""
    run_task(ExportTask, write_export)


if __name__ == "__main__":
    main()
