"""The memory that workers share: each has its own slot, which its replacement continues."""

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest
from structlog.testing import capture_logs

from masthead.metrics import memory
from masthead.metrics.memory import ALONE, MEMORY, SPARE_SLOTS, WorkerCells, bytes_for
from masthead.serving.shared_memory import shared_memory

ADD = f"""
import os
from masthead.metrics.memory import WorkerCells

workers = WorkerCells(os.environ["{MEMORY}"])
workers.own[7] += 1
print(sum(each[7] for each in workers.all()), workers.own[7])
"""


def add_in_another_process() -> list[float]:
    """What another process finds after it has counted: the number of all, and its own."""
    command = [sys.executable, "-c", ADD]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    return [float(word) for word in ended.stdout.split()]


@pytest.fixture
def path() -> Iterator[str]:
    """The memory of a supervisor with one worker."""
    with shared_memory(MEMORY, bytes_for(1), without=ALONE):
        yield os.environ[MEMORY]


def test_a_process_has_its_own_slot_and_its_replacement_continues_it(path: str) -> None:
    workers = WorkerCells(path)
    workers.own[7] += 5
    assert add_in_another_process() == [6, 1]
    assert add_in_another_process() == [7, 2]
    assert sum(each[7] for each in workers.all()) == 7
    assert len(workers.all()) == 1 + SPARE_SLOTS


def test_a_process_without_a_slot_tells_its_own_numbers_and_those_of_the_others(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    WorkerCells(path).own[7] = 2
    monkeypatch.setattr(memory, "_is_locked_by_us", lambda file, index: False)
    late = WorkerCells(path)
    late.own[7] = 3
    assert sum(each[7] for each in late.all()) == 5


def test_memory_that_is_gone_is_no_reason_to_stop() -> None:
    with shared_memory(MEMORY, bytes_for(1), without=ALONE):
        path = os.environ[MEMORY]
    assert MEMORY not in os.environ
    with capture_logs() as lines:
        workers = WorkerCells(path)
    assert len(workers.all()) == 1
    assert [line["event"] for line in lines] == [ALONE]


def test_a_sandbox_without_such_memory_is_no_reason_to_stop(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(_: str) -> int:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "memfd_create", refuse)
    with capture_logs() as lines, shared_memory(MEMORY, bytes_for(2), without=ALONE):
        assert MEMORY not in os.environ
    assert [line["event"] for line in lines] == [ALONE]


def test_on_other_systems_each_worker_has_its_own_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    with shared_memory(MEMORY, bytes_for(2), without=ALONE):
        assert MEMORY not in os.environ
