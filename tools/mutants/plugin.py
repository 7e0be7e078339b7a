"""A pytest plugin that tests mutants: pytest collects once, and each mutant gets a forked process.

The first process only collects. It runs no test, so a forked one inherits no event loop, no
connection and no thread. First, forked processes run all tests without a mutant, and note which
functions each test calls and how long it takes. Then each mutant gets a process that runs the tests
that call it, the quickest first, until one fails. If its code has run at import, or cannot be
replaced, and no test fails, it gets a new process, which imports the mutant.

`MUTANTS_PLAN` names a file with a `Plan`.
"""

import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Generator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

import pytest

from tools.mutants.code import Code, NotApplied, install
from tools.mutants.functions import digest_of
from tools.mutants.plan import Plan, Record, Result, append, pack
from tools.mutants.tasks import STARTING, Alarm, Task, Tasks

ORPHAN = 70  # exit code of a process whose first process has ended
NOTICED = 71  # exit code of a process that ends at once as a test has failed
LATE = 30.0  # seconds that a test may take after its limit, such as for its teardown
LONGEST = 7200.0  # seconds for a test without a mutant


class Mutants:
    """The hooks, of the first process and of forked ones: these have a task."""

    def __init__(self, plan: Plan, code: Code) -> None:
        self.plan, self.code = plan, code
        self.task: Task | None = None
        self.tasks: Tasks | None = None
        self.alarm: Alarm | None = None
        self.limits: dict[str, float] = {}
        self.reports: list[pytest.TestReport] = []
        self.starter = os.getppid()
        self.status = 0

    # --- the first process ---

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        """Run everything in forked processes; there, go on as pytest does."""
        if session.testsfailed:
            return None  # pytest says what cannot be collected
        if self.task:  # a new process
            found = {item.nodeid: item for item in session.items}
            names, limits = self.task.read_chosen()
            self.prepare(session, [found[name] for name in names], limits)
            return None
        self.code.find_functions()
        skipped = set(self.plan.skip_tests)
        items = [item for item in session.items if item.nodeid not in skipped]
        self.plan.collected.write_text("".join(f"{item.nodeid}\n" for item in items))
        tasks = self.tasks = Tasks(self.plan, self.code.sample, bytes(self.code.reached), items)
        for list_tasks in (
            tasks.list_shards,
            tasks.list_first,
            tasks.list_rest,
            tasks.list_controls,
            tasks.list_first,  # those whose killers have now failed without them
            tasks.list_rest,
        ):
            if self.run(session, list_tasks()):
                return None
        return True

    def run(self, session: pytest.Session, tasks: list[Task]) -> bool:
        """Run tasks in forked processes. Returns True in each of these, which has one task."""
        running: dict[int, Task] = {}
        try:
            return self.run_all(session, tasks, running)
        except BaseException:  # such as Ctrl-C, which the forked processes do not get
            for child, task in running.items():
                with suppress(ProcessLookupError):
                    os.killpg(child, signal.SIGKILL)
                shutil.rmtree(task.folder, ignore_errors=True)
            raise

    def run_all(self, session: pytest.Session, tasks: list[Task], running: dict[int, Task]) -> bool:
        """The same; notes which processes are running."""
        queue = list(reversed(tasks))
        alarms: dict[int, Alarm] = {}
        while queue or running:
            if queue and len(running) < self.plan.jobs:
                task = queue.pop()
                task.folder = tempfile.mkdtemp(prefix="mutant-")
                alarm = Alarm(task.folder)
                alarm.set(STARTING)
                sys.stdout.flush()
                child = os.fork()
                if not child:
                    self.become(task, session)
                    return True
                task.began = task.began or time.monotonic()
                running[child], alarms[child] = task, alarm
                continue
            time.sleep(0.02)
            if os.getppid() != self.starter:
                raise RuntimeError("The program that started this process has ended.")
            for child, task in list(running.items()):
                ended, status = os.waitpid(child, os.WNOHANG)
                is_late = not ended and alarms[child].is_over()
                if not ended and is_late:
                    os.kill(child, signal.SIGKILL)
                    os.waitpid(child, 0)
                if ended or is_late:
                    if self.finish(child, running.pop(child), status, is_late):
                        queue.append(replace(task, is_new=True))
                    else:
                        self.tell(session, len(tasks), len(queue) + len(running), task)
        return False

    def finish(self, child: int, task: Task, status: int, is_late: bool) -> bool:
        """Note the result of a process, and remove what it left; returns whether to try again."""
        with suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)  # servers that its tests started
        code = os.waitstatus_to_exitcode(status)
        log = Path(task.folder, "log").read_text()
        # A mutant that cannot be imported is noticed by all tests; a limit of time may strike while
        # pytest reports a test, which ends pytest
        is_late = is_late or (code == 3 and "from pytest-timeout" in log)
        is_import = "ImportError while loading conftest" in log
        is_noticed = task.mutant is not None and (is_late or is_import)
        if code in {3, 4} and not is_noticed:  # pytest cannot run
            raise RuntimeError(f"{task.mutant.id if task.mutant else 'control'} fails:\n{log}")
        again = False
        if task.mutant:
            assert self.tasks
            test = task.said.read_text() if task.said.exists() else ""
            how = "time" if is_late else "test" if test else "crash" if code not in {0, 5} else ""
            if how == "crash":
                sys.stdout.write(f"{task.mutant.id} ends with {code}:\n{log}\n")
            again = task.again and not task.is_new and not how and bool(task.items)
            tests = self.tasks.digests[test] if test else task.tests
            seconds = round(time.monotonic() - task.began, 2)
            module = task.mutant.digest(Path(self.plan.root))
            result = Result(task.mutant.id, how, test, seconds, module, tests, task.is_complete)
            if not again:
                append(self.plan.results, result)
        shutil.rmtree(task.folder, ignore_errors=True)
        return again

    def tell(self, session: pytest.Session, total: int, left: int, task: Task) -> None:
        """Show the progress."""
        reporter = session.config.pluginmanager.get_plugin("terminalreporter")
        assert reporter
        seconds = time.monotonic() - task.began
        name = task.mutant.id if task.mutant else f"{len(task.items)} tests without a mutant"
        killed = f", {task.said.read_text()}" if task.said.exists() else ""
        reporter.write_line(f"{total - left}/{total} {name}: {seconds:.1f} s{killed}", flush=True)

    # --- a forked process ---

    def become(self, task: Task, session: pytest.Session) -> None:
        """Prepare this process for its task, in a folder of its own."""
        os.setsid()
        log = os.open(f"{task.folder}/log", os.O_CREAT | os.O_WRONLY | os.O_APPEND)
        os.dup2(log, 1)
        os.dup2(log, 2)
        self.task, self.starter = task, os.getppid()
        own = {"MUTANTS_REACHED": f"{task.folder}/reached", "TMPDIR": task.folder}
        os.environ |= own | {"PYTEST_DEBUG_TEMPROOT": task.folder}
        tempfile.tempdir = None
        self.alarm = Alarm(task.folder)
        Path(task.folder, "reached").write_bytes(bytes(len(self.code.reached)))
        if not task.mutant:
            session.items = task.items
            self.code.share(Path(task.folder, "reached"))
            return
        os.environ["MUTANT"] = task.mutant.id
        try:
            if task.is_new:
                self.start_again(task, session)
            self.code.change(task.mutant)
        except NotApplied:
            self.start_again(task, session)
        self.prepare(session, task.items, task.limits)

    def prepare(
        self, session: pytest.Session, items: list[pytest.Item], limits: list[float]
    ) -> None:
        """Run these tests, with a limit of time for each, until one fails."""
        session.config.option.maxfail = 1
        session.items = items
        for item, limit in zip(items, limits, strict=True):
            item.add_marker(pytest.mark.timeout(limit), append=False)
            self.limits[item.nodeid] = limit

    def start_again(self, task: Task, session: pytest.Session) -> NoReturn:
        """Become a new process, which imports the mutant and runs the same tests."""
        task.write_chosen()
        files = sorted({item.nodeid.partition("::")[0] for item in task.items})
        command = [sys.executable, "-m", "pytest", *session.config.invocation_params.args, *files]
        os.execve(sys.executable, command, os.environ | {"MUTANTS_TASK": task.folder})  # noqa: S606

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Note what a test calls."""
        if self.task and self.starter != os.getppid():
            os._exit(ORPHAN)
        if self.alarm:
            self.alarm.set(self.limits.get(item.nodeid, LONGEST) + LATE)
        self.code.reached[:] = bytes(len(self.code.reached))
        self.reports = []
        answer = yield
        if self.task and not self.task.mutant:
            outcomes = {report.outcome for report in self.reports}
            append(
                self.plan.records,
                Record(
                    item.nodeid,
                    digest_of(item.path),
                    round(sum(report.duration for report in self.reports), 4),
                    next(each for each in ("failed", "skipped", "passed") if each in outcomes),
                    pack(bytes(self.code.reached)),
                ),
            )
        return answer

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note how a test ends."""
        self.reports.append(report)
        if self.task and self.task.mutant and report.failed and not self.task.said.exists():
            self.task.said.write_text(report.nodeid)
            if "postgres" not in report.nodeid:  # else its databases must be dropped
                sys.stdout.flush()
                os._exit(NOTICED)

    def pytest_sessionfinish(self, exitstatus: int) -> None:
        """Keep the exit code."""
        self.status = int(exitstatus)

    @pytest.hookimpl(trylast=True)
    def pytest_unconfigure(self) -> None:
        """End a forked process at once: what the first one does at its end is not its business."""
        if self.task:
            sys.stdout.flush()
            os._exit(self.status)


def pytest_configure(config: pytest.Config) -> None:
    """Add the hooks."""
    plan = Plan.read(Path(os.environ["MUTANTS_PLAN"]))
    code = install()
    mutants = Mutants(plan, code)
    if folder := os.environ.get("MUTANTS_TASK"):
        mutants.task = Task([], code.mutant, folder=folder)
        mutants.alarm = Alarm(folder)
    config.pluginmanager.register(mutants, "mutants-run")
