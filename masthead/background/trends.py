"""Calculate the trends that are missing or outdated, and add up documents and payments by day."""

from datetime import timedelta
from functools import partial

from masthead.background.clock import TrustedClock
from masthead.background.failures import Pauses, attempting, read_present
from masthead.background.lease import HeldLease
from masthead.services.background.trends import refresh_trend
from masthead.services.billing.daily_sums import refresh_daily_sums
from masthead.store.engine.interface import Database
from masthead.store.reports import trends

TREND_SECONDS = 10.0  # to wait until new writes appear in a trend,
TREND_SHARE = 100  # or this many times its calculation time, if that is longer


class TrendRefresh:
    """Keeps the trend of every account up to date."""

    def __init__(self, db: Database, lease: HeldLease, clock: TrustedClock) -> None:
        self._db, self._lease, self._clock = db, lease, clock
        self._pauses = Pauses()

    async def run_once(self) -> bool:
        """Calculate the trends that are due. Returns False: no work is left."""
        moment = await self._clock.now()
        if moment is None:
            return False
        settled = moment - timedelta(seconds=TREND_SECONDS)
        due, _is_whole = await read_present(self._db, partial(trends.list_due, settled=settled))
        for account_id in due:
            if account_id in self._pauses:
                continue
            if not self._lease.is_held:
                return False
            with attempting("trend cannot be calculated", account=account_id) as attempt:
                took = await refresh_trend(self._db, account_id)
                await refresh_daily_sums(self._db, account_id)
                attempt.wait = TREND_SHARE * took
            self._pauses.begin(account_id, attempt.wait)
        return False
