"""The lock between processes that lets only one of them write to a SQLite file.

SQLite has no queue for this lock. A process that waits for it tries again after up to 100 ms, so
it rarely meets the moment between two transactions of an import in another process. So masthead
tries more often, and leaves the lock free for a moment after each long transaction.
"""

import time

import apsw

from masthead.store.engine.sqlite import connection as settings

RETRY_SECONDS = 0.001  # between two attempts to take the lock
LONG_SECONDS = 0.01  # of work in a transaction, after which the lock is free for a moment
LONG_BESIDE_SECONDS = 0.003  # the same while another process writes: 25 rows of an import take 6 ms
FREE_SECONDS = 0.003
SHARED_SECONDS = 1.0  # after another write, further ones are expected


class WriteLock:
    """The lock, as the writer thread of a process sees it."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._version = self._read_version()
        self._seconds, self._has_others = 0.0, False
        self._waits_since, self._shared_at, self._beside_at = 0.0, -SHARED_SECONDS, -SHARED_SECONDS
        connection.set_busy_handler(self._wait)

    @property
    def is_shared(self) -> bool:
        """Whether others have written during long transactions within the last second."""
        return time.monotonic() - self._shared_at < SHARED_SECONDS

    def note(self, seconds: float, *, has_others: bool) -> None:
        """Remember how long a transaction worked, and whether others of this process waited."""
        self._seconds, self._has_others = seconds, has_others

    def give_way(self) -> None:
        """After a long transaction, leave the lock free for a moment, and see who takes it."""
        is_beside = time.monotonic() - self._beside_at < SHARED_SECONDS
        if self._seconds < (LONG_BESIDE_SECONDS if is_beside else LONG_SECONDS):
            return
        time.sleep(FREE_SECONDS)
        version = self._read_version()
        if version != self._version:
            self._version, self._beside_at = version, time.monotonic()
        if self._has_others or self._beside_at > self._shared_at:
            self._shared_at = time.monotonic()

    def _read_version(self) -> object:
        """A number that changes with each commit of another process."""
        return self._connection.pragma("data_version")

    def _wait(self, attempts: int) -> bool:
        """Wait before another attempt; returns whether to make one. Called by SQLite."""
        if not attempts:
            self._waits_since = time.monotonic()
        time.sleep(RETRY_SECONDS)
        return time.monotonic() - self._waits_since < settings.BUSY_MILLISECONDS / 1000
