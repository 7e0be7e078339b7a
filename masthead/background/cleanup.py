"""Delete what has expired: sessions, failure counts, tokens of forms."""

import time
from datetime import datetime, timedelta

from masthead.background.clock import GuardedClock
from masthead.services.identity import sign_in
from masthead.store import accounts, idempotency
from masthead.store.engine.interface import Database, Transaction

CLEANUP_SECONDS = 3600.0
MARKS_KEPT = timedelta(days=2)  # of forms; longer than people leave one open


class Cleanup:
    """Deletes expired rows once an hour, unless the clock is wrong: they may not have expired."""

    def __init__(self, db: Database, clock: GuardedClock) -> None:
        self._db, self._clock = db, clock
        self._again_at = 0.0

    async def run_once(self) -> bool:
        """Delete what is due; False: there is nothing left to do now."""
        moment = await self._clock.now()
        if moment is None or time.monotonic() < self._again_at:
            return False
        self._again_at = time.monotonic() + CLEANUP_SECONDS
        await sign_in.purge(self._db)
        for account in await accounts.list_accounts(self._db):
            await self._forget_marks(account.id, moment - MARKS_KEPT)
        return False

    async def _forget_marks(self, account_id: int, before: datetime) -> None:
        async def work(tx: Transaction) -> None:
            await idempotency.delete_old_keys(tx, account_id, before)

        await self._db.write(work)
