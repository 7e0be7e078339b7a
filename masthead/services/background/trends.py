"""Calculate trends, renewal rates and what is owed in the background, so that no page waits."""

import time

from masthead.model.renewals import rates as model
from masthead.model.reports.trends import month_ends
from masthead.store import accounts
from masthead.store.engine.interface import Database, Transaction
from masthead.store.issues import records as issues
from masthead.store.renewals import rates
from masthead.store.reports import fulfilment, trends as store


async def refresh_trend(db: Database, account_id: int) -> float:
    """Count and store what was active, what was renewed and what is owed; returns how long.

    With 1,000,000 copies it takes a second or two, in a read that blocks no write, and then
    writes a few rows.
    """
    began = time.monotonic()
    async with db.read(is_long=True) as connection:
        account = await accounts.get_account(connection, account_id)
        writes, today = account.writes, account.daily_date
        points = await store.count_active(connection, account_id, month_ends(today), account.zone)
        current = await issues.find_current(connection, account_id, today)
        last = current.number if current else 0
        owed = await fulfilment.count_owed(connection, account_id, today=today, current=last)
        renewed = await rates.count_rates(
            connection, account_id, first=last - model.ISSUES + 1, last=last
        )
    took = time.monotonic() - began

    async def work(tx: Transaction) -> None:
        await store.replace_trend(tx, account_id, points, writes=writes, day=today)
        await accounts.update_owed(tx, account_id, owed.copies, owed.owed_date)
        await rates.replace_rates(tx, account_id, renewed)

    await db.write(work)
    return took
