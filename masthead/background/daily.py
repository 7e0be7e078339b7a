"""The daily pass of every account, soon after midnight in its time zone."""

import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import date, datetime

import structlog

from masthead.background.clock import TrustedClock
from masthead.background.failures import BUSY_SECONDS, attempting, failures_logged, read_present
from masthead.background.lease import HeldLease
from masthead.model.actors import Actor
from masthead.model.errors import Unavailable
from masthead.services.background.daily import run_daily_pass
from masthead.services.background.guard import Guard
from masthead.services.background.idle_accounts import pass_idle_accounts
from masthead.store import accounts
from masthead.store.accounts import Account
from masthead.store.engine.interface import Database

BY = Actor(kind="command", id="daily")

log = structlog.get_logger()


def _guard(about: dict[str, str], waits: list[float]) -> Guard:
    """The context of each renewal of an account.

    waits: gets the seconds until a renewal that failed is tried again, and 0.0 for each other one.
    """

    @contextmanager
    def guard(_account_id: int) -> Iterator[None]:
        with attempting("renewal failed", busy="renewal waits", **about) as attempt:
            yield
        waits.append(attempt.wait)

    return guard


class DailyPass:
    """Runs the daily pass of every account once a day; a failure does not affect other accounts.

    Accounts on which it would only change the date have it together. In all time zones, a day
    begins at a quarter of an hour; so each quarter is done once.
    """

    def __init__(self, db: Database, lease: HeldLease, clock: TrustedClock) -> None:
        self._db, self._lease, self._clock = db, lease, clock
        self._quarter: datetime | None = None  # for which the accounts are on their days
        self._unfinished = set[int]()  # accounts on their day, of which something failed
        self._retry_at = 0.0

    async def run_once(self) -> bool:
        """Run the passes that are due. Returns False: no work is left."""
        moment = await self._clock.now()
        if moment is None or time.monotonic() < self._retry_at:
            return False
        quarter = moment.replace(minute=moment.minute // 15 * 15, second=0, microsecond=0)
        if self._quarter == quarter:
            return False
        late, is_whole = await self._list_late(moment)
        if late:
            await self._pass_idle_accounts(late, moment)
            late, is_whole = await self._list_late(moment)
        wait = 0.0 if is_whole else BUSY_SECONDS
        for account in late:
            if not self._lease.is_held:
                return False
            today = account.date_of(moment)
            about = {"account": account.subdomain, "day": str(today)}
            waits = [0.0]
            guard = _guard(about, waits)
            with attempting("daily pass failed", busy="daily pass waits", **about) as attempt:
                await run_daily_pass(self._db, account.id, today, by=BY, guard=guard)
                log.info("daily pass", **about)
            again = max(attempt.wait, *waits)
            if again:
                self._unfinished.add(account.id)
            else:
                self._unfinished.discard(account.id)
            wait = max(wait, again)
        self._retry_at = time.monotonic() + wait
        if not wait:
            self._quarter = quarter
        return False

    async def _list_late(self, moment: datetime) -> tuple[list[Account], bool]:
        """The accounts that need a pass, and whether these are all. Time moves sandboxes itself."""
        found, is_whole = await read_present(self._db, accounts.list_accounts)
        late = [
            each
            for each in found
            if not each.is_sandbox
            and (each.daily_date < each.date_of(moment) or each.id in self._unfinished)
        ]
        return late, is_whole

    async def _pass_idle_accounts(self, late: Iterable[Account], moment: datetime) -> None:
        """Run the passes that only change the date, of all accounts on the same day together."""
        zones = defaultdict[date, set[str]](set)
        for account in late:
            zones[account.date_of(moment)].add(account.time_zone)
        for day, names in zones.items():
            if not self._lease.is_held:
                return
            idle = 0
            # If one of them is busy, fails, or its node of Citus is away, each has its own pass
            with failures_logged("idle accounts not passed", day=str(day)), suppress(Unavailable):
                idle = await pass_idle_accounts(self._db, day, names)
            if idle:
                log.info("daily pass", day=str(day), idle_accounts=idle)
