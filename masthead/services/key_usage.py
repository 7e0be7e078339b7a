"""The last use of each API key: kept in memory, and stored from time to time."""

from collections import defaultdict
from datetime import UTC, datetime
from time import time

from masthead.model.errors import Unavailable
from masthead.model.identity.api_keys import Principal
from masthead.store.engine.interface import Database, Transaction
from masthead.store.keys import update_last_used


class KeyUsage:
    """The last uses of keys that are not stored yet."""

    def __init__(self) -> None:
        self._uses: defaultdict[int, dict[str, float]] = defaultdict(dict)

    def note(self, principal: Principal) -> None:
        """Record that a key is used now."""
        self._uses[principal.account_id][principal.key_id] = time()  # half of `now()`

    async def flush(self, db: Database) -> None:
        """Store the uses since the last flush. Queries: one for each account."""
        uses, self._uses = self._uses, defaultdict(dict)

        async def work(tx: Transaction) -> None:
            for account_id, of_account in uses.items():
                moments = {id: datetime.fromtimestamp(at, UTC) for id, at in of_account.items()}
                await update_last_used(tx, account_id, moments)

        if not uses:
            return
        try:
            await db.write(work)
        except Unavailable:  # keep them, unless a newer use was recorded since then
            for account_id, of_account in uses.items():
                self._uses[account_id] = of_account | self._uses[account_id]
            raise
