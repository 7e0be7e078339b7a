"""Move the accounts on which a new day changes nothing to that day, many in one statement."""

from collections.abc import Mapping
from datetime import date
from functools import partial

from masthead.model.clock import now
from masthead.store.background import idle_accounts as store
from masthead.store.engine.citus.present import read_present
from masthead.store.engine.interface import Database, Transaction

ACCOUNTS = 500  # in one statement, which waits if another write has locked one of them


async def pass_idle_accounts(db: Database, day: date) -> int:
    """Do the daily pass of the accounts on which it would only change the date.

    Returns how many they were. An account that is written to at the same time is left for its own
    pass. Queries: one, and one for each 500 accounts. Raises: Busy.
    """
    without_pass = partial(store.list_without_pass, day=day)
    idle, _is_whole = await read_present(db, without_pass, is_long=True)
    moved = 0
    for seen in _batches(idle):

        async def work(tx: Transaction, seen: Mapping[int, int] = seen) -> int:
            return await store.update_daily_dates(tx, seen, day)

        moved += await db.write(work)
    return moved


async def keep_trends(db: Database, today: date) -> int:
    """Store that the trends of earlier days are right today, for accounts on which nothing changed.

    Returns how many they were. Queries: one, and one for each 500 accounts. Raises: Busy.
    """
    with_right_trend = partial(store.list_with_right_trend, today=today)
    idle, _is_whole = await read_present(db, with_right_trend, is_long=True)
    kept = 0
    for seen in _batches(idle):

        async def work(tx: Transaction, seen: Mapping[int, int] = seen) -> int:
            return await store.update_trend_times(tx, seen, now())

        kept += await db.write(work)
    return kept


def _batches(idle: Mapping[int, int]) -> list[dict[int, int]]:
    pairs = sorted(idle.items())
    return [dict(pairs[start : start + ACCOUNTS]) for start in range(0, len(pairs), ACCOUNTS)]
