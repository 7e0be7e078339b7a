"""The daily pass, run for a given date."""

from datetime import date
from functools import partial

from masthead.services.background.daily import run_daily_pass
from masthead.services.background.trends import refresh_trend
from masthead.store.accounts import update_daily_date
from tests.conftest import BY, Cast


async def pass_on(cast: Cast, day: str) -> bool:
    """Run the daily pass of a date; returns whether it was still to do."""
    return await run_daily_pass(cast.db, cast.account_id, date.fromisoformat(day), by=BY)


async def count_trend(cast: Cast, day: date) -> None:
    """Count the trend on a day, which may be before the day of the account."""
    await cast.db.write(partial(update_daily_date, account_id=cast.account_id, day=day))
    await refresh_trend(cast.db, cast.account_id)
