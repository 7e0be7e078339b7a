"""The clock of the background jobs; they wait while it is not trusted."""

import asyncio
import time
from datetime import date, datetime

import structlog

from masthead.model.clock import now
from masthead.services.background.clock import ClockReading, keep_heartbeat, read_clock
from masthead.store.engine.interface import Database

HEARTBEAT_SECONDS = 60.0

log = structlog.get_logger()


class TrustedClock:
    """Returns the time if the clock is trusted; checks it every minute and at each new date."""

    def __init__(self, db: Database) -> None:
        self._db, self._lock = db, asyncio.Lock()
        self._reading: ClockReading | None = None
        self._checked_at = 0.0
        self._logged: tuple[str, date] | None = None

    async def now(self) -> datetime | None:
        """The current time; None while the clock is not trusted."""
        async with self._lock:
            moment, reading = now(), self._reading
            if reading is None or self._is_old(reading, moment):
                reading = await read_clock(self._db)
                await self._record(reading)
                self._reading, self._checked_at = reading, time.monotonic()
                moment = reading.moment
            return moment if reading.is_trusted else None

    def _is_old(self, reading: ClockReading, moment: datetime) -> bool:
        if not reading.is_trusted or reading.moment.date() != moment.date():
            return True
        return time.monotonic() >= self._checked_at + HEARTBEAT_SECONDS

    async def _record(self, reading: ClockReading) -> None:
        """Write the heartbeat of a trusted clock; log an untrusted one, once for each date."""
        if reading.is_trusted:
            await keep_heartbeat(self._db, reading.moment)
            if self._logged:
                log.info("clock trusted again", clock=reading.moment.isoformat())
            self._logged = None
            return
        logged = reading.state.value, reading.moment.date()
        if logged != self._logged:
            log.error(
                "clock not trusted: the daily pass waits",
                reason=reading.reason,
                do="correct the clock; if it is right, run `masthead daily --confirm`",
            )
            self._logged = logged
