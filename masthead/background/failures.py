"""A row that fails does not keep a job from the rows after it."""

import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import structlog
from msgspec import Struct

from masthead.metrics.job_failures import count_failure
from masthead.model.errors import Busy, Unavailable
from masthead.store.engine.citus import present
from masthead.store.engine.interface import Connection, Reader

RETRY_SECONDS = 300.0  # to wait after a failure
BUSY_SECONDS = 30.0  # to wait if an import has locked the account, or its database is away

T = TypeVar("T")

log = structlog.get_logger()


class Attempt(Struct):
    """One attempt to work on a row. wait: seconds until the next one, 0.0 if there is none."""

    wait: float = 0.0


@contextmanager
def failures_logged(event: str, **about: object) -> Iterator[None]:
    """Log and count an error of the block instead of raising it. about: what the block works on.

    The block works on all accounts. Raises: Unavailable.
    """
    try:
        yield
    except Unavailable:
        raise
    except Exception:
        log.exception(event, **about)
        count_failure()


@contextmanager
def attempting(event: str, *, busy: str = "", **about: object) -> Iterator[Attempt]:
    """Like `failures_logged` for one account, and set how long to wait after a failure.

    On Citus, the database may be unavailable for some accounts only. If it is for all, the lease
    ends soon, and with it the work. busy: what is logged if an import has locked the account.
    """
    attempt, wait = Attempt(), RETRY_SECONDS
    with failures_logged(event, **about):
        try:
            yield attempt
            wait = attempt.wait
        except Busy:
            wait = BUSY_SECONDS
            if busy:
                log.warning(busy, **about)
        except Unavailable as reason:
            wait = BUSY_SECONDS
            log.warning(event, **about, reason=str(reason))
            count_failure()
    attempt.wait = wait


async def read_present(
    db: Reader, read: Callable[[Connection], Awaitable[T]], *, is_long: bool = False
) -> tuple[T, bool]:
    """The result of a read of all accounts, and whether the nodes of all of them answered.

    On Citus, accounts whose node is away are left out; that counts as a failure. Raises:
    Unavailable if no node answers.
    """
    found, is_whole = await present.read_present(db, read, is_long=is_long)
    if not is_whole:
        count_failure()
    return found, is_whole


class Pauses:
    """The accounts that a job leaves alone for some time, so that it works on others."""

    def __init__(self) -> None:
        self._until: dict[int, float] = {}

    def __contains__(self, account_id: int) -> bool:
        """Whether the account has a pause."""
        return self._until.get(account_id, 0.0) > time.monotonic()

    def __iter__(self) -> Iterator[int]:
        """The accounts that have a pause."""
        return (account_id for account_id in list(self._until) if account_id in self)

    def begin(self, account_id: int, seconds: float) -> None:
        """Leave an account alone for some seconds; 0 ends a pause."""
        self._until[account_id] = time.monotonic() + seconds
