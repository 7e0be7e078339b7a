"""When keys were last used: noted in memory, written down now and then."""

from collections import defaultdict
from datetime import datetime

from masthead.model.actors import Principal
from masthead.model.clock import now
from masthead.model.errors import Unavailable
from masthead.store.engine.interface import Database, Transaction
from masthead.store.keys import update_last_used


class KeyUsage:
    """The uses of keys that have not been written down yet."""

    def __init__(self) -> None:
        self._uses: defaultdict[int, dict[str, datetime]] = defaultdict(dict)

    def note(self, principal: Principal) -> None:
        """Remember that a key was used just now."""
        self._uses[principal.account_id][principal.key_id] = now()

    async def write_down(self, db: Database) -> None:
        """Store what was noted since the last time. Queries: one an account."""
        uses, self._uses = self._uses, defaultdict(dict)

        async def work(tx: Transaction) -> None:
            for account_id, of_account in uses.items():
                await update_last_used(tx, account_id, of_account)

        if not uses:
            return
        try:
            await db.write(work)
        except Unavailable:  # what was noted meanwhile is newer
            for account_id, of_account in uses.items():
                self._uses[account_id] = of_account | self._uses[account_id]
            raise
