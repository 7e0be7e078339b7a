"""Delete what has expired: sessions, failure counts, tokens of forms, answers, temporary files.

Also keep the statistics of the query planner up to date.
"""

import asyncio
import time
from datetime import datetime, timedelta

from masthead.background.clock import TrustedClock
from masthead.background.failures import failures_logged
from masthead.services.identity import sign_in
from masthead.store import idempotency
from masthead.store.engine.interface import Database, Transaction
from masthead.temporary_files import delete_abandoned

CLEANUP_SECONDS = 3600.0
STATISTICS_SECONDS = 60.0
TOKENS_KEPT = timedelta(days=2)  # longer than a form stays open in a browser
ANSWERS_KEPT = timedelta(hours=24)  # of requests with an `Idempotency-Key`; docs/api.md promises it


class Cleanup:
    """Deletes expired rows, and files of killed processes, once an hour if the clock is trusted."""

    def __init__(self, db: Database, clock: TrustedClock) -> None:
        self._db, self._clock = db, clock
        self._retry_at = self._statistics_at = 0.0

    async def run_once(self) -> bool:
        """Do what is due. Returns False: no work is left."""
        if time.monotonic() >= self._statistics_at:
            self._statistics_at = time.monotonic() + STATISTICS_SECONDS
            await self._db.update_statistics()
        moment = await self._clock.now()
        if moment is None or time.monotonic() < self._retry_at:
            return False
        self._retry_at = time.monotonic() + CLEANUP_SECONDS
        await asyncio.to_thread(delete_abandoned)
        await sign_in.purge(self._db)
        before = moment - TOKENS_KEPT
        for account_id in await idempotency.list_accounts_with_old_keys(self._db, before):
            with failures_logged("tokens of forms not deleted", account=account_id):
                await self._delete_tokens(account_id, before)
        before = moment - ANSWERS_KEPT
        for account_id in await idempotency.list_accounts_with_old_answers(self._db, before):
            with failures_logged("answers not deleted", account=account_id):
                await self._delete_answers(account_id, before)
        return False

    async def _delete_tokens(self, account_id: int, before: datetime) -> None:
        async def work(tx: Transaction) -> None:
            await idempotency.delete_old_keys(tx, account_id, before)

        await self._db.write(work)

    async def _delete_answers(self, account_id: int, before: datetime) -> None:
        async def work(tx: Transaction) -> None:
            await idempotency.delete_old_answers(tx, account_id, before)

        await self._db.write(work)
