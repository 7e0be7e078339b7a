"""The single thread that writes to a SQLite file; concurrent writes share a commit."""

import asyncio
import contextlib
import threading
import time
from collections.abc import Coroutine
from contextvars import copy_context
from pathlib import Path
from queue import SimpleQueue
from typing import Any, TypeVar, cast

import apsw

from masthead.metrics.text import Samples, sample
from masthead.model.errors import Unavailable
from masthead.store.engine.at_end import run_to_end
from masthead.store.engine.interface import Work
from masthead.store.engine.sqlite import connection
from masthead.store.engine.sqlite.checkpoints import (
    Checkpointer,
    CheckpointTimes,
    bound_log,
    litestream_moment,
    log_bytes,
)
from masthead.store.engine.sqlite.connection import (
    INSERT_ROWS,
    SQLiteConnection,
    open_file,
    translate_error,
)
from masthead.store.engine.sqlite.files import OpenFiles
from masthead.store.engine.sqlite.write_lock import WriteLock

T = TypeVar("T")

SHARED_COMMIT = 128  # writes per commit, at most
CACHE_KIB = 32_768  # so that a batch of an import does not write a page twice
BEGIN_WRITE = "BEGIN IMMEDIATE"  # takes the write lock first: no other write comes between


class _Job:
    """A write that waits for the writer thread, and the future for its result.

    It runs in the context of its caller, which has the language of error messages.
    """

    def __init__(self, work: Work[Any], *, is_durable: bool) -> None:
        self.work, self.context, self.is_durable = work, copy_context(), is_durable
        self.loop = asyncio.get_running_loop()
        self.future: asyncio.Future[Any] = self.loop.create_future()

    def settle(self, outcome: object, error: BaseException | None) -> None:
        """Set the result, from the writer thread."""
        with contextlib.suppress(RuntimeError):  # the loop has closed; nothing waits for the result
            self.loop.call_soon_threadsafe(self._settle, outcome, error)

    def _settle(self, outcome: object, error: BaseException | None) -> None:
        if self.future.done():  # the request was cancelled
            return
        if error is None:
            self.future.set_result(outcome)
        else:
            self.future.set_exception(error)


def _run_to_end(work: Work[T], transaction: SQLiteConnection) -> T:
    """Run a coroutine that never suspends, without an event loop."""
    coroutine = cast(Coroutine[Any, Any, T], run_to_end(work, transaction))
    try:
        coroutine.send(None)
    except StopIteration as end:
        return cast(T, end.value)
    coroutine.close()
    raise RuntimeError("a write awaited something other than its transaction")


class Writer:
    """Runs writes in a thread with its own connection."""

    def __init__(self, path: Path, files: OpenFiles, *, is_command: bool) -> None:
        """is_command: for a command, which does nothing besides its writes."""
        self._files = files
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self._connection = open_file(path, read_only=False)
        try:
            self._connection.pragma("cache_size", -CACHE_KIB)
            self._connection.execute("SELECT 1 FROM sqlite_schema").fetchall()  # creates the log
            files.complete()
            self._lock = WriteLock(self._connection)
            self._checkpointer = Checkpointer(path)
        except (apsw.Error, Unavailable):
            self._connection.close()
            raise
        # An INSERT of several rows copies all pages that it changes into a temporary file. But one
        # statement per row would release the interpreter lock of a busy server each time.
        insert_rows = 1 if is_command else INSERT_ROWS
        self._transaction = SQLiteConnection(self._connection, insert_rows=insert_rows)
        self._is_durable = True  # whether a commit waits for the disk
        self._path, self._times, self._commits = path, CheckpointTimes(), 0
        self._thread = threading.Thread(target=self._run, name="writer", daemon=True)
        self._thread.start()

    async def write(self, work: Work[T], *, is_durable: bool) -> T:
        """The result of `work`, after the commit, which other writes may share."""
        job = _Job(work, is_durable=is_durable)
        self._jobs.put(job)
        return cast(T, await job.future)

    def is_shared(self) -> bool:
        """Whether others have written during long transactions within the last second."""
        return self._lock.is_shared

    def figures(self) -> Samples:
        """The numbers of the commits and checkpoints."""
        by_thread, by_writer = self._checkpointer.times, self._times
        count, seconds = (
            "masthead_sqlite_checkpoints_total",
            "masthead_sqlite_checkpoint_seconds_total",
        )
        return {
            "masthead_sqlite_commits_total": self._commits,
            sample(count, by="thread"): by_thread.count,
            sample(count, by="writer"): by_writer.count,
            sample(seconds, by="thread"): by_thread.seconds,
            sample(seconds, by="writer"): by_writer.seconds,
            "masthead_sqlite_checkpoint_timestamp_seconds": max(by_thread.ended, by_writer.ended),
            "masthead_sqlite_wal_bytes": log_bytes(self._path),
            "masthead_sqlite_litestream_timestamp_seconds": litestream_moment(self._path),
        }

    async def close(self) -> None:
        """Finish the waiting writes and stop the threads."""
        self._jobs.put(None)
        await asyncio.to_thread(self._thread.join)
        await asyncio.to_thread(self._checkpointer.close)
        self._connection.close()

    def _run(self) -> None:
        """The writer thread: batch after batch until `close`."""
        while batch := self._next_batch():
            try:
                self._commit_together(batch)
                self._checkpointer.wake()
                bound_log(self._connection, self._path, self._times)
                self._lock.give_way()
            except Exception as reason:  # noqa: BLE001 - without the thread all writes wait for ever
                for job in batch:
                    job.settle(None, reason)

    def _next_batch(self) -> list[_Job]:
        """Wait for jobs; returns at least one, or none after `close`."""
        batch: list[_Job] = []
        while (job := self._jobs.get()) is not None:
            batch.append(job)
            if len(batch) == SHARED_COMMIT or self._jobs.empty():
                return batch
        if batch:
            self._jobs.put(None)  # for the next call
        return batch

    def _commit_together(self, batch: list[_Job]) -> None:
        """Run the jobs, commit once, and then settle them. Each of several has a savepoint."""
        outcomes: list[tuple[object, BaseException | None]] = []
        try:
            self._files.verify_if_due()
            self._wait_for_disk(any(job.is_durable for job in batch))
            self._connection.execute(BEGIN_WRITE)
            began = time.perf_counter()
            for job in batch:
                outcomes.append(self._attempt(job, is_alone=len(batch) == 1))  # noqa: PERF401 - an error must not discard the earlier ones
            seconds = time.perf_counter() - began  # without the wait for the disk
            if self._connection.in_transaction:
                self._connection.execute("COMMIT")
            self._commits += 1
            has_others = len(batch) > 1 or not self._jobs.empty()
            self._lock.note(seconds, has_others=has_others)
            self._files.verify()  # a write to a removed file must not be acknowledged
        except (apsw.Error, Unavailable) as reason:
            if self._connection.in_transaction:
                with contextlib.suppress(apsw.Error):
                    self._connection.execute("ROLLBACK")
            outcomes = [(None, translate_error(reason))] * len(batch)
        for job, (outcome, error) in zip(batch, outcomes, strict=True):
            job.settle(outcome, error)

    def _wait_for_disk(self, is_durable: bool) -> None:
        """Let commits return once they are durable, or at once."""
        if is_durable != self._is_durable:
            wanted = connection.SYNCHRONOUS if is_durable else connection.NOT_YET_DURABLE
            self._connection.pragma("synchronous", wanted)
            self._is_durable = is_durable

    def _attempt(self, job: _Job, *, is_alone: bool) -> tuple[object, BaseException | None]:
        """Run a job. A single one needs no savepoint, which would copy every changed page."""
        if not is_alone:
            self._connection.execute("SAVEPOINT job")
        try:
            outcome: object = job.context.run(_run_to_end, job.work, self._transaction)
            error = None
        except Exception as raised:
            outcome, error = None, raised
            if not self._connection.in_transaction:  # SQLite rolled it back: the disk may be full
                raise Unavailable from raised
            self._connection.execute("ROLLBACK" if is_alone else "ROLLBACK TO job")
        if not is_alone:
            self._connection.execute("RELEASE job")
        return outcome, error
