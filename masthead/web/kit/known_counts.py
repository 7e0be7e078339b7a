"""Counts over all records of an account, which pages show again and again until it changes."""

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from datetime import date
from typing import Any, TypeVar

from masthead.store.accounts import get_write_count
from masthead.store.engine.interface import Connection

T = TypeVar("T")

MAX_ACCOUNTS = 100  # of which a worker keeps counts
MAX_COUNTS = 200  # of an account

Revision = tuple[int, date]  # the number of writes to the account, and the day


class KnownCounts:
    """What this worker has counted since the last write to each account.

    Each write raises the revision of its account, and then all its counts are forgotten. Only what
    changes with a write that locks the account, or with the day, may be kept.
    """

    def __init__(self) -> None:
        self._accounts: OrderedDict[int, tuple[Revision, dict[Hashable, Any]]] = OrderedDict()

    async def get(
        self,
        db: Connection,
        account_id: int,
        today: date,
        name: Hashable,
        count: Callable[[], Awaitable[T]],
    ) -> T:
        """What `count` returns, which nobody may change. Queries: one, and its own if it is new.

        db: the snapshot in which `count` reads, or the database; the revision is read first, so
        that a write in between can only make it count again. count: may use nothing that was read
        in an older snapshot. name: with all that it depends on.
        """
        counts = self._counts_of(account_id, (await get_write_count(db, account_id), today))
        if name not in counts:
            found = await count()
            if len(counts) < MAX_COUNTS:
                counts[name] = found
            return found
        known: T = counts[name]
        return known

    def _counts_of(self, account_id: int, revision: Revision) -> dict[Hashable, Any]:
        """The counts at a revision of the account."""
        known = self._accounts.pop(account_id, None)
        if known is None or known[0] != revision:
            known = revision, {}
        self._accounts[account_id] = known
        if len(self._accounts) > MAX_ACCOUNTS:
            self._accounts.popitem(last=False)
        return known[1]
