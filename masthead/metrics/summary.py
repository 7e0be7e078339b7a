"""What `/metrics` tells, in a few numbers for a terminal."""

import re
from collections.abc import Iterable, Mapping

from masthead.metrics.requests import REQUESTS
from masthead.metrics.worker_figures import WRITES

_LABELS = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')

Parsed = list[tuple[str, dict[str, str], float]]


def read_text(text: str) -> Parsed:
    """The samples of a text of `/metrics`: name, labels and value."""
    found = []
    for line in text.splitlines():
        if line and not line.startswith("#"):
            sample, _, value = line.rpartition(" ")
            name, _, labels = sample.partition("{")
            found.append((name, dict(_LABELS.findall(labels)), float(value)))
    return found


def summarize(samples: Parsed) -> Mapping[str, object]:
    """The state of the service since its start. Durations are those of a bucket, in seconds."""
    answered = [each for each in samples if each[0] == f"{REQUESTS.name}_count"]
    failed = [each for each in answered if each[1]["status"].startswith("5")]
    connections = [each for each in samples if each[0] == "masthead_database_connections"]
    used = [each for each in connections if each[1]["state"] == "used"]
    return {
        "workers": _sum(samples, "masthead_workers"),
        "requests": _total(answered),
        "requests_failed": _total(failed),
        "requests_active": _sum(samples, "masthead_requests_active"),
        "request_seconds_median": _quantile(samples, REQUESTS.name, 0.5),
        "request_seconds_99": _quantile(samples, REQUESTS.name, 0.99),
        "writes": _sum(samples, f"{WRITES}_count"),
        "write_queue": _sum(samples, "masthead_write_queue_length"),
        "write_seconds_99": _quantile(samples, WRITES, 0.99),
        "connections_used": _total(used),
        "connections": _total(connections),
        "connection_waits": _sum(samples, "masthead_database_connection_waits_total"),
    }


def _total(samples: Iterable[tuple[str, dict[str, str], float]]) -> int:
    return int(sum(value for _, _, value in samples))


def _sum(samples: Parsed, name: str) -> int:
    return _total(each for each in samples if each[0] == name)


def _quantile(samples: Parsed, name: str, part: float) -> float | None:
    """The bound that this part of a histogram does not exceed; None if it exceeds all, or is empty.

    All its series are added up.
    """
    counts = dict[float, float]()
    for _, labels, value in (each for each in samples if each[0] == f"{name}_bucket"):
        bound = float(labels["le"])
        counts[bound] = counts.get(bound, 0.0) + value
    most = max(counts.values(), default=0.0)
    bounds = (bound for bound in sorted(counts) if most and counts[bound] >= part * most)
    found = next(bounds, float("inf"))
    return None if found == float("inf") else found
