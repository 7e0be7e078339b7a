"""The daily pass, run for a given date."""

from datetime import date

from masthead.services.background.daily import run_daily_pass
from tests.conftest import BY, Cast


async def pass_on(cast: Cast, day: str) -> bool:
    """Run the daily pass of a date; returns whether it was still to do."""
    return await run_daily_pass(cast.db, cast.account_id, date.fromisoformat(day), by=BY)
