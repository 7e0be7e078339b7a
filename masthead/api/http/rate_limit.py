"""The operator's limits on the requests that a key, and an account, may make in a minute."""

import time
from collections.abc import Callable

from masthead.model.errors import RateLimited


class RateLimiter:
    """Counts the requests of each API key and of each account, if the operator sets a limit.

    Uses the generic cell rate algorithm: one timestamp for each of them, in the memory of the
    worker.

    per_key, per_account: requests a minute and burst, for each worker; 0 for no limit. per_account
    is for all keys of an account together.
    """

    def __init__(
        self, per_key: int, per_account: int = 0, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._per_key, self._per_account, self._clock = per_key, per_account, clock
        self._paid_until: dict[str | int, float] = {}  # by the id of a key or of an account

    def count(self, key_id: str, account_id: int) -> None:
        """Count one request. Raises: RateLimited; then neither limit has counted it."""
        if not (self._per_key or self._per_account):
            return
        now = self._clock()
        by_key = self._pay(key_id, self._per_key, now, "API key")
        by_account = self._pay(account_id, self._per_account, now, "account")
        self._paid_until.update(by_key | by_account)

    def _pay(
        self, holder: str | int, per_minute: int, now: float, kind: str
    ) -> dict[str | int, float]:
        """Until when the holder has paid after one more request; empty without a limit."""
        if not per_minute:
            return {}
        paid_until = max(self._paid_until.get(holder, now), now)
        if paid_until - now > 60 - 60 / per_minute:
            raise RateLimited(kind, per_minute, int(60 / per_minute) + 1)
        return {holder: paid_until + 60 / per_minute}
