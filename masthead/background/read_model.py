"""Refresh the read model: render the JSON of subscriptions that writes have changed."""

import time

from masthead.background.failures import Pauses, attempting, read_present
from masthead.background.lease import HeldLease
from masthead.model.ids import LAST_ID
from masthead.services.background.read_model import refresh_read_model
from masthead.store.engine.interface import Database
from masthead.store.read_model import subscription_json

REFRESH_SECONDS = 2.0  # the longest run of the job


class ReadModelRefresh:
    """Renders outdated rows of the read model; accounts take turns."""

    def __init__(self, db: Database, lease: HeldLease) -> None:
        self._db, self._lease = db, lease
        self._positions: dict[int, str | None] = {}  # the last id rendered, by account
        self._pauses = Pauses()

    async def run_once(self) -> bool:
        """Render for a while; returns whether there is more work now."""
        until = time.monotonic() + REFRESH_SECONDS
        while behind := await self._list_outdated_accounts():
            for account_id in behind:
                if not self._lease.is_held:
                    return False
                await self._render_batch(account_id)
                if time.monotonic() > until:
                    return True
        return False

    async def _list_outdated_accounts(self) -> list[int]:
        """The accounts with outdated rows, except those whose refresh has just failed."""
        outdated, _is_whole = await read_present(self._db, subscription_json.list_outdated_accounts)
        return [account_id for account_id in outdated if account_id not in self._pauses]

    async def _render_batch(self, account_id: int) -> None:
        """Render a batch of an account; a failure does not affect other accounts."""
        after = self._positions.pop(account_id, None) or LAST_ID
        with attempting("documents cannot be rendered", account=account_id) as attempt:
            self._positions[account_id] = await refresh_read_model(self._db, account_id, after)
        self._pauses.begin(account_id, attempt.wait)
