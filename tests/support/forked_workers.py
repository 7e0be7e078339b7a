"""A pytest plugin that collects the tests once and runs them in several processes.

`--forks=3` starts three. They are copies of the process that has collected the tests, which takes
13 s: no other process has to do so again, as with pytest-xdist. That process has no event loop, no
connection and no thread. Each copy has the fixtures of a session of its own.

A copy runs a part of the tests, in their order. When it has no more, it takes over half of what is
left of the largest part. If one ends in the middle of a test, the test has failed, and another one
goes on.
"""

import fcntl
import mmap
import os
import signal
import struct
import sys
import tempfile
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection, Pipe, wait
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NoReturn

import pytest

_PART = struct.Struct("qq")  # the first test of a part, and the one behind its last


class Parts:
    """Which tests are left to each process, by their numbers; all processes share it."""

    def __init__(self, tests: int, processes: int) -> None:
        self._lock, name = tempfile.mkstemp()
        os.unlink(name)
        self._shared = mmap.mmap(-1, _PART.size * processes)
        self._processes = range(processes)
        for each in self._processes:
            self._set(each, tests * each // processes, tests * (each + 1) // processes)

    def take(self, process: int) -> int | None:
        """The next test of a process; None if there are none left."""
        with self._locked():
            first, end = self._get(process)
            if first == end:
                largest = max(self._processes, key=self._left)
                start, end = self._get(largest)
                first = (start + end) // 2
                self._set(largest, start, first)
            if first < end:
                self._set(process, first + 1, end)
                return first
            return None

    def clear(self) -> None:
        """Leave nothing to any process."""
        with self._locked():
            for each in self._processes:
                self._set(each, 0, 0)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        fcntl.lockf(self._lock, fcntl.LOCK_EX)  # a process that ends loses it
        try:
            yield
        finally:
            fcntl.lockf(self._lock, fcntl.LOCK_UN)

    def _get(self, process: int) -> tuple[int, int]:
        first, end = _PART.unpack_from(self._shared, _PART.size * process)
        return first, end

    def _left(self, process: int) -> int:
        first, end = self._get(process)
        return end - first

    def _set(self, process: int, first: int, end: int) -> None:
        _PART.pack_into(self._shared, _PART.size * process, first, end)


class ForkedWorkers:
    """The hooks of the process that has collected the tests."""

    def __init__(self, processes: int) -> None:
        self._processes = processes

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        """Run the tests in other processes, and report what they report."""
        option = session.config.option
        if session.testsfailed or option.collectonly or len(session.items) < 2:
            return None  # as usual
        reporter: Any = session.config.pluginmanager.get_plugin("terminalreporter")
        if reporter:
            reporter.showfspath = False  # tests of several files run at the same time
        workers = _Workers(session, min(self._processes, len(session.items)))
        try:
            workers.run()
        finally:
            workers.kill()
        if session.shouldfail:
            raise session.Failed(session.shouldfail)
        if session.shouldstop:
            raise session.Interrupted(session.shouldstop)
        return True


class _Worker(SimpleNamespace):
    """A process. test: the number of the test that it runs; following: of the one after that."""

    number: int
    id: int
    test: int | None
    following: int | None


class _Workers:
    """The processes of a run."""

    def __init__(self, session: pytest.Session, count: int) -> None:
        self.session = session
        self.parts = Parts(len(session.items), count)
        self.left = set(range(len(session.items)))  # the tests that have not begun
        factory: Any = session.config._tmp_path_factory  # type: ignore[attr-defined]
        self.base: Path = factory.getbasetemp()
        self.started = 0
        self.running: dict[Connection, _Worker] = {}
        for number in range(count):
            self.start(number, None)

    def start(self, number: int, first: int | None) -> None:
        """Start a process. number: of its part. first: the test that it runs before these."""
        self.started += 1
        receiver, sender = Pipe(duplex=False)
        sys.stdout.flush()
        sys.stderr.flush()
        id = os.fork()
        if not id:
            receiver.close()
            self.work(number, first, sender)
        sender.close()
        self.running[receiver] = _Worker(number=number, id=id, test=None, following=None)

    def run(self) -> None:
        """Report what the processes say, until all have ended. Raises: RuntimeError."""
        hook = self.session.config.hook
        while self.running:
            for each in wait(list(self.running)):
                assert isinstance(each, Connection)
                worker = self.running[each]
                try:
                    message = each.recv()
                except EOFError:
                    self.finish(each)
                    continue
                if isinstance(message, dict):
                    report = hook.pytest_report_from_serializable(
                        config=self.session.config, data=message
                    )
                    self.report(worker, report)
                else:
                    worker.test, worker.following = message
                    self.left.discard(worker.test)
        if self.left and not self.is_over():
            raise RuntimeError(f"{len(self.left)} tests have not run.")

    def is_over(self) -> bool:
        """Whether no other test is to begin, such as after a failure."""
        return bool(self.session.shouldfail or self.session.shouldstop)

    def report(self, worker: _Worker, report: pytest.TestReport) -> None:
        """Report a phase of a test."""
        shown: Any = report
        shown.node = SimpleNamespace(gateway=SimpleNamespace(id=worker.number))  # as of xdist
        self.session.config.hook.pytest_runtest_logreport(report=report)
        del shown.node
        if self.is_over():
            self.parts.clear()

    def finish(self, connection: Connection) -> None:
        """A process has ended; if that was in a test, this has failed."""
        worker = self.running.pop(connection)
        connection.close()
        _, status = os.waitpid(worker.id, 0)
        if worker.test is None:
            return
        item = self.session.items[worker.test]
        code = os.waitstatus_to_exitcode(status)
        said = f"The process has ended in this test, with exit code {code}."
        self.report(
            worker, pytest.TestReport(item.nodeid, item.location, {}, "failed", said, "call")
        )
        if not self.is_over():
            self.start(worker.number, worker.following)

    def kill(self) -> None:
        """End the processes that are still running, such as after Ctrl-C."""
        for worker in self.running.values():
            with suppress(ProcessLookupError):
                os.kill(worker.id, signal.SIGINT)
        for worker in self.running.values():
            with suppress(ChildProcessError):
                os.waitpid(worker.id, 0)

    # --- in a process ---

    def work(self, number: int, first: int | None, sender: Connection) -> NoReturn:
        """Run tests, and end this process."""
        status = 1
        try:
            self.prepare(sender)
            self.run_part(number, first, sender)
            status = 0
        except KeyboardInterrupt:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        except Exception:  # noqa: BLE001 - the other process says that this one has ended
            traceback.print_exc()
        finally:
            with suppress(BaseException):  # what it has started ends with it
                self.session._setupstate.teardown_exact(None)
            os._exit(status)

    def run_part(self, number: int, first: int | None, sender: Connection) -> None:
        """Run the tests that are left to this process."""
        items, hook = self.session.items, self.session.config.hook
        test = self.parts.take(number) if first is None else first
        while test is not None:
            following = self.parts.take(number)
            sender.send((test, following))
            next_item = None if following is None else items[following]
            hook.pytest_runtest_protocol(item=items[test], nextitem=next_item)
            if self.is_over():
                break
            test = following
        sender.send((None, None))

    def prepare(self, sender: Connection) -> None:
        """Have files of its own, and report to the process that has collected the tests."""
        plugins: Any = self.session.config.pluginmanager
        capture = plugins.get_plugin("capturemanager")
        capture.stop_global_capturing()
        capture.start_global_capturing()
        capture.suspend_global_capture(in_=False)
        plugins.unregister(name="terminalreporter")
        plugins.register(_Reports(self.session.config, sender))
        folder = self.base / f"process-{self.started}"
        folder.mkdir()
        self.session.config._tmp_path_factory._basetemp = folder  # type: ignore[attr-defined]


class _Reports:
    """The hook of a process that sends its reports."""

    def __init__(self, config: pytest.Config, sender: Connection) -> None:
        self._config, self._sender = config, sender

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Send the report of a phase of a test."""
        self._sender.send(
            self._config.hook.pytest_report_to_serializable(config=self._config, report=report)
        )
