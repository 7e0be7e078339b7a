"""Find what a wrong clock has caused: dates in the future, and a clock that is not trusted."""

from collections.abc import AsyncIterator
from datetime import timedelta

from masthead.model.clock import ClockState, latest_today, now
from masthead.services.background.clock import read_clock
from masthead.services.check.accounts import Fault
from masthead.store import accounts
from masthead.store.audit import trail
from masthead.store.background import leases
from masthead.store.engine.interface import Database

SLACK = timedelta(hours=1)  # how much the clocks of two machines may differ
ALL = "all accounts"


async def find_clock_faults(db: Database) -> AsyncIterator[Fault]:
    """Everything dated in the future, and the clock itself if it is not trusted.

    Audit entries cannot be changed, so those before the last repeated daily pass are ignored.
    """
    reading = await read_clock(db)
    if reading.state not in (ClockState.TRUSTED, ClockState.UNPROVEN):
        yield Fault(ALL, "the clock is right", reading.reason)
    moment = now()
    async with db.read(is_long=True) as connection:
        for lease in await leases.list_leases(connection):
            if lease.until_at > moment + SLACK:
                yield Fault(ALL, "no lease ends in the future", f"{lease.name} {lease.until_at}")
        for account in await accounts.list_accounts(connection):
            if not account.is_sandbox and account.daily_date > latest_today(moment + SLACK):
                day = str(account.daily_date)
                yield Fault(account.subdomain, "no daily pass is in the future", day)
            for id in await trail.list_future(connection, account.id, moment + SLACK):
                yield Fault(account.subdomain, "no audit entry is in the future", str(id))
