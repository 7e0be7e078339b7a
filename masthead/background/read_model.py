"""Refresh the read model: render the JSON of subscriptions that writes have changed."""

import time

import structlog

from masthead.background.lease import HeldLease
from masthead.metrics.job_failures import count_failure
from masthead.model.errors import Busy, Unavailable
from masthead.model.ids import LAST_ID
from masthead.services.background.read_model import refresh_read_model
from masthead.store.engine.interface import Database
from masthead.store.read_model import subscription_json

RETRY_SECONDS = 300.0  # to wait after a failed refresh
BUSY_SECONDS = 30.0  # to wait if an import has locked the account
REFRESH_SECONDS = 2.0  # the longest run of the job

log = structlog.get_logger()


class ReadModelRefresh:
    """Renders outdated rows of the read model; accounts take turns."""

    def __init__(self, db: Database, lease: HeldLease) -> None:
        self._db, self._lease = db, lease
        self._positions: dict[int, str | None] = {}  # the last id rendered, by account
        self._retry_at: dict[int, float] = {}

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
        moment = time.monotonic()
        return [
            account_id
            for account_id in await subscription_json.list_outdated_accounts(self._db)
            if self._retry_at.get(account_id, moment) <= moment
        ]

    async def _render_batch(self, account_id: int) -> None:
        """Render a batch of an account; a failure does not affect other accounts."""
        after = self._positions.pop(account_id, None) or LAST_ID
        try:
            self._positions[account_id] = await refresh_read_model(self._db, account_id, after)
        except Busy:
            self._retry_at[account_id] = time.monotonic() + BUSY_SECONDS
        except Unavailable:
            raise
        except Exception:
            log.exception("documents cannot be rendered", account=account_id)
            count_failure()
            self._retry_at[account_id] = time.monotonic() + RETRY_SECONDS
