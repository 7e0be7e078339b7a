"""The one thread that writes to a SQLite file; requests that wait meanwhile share its commits."""

import asyncio
import contextlib
import threading
from collections.abc import Coroutine
from pathlib import Path
from queue import SimpleQueue
from typing import Any, TypeVar, cast

import apsw

from masthead.model.errors import Unavailable
from masthead.store.engine.interface import Work
from masthead.store.engine.sqlite.checkpoints import Checkpointer, bound_log
from masthead.store.engine.sqlite.connection import SQLiteConnection, open_file, refusal
from masthead.store.engine.sqlite.files import OpenFiles

T = TypeVar("T")

SHARED_COMMIT = 128  # at most so many requests wait for one COMMIT
BEGIN_WRITE = "BEGIN IMMEDIATE"  # takes the write lock first: no other process can come between


class _Job:
    """A write that waits for the writer thread, and where its answer goes."""

    def __init__(self, work: Work[Any]) -> None:
        self.work = work
        self.loop = asyncio.get_running_loop()
        self.answer: asyncio.Future[Any] = self.loop.create_future()

    def settle(self, outcome: object, error: BaseException | None) -> None:
        """Answer, from the writer thread."""
        with contextlib.suppress(RuntimeError):  # the loop has closed: nobody waits any more
            self.loop.call_soon_threadsafe(self._settle, outcome, error)

    def _settle(self, outcome: object, error: BaseException | None) -> None:
        if self.answer.done():  # the request was cancelled meanwhile
            return
        if error is None:
            self.answer.set_result(outcome)
        else:
            self.answer.set_exception(error)


def _run_to_end(work: Work[T], transaction: SQLiteConnection) -> T:
    """Run a coroutine that never suspends, without an event loop."""
    coroutine = cast(Coroutine[Any, Any, T], work(transaction))
    try:
        coroutine.send(None)
    except StopIteration as end:
        return cast(T, end.value)
    coroutine.close()
    raise RuntimeError("a write waited for something else than its transaction")


class Writer:
    """The thread, and its connection."""

    def __init__(self, path: Path, files: OpenFiles) -> None:
        self._files = files
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self._connection = open_file(path, read_only=False)
        try:
            self._connection.execute("SELECT 1 FROM sqlite_schema").fetchall()  # opens the log
            files.complete()
            self._checkpointer = Checkpointer(path)
        except (apsw.Error, Unavailable):
            self._connection.close()
            raise
        self._transaction = SQLiteConnection(self._connection)
        self._path = path
        self._thread = threading.Thread(target=self._write_on, name="writer", daemon=True)
        self._thread.start()

    async def write(self, work: Work[T]) -> T:
        """What `work` returns, once the commit that it may share with others is done."""
        job = _Job(work)
        self._jobs.put(job)
        return cast(T, await job.answer)

    async def close(self) -> None:
        """Finish the waiting writes."""
        self._jobs.put(None)
        await asyncio.to_thread(self._thread.join)
        await asyncio.to_thread(self._checkpointer.close)
        self._connection.close()

    def _write_on(self) -> None:
        """The writer thread: batch after batch until `close`."""
        while batch := self._next_batch():
            self._commit_together(batch)
            self._checkpointer.wake()
            bound_log(self._connection, self._path)

    def _next_batch(self) -> list[_Job]:
        """The jobs that wait for a commit, one at least; none once the database closes."""
        batch: list[_Job] = []
        while (job := self._jobs.get()) is not None:
            batch.append(job)
            if len(batch) == SHARED_COMMIT or self._jobs.empty():
                return batch
        if batch:
            self._jobs.put(None)  # for the next time
        return batch

    def _commit_together(self, batch: list[_Job]) -> None:
        """Run the jobs, several in a savepoint each; commit once, and only then answer."""
        outcomes: list[tuple[object, BaseException | None]] = []
        try:
            self._files.verify_lately()
            self._connection.execute(BEGIN_WRITE)
            for job in batch:
                outcomes.append(self._attempt(job, is_alone=len(batch) == 1))  # noqa: PERF401 - the part done counts
            if self._connection.in_transaction:
                self._connection.execute("COMMIT")
            self._files.verify()  # a write to a removed file must not be acknowledged
        except (apsw.Error, Unavailable) as reason:
            if self._connection.in_transaction:
                with contextlib.suppress(apsw.Error):
                    self._connection.execute("ROLLBACK")
            outcomes = [(None, refusal(reason))] * len(batch)
        for job, (outcome, error) in zip(batch, outcomes, strict=True):
            job.settle(outcome, error)

    def _attempt(self, job: _Job, *, is_alone: bool) -> tuple[object, BaseException | None]:
        """Run a job. One that is alone needs no savepoint, which keeps a copy of every page."""
        if not is_alone:
            self._connection.execute("SAVEPOINT job")
        try:
            outcome: object = _run_to_end(job.work, self._transaction)
            error = None
        except Exception as raised:
            outcome, error = None, raised
            if not self._connection.in_transaction:  # SQLite gave it up, as on a full disk
                raise Unavailable from raised
            self._connection.execute("ROLLBACK" if is_alone else "ROLLBACK TO job")
        if not is_alone:
            self._connection.execute("RELEASE job")
        return outcome, error
