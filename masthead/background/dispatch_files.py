"""Build the files of dispatch runs that wait, each in a process of its own.

Python that runs for seconds would delay the requests of this process, even in a thread.
"""

import asyncio
import subprocess
import uuid
from contextlib import suppress
from functools import partial

import structlog
from msgspec import Struct

from masthead.background.failures import Pauses, attempting, read_present
from masthead.background.lease import HeldLease
from masthead.background.tasks import Task, start_process
from masthead.metrics.job_failures import count_failure
from masthead.model.dispatch.files import MAX_ATTEMPTS
from masthead.model.errors import Unavailable
from masthead.services.dispatch.file_builds import end_failed, reserve_file
from masthead.store.dispatch.files import UnfinishedFile, list_unfinished_files
from masthead.store.engine.interface import Database

PROCESSES = 2  # that build files at the same time
POLL_SECONDS = 0.1
WAITING = 100  # files to choose from, as some accounts may have a pause

log = structlog.get_logger()


class RunningProcess(Struct, frozen=True):
    """A process that builds a file."""

    file: UnfinishedFile
    holder: str
    process: subprocess.Popen[bytes]


class DispatchFiles:
    """Starts a process for each file that waits; starts it again if it dies."""

    def __init__(self, db: Database, lease: HeldLease, database_url: str) -> None:
        self._db, self._lease, self._database_url = db, lease, database_url
        self._running: dict[str, RunningProcess] = {}
        self._pauses = Pauses()
        self._is_stopping = False

    async def run_once(self) -> bool:
        """Build all files that wait. Returns False: no work is left."""
        while self._lease.is_held and not self._is_stopping:
            await self._end_finished()
            await self._start_waiting()
            if not self._running:
                break
            await asyncio.sleep(POLL_SECONDS)
        return False

    async def _start_waiting(self) -> None:
        if len(self._running) >= PROCESSES:
            return
        unfinished = partial(list_unfinished_files, limit=WAITING)
        files, _is_whole = await read_present(self._db, unfinished)
        for file in files:
            if file.id in self._running or file.account_id in self._pauses:
                continue
            if len(self._running) >= PROCESSES:
                return
            with attempting("file not begun", file=file.id) as attempt:
                await self._start(file)
            self._pauses.begin(file.account_id, attempt.wait)

    async def _start(self, file: UnfinishedFile) -> None:
        holder = uuid.uuid4().hex
        if not await reserve_file(self._db, file.id, holder=holder):
            return  # a command builds it
        options = {"holder": holder}
        task = Task("files", self._database_url, file.account_id, file.id, options)
        self._running[file.id] = RunningProcess(file, holder, start_process(task))

    async def _end_finished(self) -> None:
        """Forget the processes that have ended; a file that is not done waits again."""
        for running in list(self._running.values()):
            code = running.process.poll()
            if code is None:
                continue
            del self._running[running.file.id]
            if code:
                count_failure()
                log.error(
                    "file not built: its process ended",
                    file=running.file.id,
                    exit=code,
                    attempt=running.file.attempts % MAX_ATTEMPTS + 1,
                )
                with attempting("file waits for its lease to end", file=running.file.id):
                    await self._give_back(running)

    async def _give_back(self, running: RunningProcess, *, is_failure: bool = True) -> None:
        file, holder = running.file, running.holder
        await end_failed(self._db, file.account_id, file.id, holder=holder, is_failure=is_failure)

    async def stop(self) -> None:
        """End the processes; their files wait for another worker."""
        self._is_stopping = True
        for running in self._running.values():
            running.process.kill()
        for running in self._running.values():
            await asyncio.to_thread(running.process.wait)
            with suppress(Unavailable):  # its lease ends soon
                await self._give_back(running, is_failure=False)
        self._running.clear()
