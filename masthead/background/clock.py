"""The clock of the background work: jobs that depend on it wait while it is not trusted."""

import asyncio
import time
from datetime import date, datetime

import structlog

from masthead.model.clock import now
from masthead.services.maintenance.clock import ClockReading, keep_heartbeat, read_clock
from masthead.store.engine.interface import Database

HEARTBEAT_SECONDS = 60.0

log = structlog.get_logger()


class GuardedClock:
    """Tells the time if the clock is trusted; checks every minute and when the date changes."""

    def __init__(self, db: Database) -> None:
        self._db, self._turn = db, asyncio.Lock()
        self._reading: ClockReading | None = None
        self._read_at = 0.0
        self._logged: tuple[str, date] | None = None

    async def now(self) -> datetime | None:
        """The current time, None while the clock is not trusted."""
        async with self._turn:
            moment, known = now(), self._reading
            if known is None or self._is_old(known, moment):
                known = await read_clock(self._db)
                await self._follow(known)
                self._reading, self._read_at = known, time.monotonic()
                moment = known.moment
            return moment if known.is_trusted else None

    def _is_old(self, known: ClockReading, moment: datetime) -> bool:
        if not known.is_trusted or known.moment.date() != moment.date():
            return True
        return time.monotonic() >= self._read_at + HEARTBEAT_SECONDS

    async def _follow(self, reading: ClockReading) -> None:
        """Write the heartbeat of a trusted clock; log an untrusted one, once for each date."""
        if reading.is_trusted:
            await keep_heartbeat(self._db, reading.moment)
            if self._logged:
                log.info("clock trusted again", clock=reading.moment.isoformat())
            self._logged = None
            return
        told = reading.state.value, reading.moment.date()
        if told != self._logged:
            log.error(
                "clock not trusted: the daily pass waits",
                reason=reading.reason,
                do="correct the clock; if it is right, run `masthead daily --confirm`",
            )
            self._logged = told
