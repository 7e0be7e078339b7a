"""The process that builds one file: how it is started, and what it does."""

import asyncio
import os
import subprocess
import sys
from contextlib import suppress

import msgspec
from msgspec import Struct

from masthead.model.errors import Invalid
from masthead.services.dispatch.file_builds import FileTaken, prepare_file
from masthead.store.engine.database import connect
from masthead.supervision import SUPERVISOR, follow_supervisor

MODULE = "masthead.background.dispatch_file_process"
NICE = 10  # requests come first, if the processors are busy


class FileTask(Struct, frozen=True):
    """What the process reads from its standard input. holder: of the lease on the file."""

    database_url: str
    account_id: int
    file_id: str
    holder: str


def start_process(task: FileTask) -> subprocess.Popen[bytes]:
    """Start a process that builds a file. It ends when this process has ended.

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
    os.nice(NICE)
    follow_supervisor()
    asyncio.run(build_file(msgspec.json.decode(sys.stdin.buffer.read(), type=FileTask)))


if __name__ == "__main__":
    main()
