"""The numbers that workers take down once a second."""

import time
from types import SimpleNamespace
from typing import cast

import pytest

from masthead.metrics import worker_figures
from masthead.metrics.memory import WorkerCells
from masthead.metrics.worker_figures import WorkerFigures
from masthead.store.engine.postgres.database import PostgresDatabase
from masthead.store.engine.postgres.replica import Replica
from masthead.store.engine.postgres.session import Limits

COMMITS = "masthead_sqlite_commits_total"
QUEUE = "masthead_write_queue_length"
WAL = "masthead_sqlite_wal_bytes"


def samples_of(figures: WorkerFigures, *workers: WorkerCells) -> dict[str, float]:
    parts = [each.own for each in workers]
    return {name: value for _, part in figures.samples(parts) for name, value in part.items()}


def test_the_numbers_of_workers_are_added_but_not_the_size_of_their_one_file() -> None:
    cells = WorkerCells(), WorkerCells()
    first, second = (WorkerFigures(each.own) for each in cells)
    first.note({COMMITS: 10, QUEUE: 1, WAL: 4096})
    second.note({COMMITS: 5, QUEUE: 2, WAL: 8192})
    assert samples_of(first, *cells) == {COMMITS: 15, QUEUE: 3, WAL: 8192}


def test_a_counter_goes_on_when_a_worker_is_replaced() -> None:
    cells = WorkerCells()
    before = WorkerFigures(cells.own)
    before.note({COMMITS: 3})
    before.note({COMMITS: 10})
    after = WorkerFigures(cells.own)
    after.note({COMMITS: 1})
    assert samples_of(after, cells) == {COMMITS: 11}


def test_a_worker_that_has_ended_has_no_queue(monkeypatch: pytest.MonkeyPatch) -> None:
    cells = WorkerCells(), WorkerCells()
    ended, alive = (WorkerFigures(each.own) for each in cells)
    ended.note({QUEUE: 7, COMMITS: 1})
    later = time.monotonic() + worker_figures.FRESH_SECONDS + 1
    monkeypatch.setattr(worker_figures, "time", SimpleNamespace(monotonic=lambda: later))
    alive.note({QUEUE: 1, COMMITS: 1})
    assert samples_of(alive, *cells) == {QUEUE: 1, COMMITS: 2}


def test_a_replica_tells_its_connections_and_reads() -> None:
    replica = Replica(cast(PostgresDatabase, None), "postgresql://127.0.0.1/masthead", Limits())
    figures = replica.figures()
    assert set(figures) <= set(worker_figures.PLACES)
    assert figures['masthead_replica_reads_total{server="primary"}'] == 0
