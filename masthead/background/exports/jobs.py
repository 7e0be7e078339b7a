"""Write the exports that wait, one after the other, each in a process of its own.

Exports that are older than a week are deleted.
"""

import asyncio
import subprocess
import time
from collections import Counter

import structlog

from masthead.background.clock import TrustedClock
from masthead.background.exports.process import ExportTask, start_process
from masthead.background.lease import HeldLease
from masthead.services.exports.archives import delete_old_archives, fail_archive
from masthead.store.engine.interface import Database
from masthead.store.exports.archives import ArchiveOfAccount, list_waiting

MAX_ATTEMPTS = 3
CLEANUP_SECONDS = 3600.0
GIVEN_UP = (
    f"masthead could not write this export in {MAX_ATTEMPTS} attempts. The log of the server says "
    "why; often, the disk is full."
)

log = structlog.get_logger()


class Exports:
    """Starts a process for each export that waits; starts it again if it dies."""

    def __init__(
        self,
        db: Database,
        lease: HeldLease,
        clock: TrustedClock,
        database_url: str,
        read_url: str = "",
    ) -> None:
        self._db, self._lease, self._clock = db, lease, clock
        self._database_url, self._read_url = database_url, read_url
        self._process: subprocess.Popen[bytes] | None = None
        self._attempts: Counter[str] = Counter()
        self._is_stopping = False
        self._clean_at = 0.0

    async def run_once(self) -> bool:
        """Write all exports that wait. Returns False: no work is left."""
        while self._lease.is_held and not self._is_stopping:
            waiting = await list_waiting(self._db, limit=1)
            if not waiting:
                break
            await self._write(waiting[0])
        await self._clean()
        return False

    async def _write(self, export: ArchiveOfAccount) -> None:
        """Wait for a process that writes the export; after some failures, give it up."""
        # a replica may end a long read; the next attempt reads from the primary
        read_url = "" if self._attempts[export.id] else self._read_url
        task = ExportTask(self._database_url, export.account_id, export.id, read_url)
        process = self._process = start_process(task)
        code = await asyncio.to_thread(process.wait)
        self._process = None
        if not code or self._is_stopping:
            return
        self._attempts[export.id] += 1
        attempt = self._attempts[export.id]
        log.error("export not written: its process ended", export=export.id, attempt=attempt)
        if attempt >= MAX_ATTEMPTS:
            await fail_archive(self._db, export.account_id, export.id, GIVEN_UP)

    async def _clean(self) -> None:
        moment = await self._clock.now()
        if moment is None or not self._lease.is_held or time.monotonic() < self._clean_at:
            return
        self._clean_at = time.monotonic() + CLEANUP_SECONDS
        await delete_old_archives(self._db, moment)

    async def stop(self) -> None:
        """End the process; its export waits for another worker."""
        self._is_stopping = True
        if self._process is not None:
            self._process.kill()
            await asyncio.to_thread(self._process.wait)
