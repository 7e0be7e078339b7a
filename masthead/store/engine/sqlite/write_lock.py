"""How processes share the lock that lets only one of them write to a SQLite file.

SQLite has no queue for this lock. A process that waits for it tries again after up to 100 ms, so
it rarely meets the moment between two transactions of an import in another process. So masthead
tries more often, and leaves the lock free for a moment after each long transaction.
"""

import time

import apsw

from masthead.store.engine.sqlite import connection as settings

RETRY_SECONDS = 0.001  # between two attempts to take the lock
LONG_SECONDS = 0.01  # of work in a transaction, after which the lock is free for a moment
FREE_SECONDS = 0.003
SHARED_SECONDS = 1.0  # after another write, further ones are expected


class WriteLock:
    """The lock, as the writer thread of a process sees it."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._version = self._read_version()
        self._was_long = self._has_others = False
        self._waits_since, self._shared_at = 0.0, -SHARED_SECONDS
        connection.set_busy_handler(self._wait)

    @property
    def is_shared(self) -> bool:
        """Whether others have written beside long transactions within the last second."""
        return time.monotonic() - self._shared_at < SHARED_SECONDS

    def note(self, seconds: float, *, has_others: bool) -> None:
        """Remember how long a transaction worked, and whether others of this process waited."""
        self._was_long, self._has_others = seconds >= LONG_SECONDS, has_others

    def give_way(self) -> None:
        """After a long transaction, leave the lock free for a moment, and see who takes it."""
        if not self._was_long:
            return
        time.sleep(FREE_SECONDS)
        version = self._read_version()
        if self._has_others or version != self._version:
            self._version, self._shared_at = version, time.monotonic()

    def _read_version(self) -> object:
        """A number that changes with each commit of another process."""
        return self._connection.pragma("data_version")

    def _wait(self, attempts: int) -> bool:
        """Wait before another attempt; returns whether to make one. Called by SQLite."""
        if not attempts:
            self._waits_since = time.monotonic()
        time.sleep(RETRY_SECONDS)
        return time.monotonic() - self._waits_since < settings.BUSY_MILLISECONDS / 1000
