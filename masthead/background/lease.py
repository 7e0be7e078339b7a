"""The lease that makes one worker at a time run the shared background work."""

import uuid
from contextlib import suppress
from datetime import timedelta

from masthead.model.errors import Unavailable
from masthead.store.background import leases
from masthead.store.background.clock import read_uptime
from masthead.store.engine.interface import Database, Transaction

DURATION = timedelta(seconds=30)
RENEW_SECONDS = 5.0


class HeldLease:
    """Takes a lease and renews it."""

    def __init__(self, db: Database, name: str) -> None:
        self._db, self._name = db, name
        self._holder = uuid.uuid4().hex
        self._until_ms = 0

    @property
    def is_held(self) -> bool:
        """Whether this worker holds the lease, as far as it knows without a query."""
        return read_uptime() < self._until_ms

    async def renew(self) -> bool:
        """Take or renew the lease; returns whether this worker has it."""
        began = read_uptime()

        async def work(tx: Transaction) -> bool:
            return await leases.take_lease(
                tx, name=self._name, holder=self._holder, duration=DURATION
            )

        is_taken = await self._db.write(work)
        self._until_ms = began + DURATION // timedelta(milliseconds=1) if is_taken else 0
        return is_taken

    def drop(self) -> None:
        """Start no further work that needs the lease."""
        self._until_ms = 0

    async def release(self) -> None:
        """Release the lease, so that another worker can take it at once."""
        self.drop()
        with suppress(Unavailable):
            await self._db.write(
                lambda tx: leases.release_lease(tx, name=self._name, holder=self._holder)
            )
