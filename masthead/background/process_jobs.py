"""The jobs that work on each row that waits in a process of its own, one after the other.

Python that runs for seconds would delay the requests of this process, even in a thread.
"""

import asyncio
import subprocess
from collections import Counter
from collections.abc import Awaitable, Callable, Container, Sequence
from functools import partial

import structlog

from masthead.background.failures import Pauses, attempting, read_present
from masthead.background.lease import HeldLease
from masthead.background.tasks import Task, start_process
from masthead.metrics.job_failures import count_failure
from masthead.model.ids import RowKey
from masthead.model.translations import gettext_noop
from masthead.services.exports.archives import fail_archive
from masthead.services.imports.batches import fail_batch
from masthead.services.revenue.statements import fail_statement
from masthead.store.engine.interface import Database
from masthead.store.exports import archives
from masthead.store.imports import batches
from masthead.store.revenue import statements

MAX_ATTEMPTS = 3
WAITING = 100  # rows to choose from, as some accounts may have a pause
STATEMENT_GIVEN_UP = (
    f"masthead could not work out this statement in {MAX_ATTEMPTS} attempts. The log of the server "
    "says why."
)
IMPORT_GIVEN_UP = gettext_noop(
    "masthead could not finish this import in 3 attempts. What was imported before is kept. The "
    "log of the server says why; start the import again to go on."
)
EXPORT_GIVEN_UP = (
    f"masthead could not write this export in {MAX_ATTEMPTS} attempts. The log of the server says "
    "why; often, the disk is full."
)

log = structlog.get_logger()


class ProcessJob:
    """Starts a process for each row that waits; starts it again if it dies.

    given_up: the error of a row whose processes always die. options: of the work, by name.
    """

    def __init__(
        self,
        name: str,
        db: Database,
        lease: HeldLease,
        database_url: str,
        list_waiting: Callable[..., Awaitable[Sequence[RowKey]]],
        fail: Callable[[Database, int, str, str], Awaitable[None]],
        given_up: str,
        *,
        options: dict[str, str] | None = None,
        read_url: str = "",
    ) -> None:
        self.name, self._db, self._lease = name, db, lease
        self._database_url, self._read_url, self._options = database_url, read_url, options or {}
        self._list_waiting, self._fail, self._given_up = list_waiting, fail, given_up
        self._process: subprocess.Popen[bytes] | None = None
        self._attempts: Counter[str] = Counter()
        self._pauses = Pauses()
        self._is_stopping = False

    async def run_once(self) -> bool:
        """Work on all rows that wait. Returns False: no work is left."""
        done = set[RowKey]()  # those that still wait are worked on by another process
        while self._lease.is_held and not self._is_stopping:
            waiting, _is_whole = await read_present(
                self._db, partial(self._list_waiting, limit=WAITING)
            )
            row = next((each for each in waiting if self._is_due(each, done)), None)
            if row is None:
                break
            with attempting("work not given up", id=row.id) as attempt:
                if await self._work_on(row):
                    done.add(row)
            self._pauses.begin(row.account_id, attempt.wait)
        return False

    def _is_due(self, row: RowKey, done: Container[RowKey]) -> bool:
        return row not in done and row.account_id not in self._pauses

    async def _work_on(self, row: RowKey) -> bool:
        """Wait for a process that works on a row; after some failures, give it up.

        Returns whether the process ended without an error.
        """
        # a replica may end a long read; the next attempt reads from the primary
        read_url = "" if self._attempts[row.id] else self._read_url
        process = self._process = start_process(
            Task(
                self.name,
                self._database_url,
                row.account_id,
                row.id,
                options=self._options,
                read_url=read_url,
            )
        )
        code = await asyncio.to_thread(process.wait)
        self._process = None
        if code and self._is_stopping:
            return False
        attempt = self._attempts.pop(row.id, 0) + 1
        if code:
            count_failure()
            log.error("a process failed", job=self.name, id=row.id, exit=code, attempt=attempt)
            if attempt < MAX_ATTEMPTS:
                self._attempts[row.id] = attempt
            else:
                await self._fail(self._db, row.account_id, row.id, self._given_up)
        return not code

    async def stop(self) -> None:
        """End the process; its row waits for another worker."""
        self._is_stopping = True
        if self._process is not None:
            self._process.kill()
            await asyncio.to_thread(self._process.wait)


def process_jobs(
    db: Database, lease: HeldLease, database_url: str, *, read_url: str, placeholder_domain: str
) -> dict[str, ProcessJob]:
    """The jobs by their names."""
    own = db, lease, database_url
    domain = {"placeholder_domain": placeholder_domain}
    jobs = [
        ProcessJob(
            "revenue statements", *own, statements.list_waiting, fail_statement, STATEMENT_GIVEN_UP
        ),
        ProcessJob(
            "imports", *own, batches.list_working, fail_batch, IMPORT_GIVEN_UP, options=domain
        ),
        ProcessJob(
            "exports", *own, archives.list_waiting, fail_archive, EXPORT_GIVEN_UP, read_url=read_url
        ),
    ]
    return {job.name: job for job in jobs}
