"""Keep the process running that sends to webhooks, while something is due.

A thousand requests in a second would delay those to the API in this process.
"""

import asyncio
import subprocess
import time

import structlog
from msgspec import Struct

from masthead.background.failures import read_present
from masthead.background.lease import HeldLease
from masthead.model.emails import Site
from masthead.store.engine.interface import Database
from masthead.store.webhooks.endpoints import list_due_endpoints
from masthead.supervision import start_task

PROCESS = "masthead.background.webhooks.process"  # not imported: its HTTP client is large
IDLE_SECONDS = 30.0  # after which the process ends; the next event starts it again
RETRY_SECONDS = 5.0  # after the process has died
STOP_SECONDS = 4.0  # to wait for requests under way; workers are killed after 7 seconds

log = structlog.get_logger()


class SendTask(Struct, frozen=True):
    """What the process reads from its standard input. site: for emails to owners."""

    database_url: str
    allow_private: bool
    site: Site
    idle_seconds: float = IDLE_SECONDS


def start_process(task: SendTask) -> subprocess.Popen[bytes]:
    """Start a process that sends until nothing is due."""
    return start_task(PROCESS, task)


class Webhooks:
    """Starts the process when something is due; starts it again if it dies."""

    def __init__(
        self, db: Database, lease: HeldLease, *, database_url: str, allow_private: bool, site: Site
    ) -> None:
        self._db, self._lease = db, lease
        self._task = SendTask(database_url, allow_private, site)
        self._process: subprocess.Popen[bytes] | None = None
        self._retry_at = 0.0

    async def run_once(self) -> bool:
        """Start the process if something is due and none runs. Returns False: no work is left."""
        if self._process is not None:
            code = self._process.poll()
            if code is None:
                return False
            self._process = None
            if code:
                log.error("process of webhooks ended", exit=code)
                self._retry_at = time.monotonic() + RETRY_SECONDS
        if time.monotonic() >= self._retry_at:
            due, _is_whole = await read_present(self._db, list_due_endpoints)
            if due:
                self._process = start_process(self._task)
        return False

    async def stop(self) -> None:
        """End the process. What it has not stored is sent again by another worker."""
        if self._process is None:
            return
        self._process.terminate()
        try:
            await asyncio.to_thread(self._process.wait, STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            await asyncio.to_thread(self._process.wait)
