"""A row that fails does not keep a job from the rows after it."""

from collections.abc import Iterator
from contextlib import contextmanager

import structlog
from msgspec import Struct

from masthead.metrics.job_failures import count_failure
from masthead.model.errors import Busy, Unavailable

RETRY_SECONDS = 300.0  # to wait after a failure
BUSY_SECONDS = 30.0  # to wait if an import has locked the account

log = structlog.get_logger()


class Attempt(Struct):
    """One attempt to work on a row. wait: seconds until the next one, 0.0 if there is none."""

    wait: float = 0.0


@contextmanager
def failures_logged(event: str, **about: object) -> Iterator[None]:
    """Log and count an error of the block instead of raising it. about: what the block works on.

    Raises: Unavailable, which all rows would raise.
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
    """Like `failures_logged`, and set how long to wait after a failure or a locked account.

    busy: what is logged if an import has locked the account. Raises: Unavailable.
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
    attempt.wait = wait
