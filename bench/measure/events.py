"""What events cost: the bulk writes of `bulk`, with and without the events of their changes."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

from bench import data
from bench.databases import Built, Databases
from bench.measure.bulk import Run, cost_of, jobs_of
from bench.options import Options
from bench.rounds import Figures, alternate, ratio, spreads
from masthead.store.events import write

WRITES = 3  # those of `bulk` that have events


def measure(options: Options, databases: Databases, backend: str) -> Figures:
    """A row for each write."""
    built = databases.get(backend, data.BULK, options.bulk)
    with TemporaryDirectory() as folder:
        jobs = jobs_of(options, built, Path(folder))[:WRITES]
        rows = [_row(options, databases, backend, built, *job) for job in jobs]
    return {"subscriptions": options.bulk, "rows": rows}


def _row(
    options: Options, databases: Databases, backend: str, built: Built, name: str, run: Run
) -> Figures:
    def complete() -> dict[str, float]:
        return cost_of(databases, backend, built, run)

    def without() -> dict[str, float]:
        with _without_events():
            return cost_of(databases, backend, built, run)

    found = alternate(options.rounds, {"with_events": complete, "without_events": without})
    seconds = {who: [each["seconds"] for each in rounds] for who, rounds in found.items()}
    return {
        "name": name,
        **{who: spreads(rounds) for who, rounds in found.items()},
        "times_without": ratio(seconds["with_events"], seconds["without_events"]),
    }


@contextmanager
def _without_events() -> Iterator[None]:
    """Neither render nor write events."""

    async def nothing(*_: Any) -> None:
        pass

    with patch.object(write, "_write", nothing):
        yield
