"""The daily pass of every account, soon after midnight (UTC)."""

import time
from datetime import date

import structlog

from masthead.background.clock import TrustedClock
from masthead.background.lease import HeldLease
from masthead.metrics.job_failures import count_failure
from masthead.model.actors import Actor
from masthead.model.errors import Busy, Unavailable
from masthead.services.background.daily import run_daily_pass
from masthead.services.background.idle_accounts import pass_idle_accounts
from masthead.store import accounts
from masthead.store.engine.interface import Database

RETRY_SECONDS = 300.0  # to wait after a failed pass
BUSY_SECONDS = 30.0  # to wait if an import has locked the account
BY = Actor(kind="command", id="daily")

log = structlog.get_logger()


class DailyPass:
    """Runs the daily pass of every account once a day; a failure does not affect other accounts.

    Accounts on which it would only change the date have it together.
    """

    def __init__(self, db: Database, lease: HeldLease, clock: TrustedClock) -> None:
        self._db, self._lease, self._clock = db, lease, clock
        self._day: date | None = None
        self._retry_at = 0.0

    async def run_once(self) -> bool:
        """Run the passes that are due. Returns False: no work is left."""
        moment = await self._clock.now()
        if moment is None or self._day == moment.date() or time.monotonic() < self._retry_at:
            return False
        today = moment.date()
        await self._pass_idle_accounts(today)
        async with self._db.read() as connection:
            behind = [a for a in await accounts.list_accounts(connection) if a.daily_date < today]
        has_failed, is_busy = False, False
        for account in behind:
            if not self._lease.is_held:
                return False
            try:
                await run_daily_pass(self._db, account.id, today, by=BY)
            except Busy:
                log.warning("daily pass waits", account=account.subdomain, day=str(today))
                is_busy = True
            except Unavailable:
                raise
            except Exception:
                log.exception("daily pass failed", account=account.subdomain, day=str(today))
                count_failure()
                has_failed = True
            else:
                log.info("daily pass", account=account.subdomain, day=str(today))
        if has_failed or is_busy:
            wait = RETRY_SECONDS if has_failed else BUSY_SECONDS
            self._retry_at = time.monotonic() + wait
        else:
            self._day = today
        return False

    async def _pass_idle_accounts(self, today: date) -> None:
        """Run the passes that only change the date, of all accounts together."""
        if not self._lease.is_held:
            return
        try:
            idle = await pass_idle_accounts(self._db, today)
        except Busy:
            return  # each of them has its own pass
        if idle:
            log.info("daily pass", day=str(today), idle_accounts=idle)
