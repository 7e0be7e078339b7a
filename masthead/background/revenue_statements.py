"""Work out the revenue statements that wait, one after the other, each in a process of its own.

Python that runs for seconds would delay the requests of this process, even in a thread.
"""

import asyncio
import subprocess
from collections import Counter

import structlog

from masthead.background.lease import HeldLease
from masthead.background.revenue_statement_process import StatementTask, start_process
from masthead.services.revenue.statements import fail_statement
from masthead.store.engine.interface import Database
from masthead.store.revenue.statements import WaitingStatement, list_waiting

MAX_ATTEMPTS = 3
GIVEN_UP = (
    f"masthead could not work out this statement in {MAX_ATTEMPTS} attempts. The log of the server "
    "says why."
)

log = structlog.get_logger()


class RevenueStatements:
    """Starts a process for each statement that waits; starts it again if it dies."""

    def __init__(self, db: Database, lease: HeldLease, database_url: str) -> None:
        self._db, self._lease, self._database_url = db, lease, database_url
        self._process: subprocess.Popen[bytes] | None = None
        self._attempts: Counter[str] = Counter()
        self._is_stopping = False

    async def run_once(self) -> bool:
        """Work out all statements that wait. Returns False: no work is left."""
        while self._lease.is_held and not self._is_stopping:
            waiting = await list_waiting(self._db, limit=1)
            if not waiting:
                break
            await self._work_out(waiting[0])
        return False

    async def _work_out(self, statement: WaitingStatement) -> None:
        """Wait for a process that works out the statement; after some failures, give it up."""
        task = StatementTask(self._database_url, statement.account_id, statement.id)
        process = self._process = start_process(task)
        code = await asyncio.to_thread(process.wait)
        self._process = None
        if not code or self._is_stopping:
            return
        self._attempts[statement.id] += 1
        attempt = self._attempts[statement.id]
        log.error(
            "statement not worked out: its process ended",
            statement=statement.id,
            exit=code,
            attempt=attempt,
        )
        if attempt >= MAX_ATTEMPTS:
            await fail_statement(self._db, statement.account_id, statement.id, GIVEN_UP)

    async def stop(self) -> None:
        """End the process; its statement waits for another worker."""
        self._is_stopping = True
        if self._process is not None:
            self._process.kill()
            await asyncio.to_thread(self._process.wait)
