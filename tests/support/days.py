"""Time for tests: the daily pass, run for a chosen day."""

from datetime import date

from masthead.services.maintenance.daily import run_daily_pass
from tests.conftest import BY, Cast


async def pass_on(cast: Cast, day: str) -> bool:
    """Bring the account to a day; whether it was not there already past it."""
    return await run_daily_pass(cast.db, cast.account_id, date.fromisoformat(day), by=BY)
