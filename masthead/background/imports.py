"""Rehearse, run and undo the imports that wait, each in a process of its own.

Python that runs for seconds would delay the requests of this process, even in a thread.
"""

import asyncio
import subprocess
import time
from collections import Counter

import structlog

from masthead.background.clock import TrustedClock
from masthead.background.import_process import ImportTask, start_process
from masthead.background.lease import HeldLease
from masthead.model.imports.batches import KEPT_UNUSED
from masthead.model.translations import gettext_noop
from masthead.services.imports.batches import delete_unused, fail_batch
from masthead.services.imports.work.abandoned import end_abandoned
from masthead.store.engine.interface import Database
from masthead.store.imports.batches import WaitingBatch, list_command_accounts, list_working

MAX_ATTEMPTS = 3
GIVEN_UP = gettext_noop(
    "masthead could not finish this import in 3 attempts. What was imported before is kept. The "
    "log of the server says why; start the import again to go on."
)
CLEANUP_SECONDS = 3600.0
ABANDONED_SECONDS = 60.0

log = structlog.get_logger()


class Imports:
    """Starts a process for each import that waits; starts it again if it dies."""

    def __init__(
        self,
        db: Database,
        lease: HeldLease,
        clock: TrustedClock,
        *,
        database_url: str,
        placeholder_domain: str,
    ) -> None:
        self._db, self._lease, self._clock = db, lease, clock
        self._database_url, self._domain = database_url, placeholder_domain
        self._process: subprocess.Popen[bytes] | None = None
        self._attempts: Counter[str] = Counter()
        self._is_stopping = False
        self._clean_at = self._abandoned_at = 0.0

    async def run_once(self) -> bool:
        """Work on all imports that wait, one after the other. Returns False: no work is left."""
        await self._delete_unused()
        await self._end_abandoned()
        done = None
        while self._lease.is_held and not self._is_stopping:
            waiting = await list_working(self._db, limit=1)
            if not waiting or waiting[0] == done:  # another process works on that one
                break
            if await self._work_out(waiting[0]):
                done = waiting[0]
        return False

    async def _work_out(self, batch: WaitingBatch) -> bool:
        """Wait for a process that works on the import; after some failures, give it up.

        Returns whether the process ended without an error.
        """
        task = ImportTask(self._database_url, batch.account_id, batch.id, self._domain)
        process = self._process = start_process(task)
        code = await asyncio.to_thread(process.wait)
        self._process = None
        if not code:
            self._attempts.pop(batch.id, None)
            return True
        if self._is_stopping:
            return False
        self._attempts[batch.id] += 1
        attempt = self._attempts[batch.id]
        log.error(
            "import not finished: its process ended", batch=batch.id, exit=code, attempt=attempt
        )
        if attempt >= MAX_ATTEMPTS:
            del self._attempts[batch.id]
            await fail_batch(self._db, batch.account_id, batch.id, GIVEN_UP)
        return False

    async def _delete_unused(self) -> None:
        """Delete uploads that were not imported for a week, once an hour."""
        moment = await self._clock.now()
        if moment is None or time.monotonic() < self._clean_at:
            return
        self._clean_at = time.monotonic() + CLEANUP_SECONDS
        await delete_unused(self._db, moment - KEPT_UNUSED)

    async def _end_abandoned(self) -> None:
        """Mark the imports of commands that died as failed, once a minute, so that pages say it."""
        if time.monotonic() < self._abandoned_at:
            return
        self._abandoned_at = time.monotonic() + ABANDONED_SECONDS
        for account_id in await list_command_accounts(self._db):
            await end_abandoned(self._db, account_id)

    async def stop(self) -> None:
        """End the process; its import waits for another worker."""
        self._is_stopping = True
        if self._process is not None:
            self._process.kill()
            await asyncio.to_thread(self._process.wait)
