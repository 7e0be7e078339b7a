"""What workers count, in shared memory: each adds to its own part, and any can read all.

The supervisor makes it, so it survives a worker: the worker that replaces it goes on from its
numbers. It disappears when the supervisor exits, however it exits. See decision 0049.
"""

import fcntl
import mmap
import os
from collections.abc import Sequence
from typing import TypeAlias

import structlog

log = structlog.get_logger()

MEMORY = "MASTHEAD_METRICS_MEMORY"  # its path, set for the workers
ALONE = "metrics of this worker alone"  # logged
CELLS = 2**14  # numbers of a worker
CELL_BYTES = 8
SLOT_BYTES = CELLS * CELL_BYTES
SPARE_SLOTS = 8  # for workers that start before those that they replace have ended

Cells: TypeAlias = "memoryview[float]"


def bytes_for(workers: int) -> int:
    """The size of the memory of a server with so many workers."""
    return (workers + SPARE_SLOTS) * SLOT_BYTES


class WorkerCells:
    """The numbers of all workers. own: those of this process; only it may change them."""

    def __init__(self, path: str = "") -> None:
        self.own = _private_cells()
        self._all: Sequence[Cells] = [self.own]
        if path:
            try:
                self._join(path)
            except OSError as reason:
                log.warning(ALONE, reason=str(reason))

    def _join(self, path: str) -> None:
        """Take a slot that no running process has. Raises: OSError."""
        # kept open: closing it would end the lock
        self._file = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        shared = memoryview(mmap.mmap(self._file, 0)).cast("d")
        slots = [shared[start : start + CELLS] for start in range(0, len(shared), CELLS)]
        for index, slot in enumerate(slots):
            if _is_locked_by_us(self._file, index):
                self.own, self._all = slot, slots
                return
        self._all = [*slots, self.own]

    def all(self) -> Sequence[Cells]:
        """The numbers of each worker, and of workers that have ended."""
        return self._all


def _private_cells() -> Cells:
    return memoryview(mmap.mmap(-1, SLOT_BYTES)).cast("d")


def _is_locked_by_us(file: int, index: int) -> bool:
    """Lock a byte of the file for this process, until it ends; whether no other one has it."""
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, index)
    except OSError:
        return False
    return True
