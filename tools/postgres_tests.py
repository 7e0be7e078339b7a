"""Choose the tests that `make check` also runs on PostgreSQL: together they run all statements.

    make postgres-tests

Each statement of the store is run on PostgreSQL by a test of `make check`. The tests that always
run there (`ON_BOTH` in tests/conftest.py) run many; for the others, this runs all tests on
PostgreSQL, notes which statements each of them runs, and writes the names of the cheapest ones that
run the rest into tests/postgres_tests.txt. It takes some fifteen minutes.

It is also the pytest plugin that takes the notes.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

from masthead.store.engine.interface import Row
from masthead.store.engine.postgres import connection
from tests.conftest import NAMED, always_on_both, function_of
from tests.support.account_scope import caller

FOLDER = "POSTGRES_TESTS_FOLDER"  # of the notes
TESTS = "not (slow or crash or races or faults or fuzz)"  # of `make check`, those without chance
OVERHEAD = 0.05  # seconds that each test costs beside what it runs


class Notes:
    """Notes the statements of each test, in a file for each process."""

    def __init__(self, folder: Path) -> None:
        self._statements = set[str]()
        worker = os.environ.get("PYTEST_XDIST_WORKER", "main")
        self._file = (folder / f"{worker}.jsonl").open("a", encoding="utf-8")
        translate, insert = connection._translate, connection.PostgresConnection.insert_rows

        def noting(sql: str) -> Any:
            if caller():
                self._statements.add(sql)
            return translate(sql)

        async def noting_rows(
            own: connection.PostgresConnection, table: str, rows: list[Row], **options: bool
        ) -> None:
            if caller():
                kind = "COPY" if len(rows) >= connection.COPIED else "INSERT"
                self._statements.add(f"{kind} {table} {options}")
            await insert(own, table, rows, **options)

        setattr(connection, "_translate", noting)  # noqa: B010 - it is another function
        setattr(connection.PostgresConnection, "insert_rows", noting_rows)  # noqa: B010

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> Generator[None, None, None]:
        """Write what a phase of a test ran, and how long it took."""
        note = (report.nodeid, report.duration, sorted(self._statements))
        self._file.write(json.dumps(note) + "\n")
        self._file.flush()
        self._statements.clear()
        yield


def pytest_configure(config: pytest.Config) -> None:
    """Take notes in the processes that run tests."""
    if os.environ.get("PYTEST_XDIST_WORKER") or not config.getoption("numprocesses", None):
        config.pluginmanager.register(Notes(Path(os.environ[FOLDER])), "notes")


def read_notes(folder: Path) -> Iterator[tuple[str, float, set[str]]]:
    """Each phase of a test: the name of its function, its seconds, and its statements."""
    for file in sorted(folder.glob("*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            nodeid, seconds, statements = json.loads(line)
            yield function_of(nodeid), seconds, set(statements)


def choose(seconds: dict[str, float], statements: dict[str, set[str]]) -> list[str]:
    """The cheapest tests that run all statements, which those that always run do not run."""
    always = [name for name in statements if always_on_both(Path(name.partition("::")[0]))]
    left = set().union(*statements.values()) - set().union(*(statements[name] for name in always))
    chosen = list[str]()
    while left:
        best = max(
            sorted(statements),
            key=lambda name: len(statements[name] & left) / (seconds[name] + OVERHEAD),
        )
        chosen.append(best)
        left -= statements[best]
    return sorted(chosen)


def main() -> int:
    """Run the tests on PostgreSQL, and write the list; returns the exit code."""
    with tempfile.TemporaryDirectory() as folder:
        ended = subprocess.run(  # noqa: S603 - our own program
            [
                *(sys.executable, "-m", "pytest", "-p", "tools.postgres_tests", "-m", TESTS),
                *("--backend=postgres", "--numprocesses=logical", "--dist=worksteal"),
            ],
            env=os.environ | {FOLDER: folder},
            check=False,
        )
        if ended.returncode:
            return ended.returncode
        seconds, statements = defaultdict[str, float](float), defaultdict[str, set[str]](set)
        for name, took, ran in read_notes(Path(folder)):
            seconds[name] += took
            statements[name] |= ran
    chosen = choose(seconds, statements)
    NAMED.write_text("".join(f"{name}\n" for name in chosen), encoding="utf-8")
    spent, total = sum(seconds[name] for name in chosen), sum(seconds.values())
    sys.stdout.write(f"{len(chosen)} tests, {spent:.0f} of {total:.0f} seconds\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
