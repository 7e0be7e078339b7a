"""The operator's limit on the requests that one API key may make in a minute."""

import time
from collections.abc import Callable

from masthead.model.errors import RateLimited


class RateLimiter:
    """Counts the requests of each API key; off unless the operator sets a limit.

    Uses the generic cell rate algorithm: one timestamp for each key, in the memory of the worker.

    per_minute: requests a minute and burst, for each worker; 0 for no limit.
    """

    def __init__(self, per_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_minute, self._clock = per_minute, clock
        self._paid_until: dict[str, float] = {}

    def count(self, key_id: str) -> None:
        """Count one request. Raises: RateLimited."""
        if not self._per_minute:
            return
        now = self._clock()
        paid_until = max(self._paid_until.get(key_id, now), now)
        if paid_until - now > 60 - 60 / self._per_minute:
            raise RateLimited(self._per_minute, int(60 / self._per_minute) + 1)
        self._paid_until[key_id] = paid_until + 60 / self._per_minute
