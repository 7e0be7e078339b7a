"""The operator's limits on the requests that a key, and an account, may make in a minute."""

import time
from collections.abc import Callable
from math import ceil

from msgspec import Struct

from masthead.api.http.response import Headers
from masthead.model.errors import RateLimited
from masthead.serving.shared_times import SharedTimes

WINDOW = 60  # seconds


class Limit(Struct, frozen=True):
    """A limit. name: in headers. noun: in messages. requests: in a window, at most."""

    name: str
    noun: str
    requests: int

    @property
    def cost(self) -> float:
        """Seconds after which one more request may be made."""
        return WINDOW / self.requests


class Admission(Struct, frozen=True):
    """Whether a request is admitted. refusal: None if it is. headers: say what is left."""

    refusal: RateLimited | None = None
    headers: Headers = ()


WITHOUT_LIMIT = Admission()


class RateLimiter:
    """Counts the requests of each API key and of each account, if the operator sets a limit.

    Uses the generic cell rate algorithm: for each of them, the moment until which it has paid. The
    workers of a server share these moments. Without a limit, nothing is counted or locked.

    per_key, per_account: requests a minute and burst; 0 for no limit. per_account is for all keys
    of an account together. has_limits: whether there is any. path: of the shared memory; empty
    for this process only. clock: the same in all processes.
    """

    def __init__(
        self,
        per_key: int,
        per_account: int = 0,
        path: str = "",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        limits = Limit("key", "API key", per_key), Limit("account", "account", per_account)
        self._limits = [limit for limit in limits if limit.requests]
        self.has_limits = bool(self._limits)
        policy = ", ".join(f'"{each.name}";q={each.requests};w={WINDOW}' for each in self._limits)
        self._policy = b"ratelimit-policy", policy.encode()
        self._clock = clock
        self._times = SharedTimes(path) if self._limits else None

    def count(self, key_id: str, account_id: int) -> Admission:
        """Count one request, if all limits admit it. Then, and only then, each counts it."""
        if self._times is None:
            return WITHOUT_LIMIT
        holders = {"key": key_id, "account": str(account_id)}
        with self._times as times:
            now = self._clock()
            places = [times.place_of(holders[limit.name], now) for limit in self._limits]
            paid = [max(times.get(place), now) - now for place in places]
            refusal = _refusal(self._limits, paid)
            if refusal is None:
                paid = [each + limit.cost for limit, each in zip(self._limits, paid, strict=True)]
                for place, each in zip(places, paid, strict=True):
                    times.set(place, now + each)
        left = map(_what_is_left, self._limits, paid)
        return Admission(refusal, (self._policy, (b"ratelimit", ", ".join(left).encode())))


def _refusal(limits: list[Limit], paid: list[float]) -> RateLimited | None:
    """Why one more request is refused. paid: the seconds that are paid in advance, by limit."""
    for limit, seconds in zip(limits, paid, strict=True):
        wait = seconds + limit.cost - WINDOW
        if wait > 1e-6:  # less is an error of the arithmetic
            return RateLimited(limit.noun, limit.requests, ceil(wait))
    return None


def _what_is_left(limit: Limit, paid: float) -> str:
    """An item of the header `RateLimit`. paid: the seconds that are paid in advance."""
    requests = int((WINDOW - paid) / limit.cost + 1e-6)
    return f'"{limit.name}";r={max(requests, 0)};t={ceil(paid)}'
