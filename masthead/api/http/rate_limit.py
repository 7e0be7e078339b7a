"""What one request may bring, and how many a key may make."""

import time
from collections.abc import Callable

from masthead.http_body import MAX_BODY
from masthead.model.errors import RateLimited, Unavailable

MAX_BODIES = 32 * MAX_BODY  # bytes of all bodies in a worker; above, unfinished ones are dropped

Peer = tuple[str, str]  # address and port of a client


class InFlight:
    """The requests that a worker is answering, and the memory that their bodies take.

    limit: of concurrent requests. peers: the clients whose request is complete and being answered.
    """

    def __init__(self, limit: int) -> None:
        self._limit, self._held = limit, 0
        self._uploads: dict[Peer, int] = {}  # bytes of unfinished bodies, oldest first
        self.peers: set[Peer] = set()

    def admit(self, peer: Peer) -> None:
        """Count a request that is complete. Raises: Unavailable if there are too many."""
        self._uploads.pop(peer, None)
        if len(self.peers) >= self._limit:
            raise Unavailable("Too many requests are being answered at the moment")
        self.peers.add(peer)

    def hold(self, peer: Peer, size: int) -> None:
        """Count a part of a body. Raises: Unavailable if all bodies take twice the limit."""
        self._held += size
        self._uploads[peer] = self._uploads.get(peer, 0) + size
        if self._held > 2 * MAX_BODIES:
            raise Unavailable("Too many large requests are being answered at the moment")

    def finish(self, peer: Peer, size: int) -> None:
        """Forget a request and its body."""
        self._uploads.pop(peer, None)
        self.peers.discard(peer)
        self._held -= size

    def excess(self) -> list[Peer]:
        """The clients to drop so that the bodies fit again: those that began first."""
        over, chosen = self._held - MAX_BODIES, []
        for peer, size in list(self._uploads.items()):
            if over <= 0:
                break
            chosen.append(peer)
            over -= size
        return chosen


class RateLimit:
    """The operator's limit of requests a minute with one key; off unless it is set.

    Counts by the generic cell rate algorithm: one moment a key, in the memory of the worker.

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
