"""The renewal letters that are sent by rule, once a day after the daily pass."""

import time
from datetime import date

import structlog

from masthead.background.clock import TrustedClock
from masthead.background.failures import attempting, read_present
from masthead.background.lease import HeldLease
from masthead.model.actors import Actor
from masthead.model.emails import Site
from masthead.model.renewals.lapsed import RenewalStage
from masthead.services.letters.write import write_automatic
from masthead.store import accounts
from masthead.store.engine.interface import Database
from masthead.store.letters import stages

CHECK_SECONDS = 60.0  # between looking for stages that are sent by rule
BY = Actor(kind="command", id="renewal letters")

log = structlog.get_logger()


class RenewalLetters:
    """Writes the letters of stages that are sent by rule; a failure affects one stage only.

    A stage waits until its account has had the daily pass of the day, and is done once a day. A
    second time would do no harm: no subscription gets a letter of a stage twice.
    """

    def __init__(
        self, db: Database, lease: HeldLease, clock: TrustedClock, site: Site | None
    ) -> None:
        """site: None without a mail server, because then no letters are written."""
        self._db, self._lease, self._clock, self._site = db, lease, clock, site
        self._done: dict[tuple[int, RenewalStage], date] = {}
        self._check_at = 0.0

    async def run_once(self) -> bool:
        """Write the letters that are due. Returns False: no work is left."""
        moment = await self._clock.now()
        if self._site is None or moment is None or time.monotonic() < self._check_at:
            return False
        self._check_at = time.monotonic() + CHECK_SECONDS
        automatic, _is_whole = await read_present(self._db, stages.list_automatic)
        found, _is_whole = await read_present(self._db, accounts.list_accounts)
        days = {each.id: each for each in found}
        for account_id, stage in automatic:
            if (account := days.get(account_id)) is None:
                continue
            today = account.date_of(moment)
            is_due = account.is_active and account.daily_date == today
            is_due = is_due and not account.is_sandbox  # time moves those: services/sandboxes
            if not self._lease.is_held:
                return False
            if is_due and self._done.get((account_id, stage)) != today:
                await self._write(account, stage, today, self._site)
        return False

    async def _write(
        self, account: accounts.Account, stage: RenewalStage, today: date, site: Site
    ) -> None:
        about = {"account": account.subdomain, "stage": stage.value}
        with attempting("renewal letters failed", busy="renewal letters wait", **about):
            batch = await write_automatic(self._db, account.id, stage, site=site, by=BY)
            self._done[account.id, stage] = today
            if batch is not None:
                log.info("renewal letters", **about, letters=batch.letters)
