"""Write search texts of earlier versions again, which folded the fields in another way."""

import time

from masthead.background.failures import attempting, read_present
from masthead.background.lease import HeldLease
from masthead.services.search_index import refresh_search
from masthead.store import accounts
from masthead.store.engine.interface import Database

ROUNDS = 2  # a worker of the version before may still write, during an upgrade
AGAIN_SECONDS = 3600.0


class SearchRefresh:
    """Looks through the texts of all accounts after the start, and again after an hour."""

    def __init__(self, db: Database, lease: HeldLease) -> None:
        self._db, self._lease = db, lease
        self._waiting = list[int]()  # accounts
        self._after = 0  # the last number of the current account
        self._next_at, self._rounds = 0.0, ROUNDS

    async def run_once(self) -> bool:
        """Write one batch again; returns whether there may be more work now."""
        if not self._waiting:
            if not self._rounds or time.monotonic() < self._next_at:
                return False
            found, is_whole = await read_present(self._db, accounts.list_accounts)
            self._rounds -= is_whole
            self._next_at = time.monotonic() + AGAIN_SECONDS
            self._waiting = [each.id for each in found]
        if self._waiting and self._lease.is_held:
            last: int | None = None  # the account is done, or fails
            account_id = self._waiting[-1]
            with attempting("search texts cannot be written", account=account_id):
                last = await refresh_search(self._db, account_id, self._after)
            self._after = last or 0
            if last is None:
                self._waiting.pop()
        return bool(self._waiting)
