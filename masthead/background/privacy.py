"""Finish erasures, and delete personal data that is older than the accounts keep it."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date

import structlog

from masthead.background.clock import TrustedClock
from masthead.background.failures import BUSY_SECONDS, attempting, read_present
from masthead.background.lease import HeldLease
from masthead.model.actors import Actor
from masthead.model.errors import Busy
from masthead.services.background.guard import Guard
from masthead.services.privacy.finish import finish_erasures
from masthead.services.privacy.retention import run_retention
from masthead.store.engine.interface import Database
from masthead.store.privacy import retention

BY = Actor(kind="command", id="retention")
NIGHT = range(1, 5)  # hours (UTC) in which the file of a large database is rewritten
RETRY_SECONDS = 300.0  # to wait if an import has locked an account, or after a failure

log = structlog.get_logger()


class Privacy:
    """Applies the rules of retention once a day, and removes the traces of erasures."""

    def __init__(
        self, db: Database, lease: HeldLease, clock: TrustedClock, placeholder_domain: str
    ) -> None:
        self._db, self._lease, self._clock = db, lease, clock
        self._domain = placeholder_domain
        self._day: date | None = None
        self._done: dict[int, date] = {}
        self._retry_at = 0.0

    async def run_once(self) -> bool:
        """Do what is due. Returns False: no work is left."""
        moment = await self._clock.now()
        if moment is None or time.monotonic() < self._retry_at:
            return False
        try:
            if self._day != moment.date():
                wait = await self._apply_rules(moment.date())
                if wait:
                    self._retry_at = time.monotonic() + wait
                else:
                    self._day = moment.date()
            is_quiet, waits = moment.hour in NIGHT, list[float]()
            if await finish_erasures(self._db, is_quiet=is_quiet, guard=_guard(waits)):
                log.info("erasures finished")
            if any(waits):
                self._retry_at = time.monotonic() + max(waits)
        except Busy:
            log.warning("retention waits", day=str(moment.date()))
            self._retry_at = time.monotonic() + RETRY_SECONDS
        except Exception:  # such as a full disk: do not rewrite the file again at once
            self._retry_at = time.monotonic() + RETRY_SECONDS
            raise
        return False

    async def _apply_rules(self, day: date) -> float:
        """Apply the rules of all accounts; returns how long to wait for those that failed."""
        found, is_whole = await read_present(self._db, retention.list_automatic)
        wait = 0.0 if is_whole else BUSY_SECONDS
        for id in found:
            if not self._lease.is_held or self._done.get(id) == day:
                continue
            about = {"account": id, "day": str(day)}
            with attempting("retention failed", busy="retention waits", **about) as attempt:
                done = await run_retention(
                    self._db, id, day, placeholder_domain=self._domain, by=BY
                )
                if done:
                    counts = {kind.value: count for kind, count in done.items()}
                    log.info("old data deleted", account=id, **counts)
                self._done[id] = day
            wait = max(wait, attempt.wait)
        return wait


def _guard(waits: list[float]) -> Guard:
    """The context of the fingerprints of an account. waits: gets how long to wait after each."""

    @contextmanager
    def guard(account_id: int) -> Iterator[None]:
        with attempting("fingerprints not restored", account=account_id) as attempt:
            yield
        waits.append(attempt.wait)

    return guard
