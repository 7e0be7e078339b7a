"""The numbers that each worker records once a second: connections, the queue, checkpoints."""

import time
from collections.abc import Iterable

from masthead.metrics.histogram import WIDTH, histogram_samples
from masthead.metrics.job_failures import JOBS, NAME as JOB_FAILURES
from masthead.metrics.memory import Cells
from masthead.metrics.requests import FIRST_CELL
from masthead.metrics.text import Metric, Samples, sample

FRESH_SECONDS = 10.0  # a gauge that is older belongs to a worker that has ended

WRITES = "masthead_write_duration_seconds"
_POOLS = ("readers", "writers", "probes", "replica")

METRICS = (
    Metric("masthead_workers", "gauge", "Workers that run."),
    Metric(
        "masthead_process_start_time_seconds",
        "gauge",
        "When the newest worker started, as Unix time.",
    ),
    Metric("masthead_process_cpu_seconds_total", "counter", "Processor time of all workers."),
    Metric("masthead_process_resident_memory_bytes", "gauge", "Memory that all workers use."),
    Metric(
        "masthead_process_open_fds",
        "gauge",
        "Open file descriptors of the worker that has the most.",
    ),
    Metric("masthead_process_max_fds", "gauge", "How many of them a worker may have."),
    Metric(JOB_FAILURES, "counter", "Failures of background jobs, by kind of work."),
    Metric("masthead_requests_active", "gauge", "Requests that are being answered."),
    Metric(
        "masthead_database_connections",
        "gauge",
        "Open connections to the database, by pool and state.",
    ),
    Metric(
        "masthead_database_connection_waits_total",
        "counter",
        "Times that work waited because all connections of a pool were in use.",
    ),
    Metric(
        "masthead_database_connection_wait_seconds_total",
        "counter",
        "Seconds that work waited for a connection of a pool.",
    ),
    Metric(
        "masthead_replica_reads_total",
        "counter",
        "Reads meant for the replica, by the server that answered.",
    ),
    Metric("masthead_write_queue_length", "gauge", "Writes that wait or run."),
    Metric(WRITES, "histogram", "Seconds from the beginning of a write to its commit."),
    Metric(
        "masthead_sqlite_commits_total", "counter", "Commits to SQLite, which writes may share."
    ),
    Metric(
        "masthead_sqlite_checkpoints_total",
        "counter",
        "Checkpoints of SQLite's log, by who ran them: `thread` beside the writes, `writer` if "
        "the log is too large.",
    ),
    Metric("masthead_sqlite_checkpoint_seconds_total", "counter", "Seconds of all checkpoints."),
    Metric(
        "masthead_sqlite_checkpoint_timestamp_seconds",
        "gauge",
        "When the last checkpoint ended, as Unix time.",
    ),
    Metric("masthead_sqlite_wal_bytes", "gauge", "Size of SQLite's log, the file `-wal`."),
    Metric(
        "masthead_sqlite_litestream_timestamp_seconds",
        "gauge",
        "When Litestream last read changes from SQLite's log, as Unix time; 0 without it.",
    ),
    Metric("masthead_sqlite_database_bytes", "gauge", "Size of SQLite's database file."),
    Metric(
        "masthead_sqlite_disk_free_bytes",
        "gauge",
        "Free space on the disk of that file. For PostgreSQL, use the node exporter of its server.",
    ),
)
_LARGEST = frozenset(  # the workers share one file, or the sum means nothing
    (
        "masthead_process_start_time_seconds",
        "masthead_process_open_fds",
        "masthead_process_max_fds",
        "masthead_sqlite_disk_free_bytes",
        "masthead_sqlite_checkpoint_timestamp_seconds",
        "masthead_sqlite_wal_bytes",
        "masthead_sqlite_litestream_timestamp_seconds",
        "masthead_sqlite_database_bytes",
    )
)
_BY_CHECKPOINT = [{"by": "thread"}, {"by": "writer"}]
_BY_POOL = [{"pool": pool} for pool in _POOLS]
_LABELS: dict[str, list[dict[str, str]]] = {
    "masthead_database_connections": [
        {"pool": pool, "state": state} for pool in _POOLS for state in ("idle", "used")
    ],
    "masthead_database_connection_waits_total": _BY_POOL,
    "masthead_database_connection_wait_seconds_total": _BY_POOL,
    "masthead_replica_reads_total": [{"server": "replica"}, {"server": "primary"}],
    JOB_FAILURES: [{"work": job} for job in JOBS],
    "masthead_sqlite_checkpoints_total": _BY_CHECKPOINT,
    "masthead_sqlite_checkpoint_seconds_total": _BY_CHECKPOINT,
}


def _samples_of(metric: Metric) -> list[str]:
    if metric.type == "histogram":
        return list(histogram_samples(metric.name, [0.0] * WIDTH))
    return [sample(metric.name, **labels) for labels in _LABELS.get(metric.name, [{}])]


SAMPLES = {metric: _samples_of(metric) for metric in METRICS}
NAMES: tuple[str, ...] = tuple(name for names in SAMPLES.values() for name in names)
_NOTED_AT = 0  # the cell with the moment of the last note, by the monotonic clock of the machine
PLACES = {name: place for place, name in enumerate(NAMES, start=_NOTED_AT + 1)}
assert len(PLACES) < FIRST_CELL
_GAUGES = {name for metric, names in SAMPLES.items() if metric.type == "gauge" for name in names}


class WorkerFigures:
    """Records the numbers of this worker, and adds up those of all."""

    def __init__(self, own: Cells) -> None:
        self._own, self._last = own, dict[str, float]()

    def note(self, figures: Samples) -> None:
        """Record the numbers of this worker; counters go on from those in memory."""
        for name, value in figures.items():
            place = PLACES[name]
            if name not in _GAUGES:
                value = self._own[place] + value - self._last.get(name, 0.0)
            self._own[place] = value
        self._own[_NOTED_AT] = time.monotonic()
        self._last = dict(figures)

    def samples(self, workers: Iterable[Cells]) -> list[tuple[Metric, Samples]]:
        """The samples of all workers together; of those that this one has, too."""
        parts, since = list(workers), time.monotonic() - FRESH_SECONDS
        fresh = [each for each in parts if each[_NOTED_AT] > max(since, 0.0)]
        found = list[tuple[Metric, Samples]]()
        for metric, names in SAMPLES.items():
            added = fresh if metric.type == "gauge" else parts
            join = max if metric.name in _LARGEST else sum
            samples = {
                name: join(each[PLACES[name]] for each in added)
                for name in names
                if name in self._last
            }
            found.append((metric, samples))
        return found
