"""Delete expired rows: sessions, failure counts and idempotency tokens of forms."""

import time
from datetime import datetime, timedelta

from masthead.background.clock import TrustedClock
from masthead.services.identity import sign_in
from masthead.store import accounts, idempotency
from masthead.store.engine.interface import Database, Transaction

CLEANUP_SECONDS = 3600.0
TOKENS_KEPT = timedelta(days=2)  # longer than a form stays open in a browser


class Cleanup:
    """Deletes expired rows once an hour, if the clock is trusted."""

    def __init__(self, db: Database, clock: TrustedClock) -> None:
        self._db, self._clock = db, clock
        self._retry_at = 0.0

    async def run_once(self) -> bool:
        """Delete expired rows. Returns False: no work is left."""
        moment = await self._clock.now()
        if moment is None or time.monotonic() < self._retry_at:
            return False
        self._retry_at = time.monotonic() + CLEANUP_SECONDS
        await sign_in.purge(self._db)
        for account in await accounts.list_accounts(self._db):
            await self._delete_tokens(account.id, moment - TOKENS_KEPT)
        return False

    async def _delete_tokens(self, account_id: int, before: datetime) -> None:
        async def work(tx: Transaction) -> None:
            await idempotency.delete_old_keys(tx, account_id, before)

        await self._db.write(work)
