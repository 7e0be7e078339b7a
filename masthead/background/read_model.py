"""Render again the documents that a write has outdated."""

import time

import structlog

from masthead.background.lease import HeldLease
from masthead.model.errors import Busy, Unavailable
from masthead.model.ids import LAST_ID
from masthead.services.maintenance.read_model import refill_documents
from masthead.store.engine.interface import Database
from masthead.store.read_model import subscription_json

AGAIN_SECONDS = 300.0  # after a refill that failed
BUSY_SECONDS = 30.0  # after an account was locked by an import
REFILL_SECONDS = 2.0  # before another account has its turn

log = structlog.get_logger()


class DocumentRefill:
    """Renders outdated documents; accounts take turns."""

    def __init__(self, db: Database, lease: HeldLease) -> None:
        self._db, self._lease = db, lease
        self._refilled: dict[int, str | None] = {}  # how far, by account
        self._again_at: dict[int, float] = {}

    async def run_once(self) -> bool:
        """Work for a while; whether there is more to do now."""
        until = time.monotonic() + REFILL_SECONDS
        while behind := await self._list_behind():
            for account_id in behind:
                if not self._lease.is_held:
                    return False
                await self._refill_some(account_id)
                if time.monotonic() > until:
                    return True
        return False

    async def _list_behind(self) -> list[int]:
        """The accounts with outdated documents, except those whose refill has just failed."""
        moment = time.monotonic()
        return [
            account_id
            for account_id in await subscription_json.list_outdated_accounts(self._db)
            if self._again_at.get(account_id, moment) <= moment
        ]

    async def _refill_some(self, account_id: int) -> None:
        """Render a batch of an account's documents; a failure delays no other account."""
        before = self._refilled.pop(account_id, None) or LAST_ID
        try:
            self._refilled[account_id] = await refill_documents(self._db, account_id, before)
        except Busy:
            self._again_at[account_id] = time.monotonic() + BUSY_SECONDS
        except Unavailable:
            raise
        except Exception:
            log.exception("documents cannot be rendered", account=account_id)
            self._again_at[account_id] = time.monotonic() + AGAIN_SECONDS
