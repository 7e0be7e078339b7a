"""The daily pass: what time moves."""

from datetime import date

from msgspec import structs

from masthead.model.actors import Actor
from masthead.services.states import settle
from masthead.store import accounts, periods
from masthead.store.connection import Database, Transaction


async def run_daily_pass(db: Database, account_id: int, day: date, *, by: Actor) -> bool:
    """Bring an account to a day: membership periods end, and states follow.

    Whether it was done: an account never goes back to an earlier day. Once for a day is enough,
    again is harmless; days left out are made up for.
    """

    async def work(tx: Transaction) -> bool:
        account = await accounts.lock_account(tx, account_id)
        if day < account.daily_date:
            return False
        await accounts.update_daily_date(tx, account_id, day)
        ended = await periods.find_ended_memberships(tx, account_id, day)
        await settle(tx, structs.replace(account, daily_date=day), ended, by=by)
        return True

    return await db.write(work, account_id=account_id, is_long=True)
