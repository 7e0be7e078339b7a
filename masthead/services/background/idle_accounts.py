"""Move the accounts on which a new day changes nothing to that day, many in one statement."""

from collections.abc import Collection, Mapping
from datetime import date
from functools import partial

from masthead.store.background import idle_accounts as store
from masthead.store.engine.citus.present import read_present
from masthead.store.engine.interface import Database, Transaction

ACCOUNTS = 500  # in one statement, which waits if another write has locked one of them


async def pass_idle_accounts(db: Database, day: date, zones: Collection[str]) -> int:
    """Do the daily pass of the accounts on which it would only change the date.

    zones: the time zones of the accounts. Returns how many they were. A trend that the day does not
    change is kept. An account that is written to at the same time is left for its own pass.
    Queries: two, and two for each 500 accounts. Raises: Busy.
    """
    without_pass = partial(store.list_without_pass, day=day, zones=zones)
    idle, _is_whole = await read_present(db, without_pass, is_long=True)
    if not idle:
        return 0
    with_right_trend = partial(store.list_with_right_trend, day=day)
    right, _is_whole = await read_present(db, with_right_trend, is_long=True)
    moved = 0
    for seen in _batches(idle):
        kept = {id: right[id] for id, writes in seen.items() if right.get(id) == writes}

        async def work(
            tx: Transaction, seen: Mapping[int, int] = seen, kept: Mapping[int, int] = kept
        ) -> int:
            if kept:
                await store.update_trend_days(tx, kept, day)
            return await store.update_daily_dates(tx, seen, day)

        moved += await db.write(work)
    return moved


def _batches(idle: Mapping[int, int]) -> list[dict[int, int]]:
    pairs = sorted(idle.items())
    return [dict(pairs[start : start + ACCOUNTS]) for start in range(0, len(pairs), ACCOUNTS)]
