"""The queue of writes to PostgreSQL, so that accounts do not wait for each other.

Only a few writes of an account have connections at a time: one runs and the others wait for its
lock. All further writes wait here. If a write has waited for half a second because another process
(such as an import) locks the account, it releases its connection, and only a few such writes may
retry at a time.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from weakref import WeakValueDictionary

from masthead.model.errors import Busy

# Of the connections that write:
WRITERS = 8
OF_ACCOUNTS = 5  # for the writes of accounts
OF_ONE_ACCOUNT = 3  # so that the lock is taken again as soon as it is free
OF_BLOCKED = 2  # for those that wait for another process; the rest is for sign-ins


class Turn(asyncio.Semaphore):
    """The permission to write, for one account or without an account.

    is_blocked: whether another process held the lock that the last write needed.
    """

    def __init__(self, account_id: int | None) -> None:
        super().__init__(OF_ONE_ACCOUNT)
        self.account_id, self.is_blocked = account_id, False


class WriteQueue:
    """The writes of one process. wait: seconds after which a write gives up."""

    def __init__(self, wait: float) -> None:
        self._wait = wait
        self._turns = WeakValueDictionary[int, Turn]()
        self._of_accounts = asyncio.Semaphore(OF_ACCOUNTS)
        self._of_blocked = asyncio.Semaphore(OF_BLOCKED)

    @asynccontextmanager
    async def turn(self, account_id: int | None) -> AsyncIterator[tuple[Turn, float]]:
        """The account's turn, and the time until which the write may wait. Raises: Busy."""
        until = asyncio.get_running_loop().time() + self._wait
        turn = Turn(None)
        if account_id is not None:
            turn = self._turns.setdefault(account_id, Turn(account_id))
        async with _held(turn, until):
            yield turn, until

    @asynccontextmanager
    async def share(self, turn: Turn, until: float) -> AsyncIterator[None]:
        """One of a limited number of slots for writes of the same kind."""
        if turn.is_blocked:
            slots = self._of_blocked
        elif turn.account_id is not None:
            slots = self._of_accounts
        else:
            yield
            return
        async with _held(slots, until):
            yield


@asynccontextmanager
async def _held(semaphore: asyncio.Semaphore, until: float) -> AsyncIterator[None]:
    """Hold a semaphore during the block. Raises: Busy if it is not free in time."""
    try:
        async with asyncio.timeout_at(until) if semaphore.locked() else nullcontext():
            await semaphore.acquire()
    except TimeoutError:
        raise Busy from None
    try:
        yield
    finally:
        semaphore.release()
