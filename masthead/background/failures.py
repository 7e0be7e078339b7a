"""A row that fails does not keep a job from the rows after it."""

from collections.abc import Iterator
from contextlib import contextmanager

import structlog

from masthead.metrics.job_failures import count_failure
from masthead.model.errors import Unavailable

log = structlog.get_logger()


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
