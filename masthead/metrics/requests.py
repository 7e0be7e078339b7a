"""How many requests were answered, by operation and status, and how long that took."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence

from masthead.metrics.histogram import BOUNDS, SUM, WIDTH, histogram_samples
from masthead.metrics.memory import CELLS, Cells
from masthead.metrics.text import Metric, Samples

REQUESTS = Metric(
    "masthead_request_duration_seconds",
    "histogram",
    "Seconds from a request to its response, by operation and status.",
)
OTHER = "other"  # the operation of a request that leads nowhere
DISCONNECTED = 499  # the client did not wait for a response
STATUSES = (
    *(200, 201, 202, 204, 206, 301, 302, 303, 304, 307, 400, 401, 403, 404, 405, 406, 409),
    *(410, 411, 412, 413, 415, 416, 422, 429, DISCONNECTED, 500, 502, 503, 504),
)
STATUS_LABELS = (*map(str, STATUSES), "other")
PLACES = {status: place for place, status in enumerate(STATUSES)}

# The cells before them belong to `worker_figures`. Each series has a cell for its key, which is
# the place of its operation and status among all, and those of its histogram
FIRST_CELL = 256
_COUNT = FIRST_CELL - 1  # the cell with the number of series
_SERIES_CELLS = 1 + WIDTH
MAX_SERIES = (CELLS - FIRST_CELL) // _SERIES_CELLS


class RequestMetrics:
    """Counts the requests of a worker. operations: the same ones, in the same order, in all."""

    def __init__(self, own: Cells, operations: Sequence[str]) -> None:
        self._own, self._operations = own, (OTHER, *operations)
        self._places = {name: place for place, name in enumerate(self._operations)}
        self._starts = dict[tuple[str, int], int]()  # of histograms
        self._starts_by_key = dict(_list_series(own))

    def observe(self, operation: str, status: int, seconds: float) -> None:
        """Count a request."""
        start = self._starts.get((operation, status))
        if start is None:
            start = self._starts[operation, status] = self._find(operation, status)
        self._own[start + bisect_left(BOUNDS, seconds)] += 1
        self._own[start + SUM] += seconds

    def _find(self, operation: str, status: int) -> int:
        """The histogram of an operation and status, in a new series if it has none.

        When there is no memory left, all others are in the last one.
        """
        place = self._places.get(operation, 0)
        key = place * len(STATUS_LABELS) + PLACES.get(status, len(STATUSES))
        count = len(self._starts_by_key)
        if key not in self._starts_by_key and count >= MAX_SERIES - 1:
            key = len(STATUSES)  # other operations, other statuses
        if key not in self._starts_by_key:
            start = FIRST_CELL + count * _SERIES_CELLS
            self._own[start] = key
            self._own[_COUNT] = count + 1
            self._starts_by_key[key] = start + 1
        return self._starts_by_key[key]

    def samples(self, workers: Iterable[Cells]) -> Samples:
        """The samples of all workers together, in the order of the operations."""
        added = dict[int, list[float]]()
        for cells in workers:
            for key, start in _list_series(cells):
                own, others = cells[start : start + WIDTH], added.get(key, [0.0] * WIDTH)
                added[key] = [sum(pair) for pair in zip(own, others, strict=True)]
        found = dict[str, float]()
        for key in sorted(added):
            place, status = divmod(key, len(STATUS_LABELS))
            labels = {"operation": self._operations[place], "status": STATUS_LABELS[status]}
            found |= histogram_samples(REQUESTS.name, added[key], **labels)
        return found


def _list_series(cells: Cells) -> Iterator[tuple[int, int]]:
    """The series of a worker: the key, and the first cell of the histogram."""
    for place in range(int(cells[_COUNT])):
        start = FIRST_CELL + place * _SERIES_CELLS
        yield int(cells[start]), start + 1
