"""Moments in memory that the workers of a server share, by name; the rate limits use them.

A worker that is killed loses its lock, and its replacement goes on with the same moments.
"""

import fcntl
import mmap
import os
from types import TracebackType

import structlog
import xxhash

log = structlog.get_logger()

MEMORY = "MASTHEAD_LIMITS_MEMORY"  # its path, set for the workers
ALONE = "rate limits of this worker alone"  # logged
BUCKETS, PLACES = 2**14, 8  # a name can have one of the places in its bucket
BYTES = 2 * 8 * BUCKETS * PLACES  # 2 MiB


class SharedTimes:
    """Moments by name. Use them in a `with` block: no other process can change them meanwhile.

    path: of the memory of the supervisor; empty for moments of this process only.
    A moment that has passed may be forgotten, and is the current one then. If more than PLACES
    names of a bucket have moments that have not passed, the earliest of them is forgotten.
    """

    def __init__(self, path: str = "") -> None:
        self._file = -1
        if path:
            try:
                self._file = os.open(path, os.O_RDWR | os.O_CLOEXEC)
            except OSError as reason:
                log.warning(ALONE, reason=str(reason))
        view = memoryview(mmap.mmap(self._file, BYTES))
        self._names = view[: BYTES // 2].cast("Q")
        self._times = view[BYTES // 2 :].cast("d")

    def __enter__(self) -> "SharedTimes":
        if self._file != -1:
            fcntl.lockf(self._file, fcntl.LOCK_EX, 1)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._file != -1:
            fcntl.lockf(self._file, fcntl.LOCK_UN, 1)

    def place_of(self, name: str, now: float) -> int:
        """The place of a name, for `get` and `set`. It is valid until the end of the block."""
        number = xxhash.xxh3_64_intdigest(name.encode()) or 1
        start = number % BUCKETS * PLACES
        names = self._names[start : start + PLACES].tolist()
        if number in names:
            return start + names.index(number)
        times = self._times[start : start + PLACES].tolist()
        place = start + times.index(min(times))
        self._times[place], self._names[place] = now, number
        return place

    def get(self, place: int) -> float:
        """The moment at a place."""
        return self._times[place]

    def set(self, place: int, moment: float) -> None:
        """Store a moment at a place."""
        self._times[place] = moment
