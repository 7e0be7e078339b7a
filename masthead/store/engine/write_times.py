"""The numbers of writes that wait or run, and their duration."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from masthead.metrics.histogram import Histogram, histogram_samples
from masthead.metrics.text import Samples
from masthead.metrics.worker_figures import WRITES


class WriteTimes:
    """The writes of this process, counted on its event loop."""

    def __init__(self) -> None:
        self._pending, self._times = 0, Histogram()

    @contextmanager
    def counted(self) -> Iterator[None]:
        """Count a write, from before it waits to after its commit; also one that fails."""
        began = time.perf_counter()
        self._pending += 1
        try:
            yield
        finally:
            self._pending -= 1
            self._times.observe(time.perf_counter() - began)

    def figures(self) -> Samples:
        """The samples for `metrics.worker_figures`."""
        return {
            "masthead_write_queue_length": self._pending,
            **histogram_samples(WRITES, self._times.cells),
        }
