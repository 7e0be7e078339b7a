"""A pytest plugin that makes the collection of all tests quick: it takes longer than most folders.

Each process of pytest-xdist imports the test files beginning at another one, so that it finds most
of what the others have compiled by then, and compiles a part itself.
"""

import contextlib
import gc
from collections.abc import Generator
from importlib import import_module
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]


def in_own_order(names: list[str], number: int, count: int) -> list[str]:
    """All names, of which the process with that number, of so many, begins with its own part."""
    first = len(names) * number // count
    return names[first:] + names[:first]


def import_test_files(number: int, count: int) -> None:
    """Import all test files; those that fail do so again when pytest collects them, and are told.

    number: of this process, from 0; count: of the processes.
    """
    paths = sorted(path.relative_to(TESTS.parent) for path in TESTS.rglob("test_*.py"))
    names = [".".join(path.with_suffix("").parts) for path in paths]
    for name in in_own_order(names, number, count):
        with contextlib.suppress(Exception, pytest.skip.Exception):
            import_module(name)


class QuickCollection:
    """Imports the test files before pytest does, and stops the garbage collector until then."""

    @pytest.hookimpl(wrapper=True)
    def pytest_collection(self, session: pytest.Session) -> Generator[None, object, object]:
        """Nothing collected is garbage: afterwards, the collector does not look through it."""
        gc.disable()
        process = getattr(session.config, "workerinput", None)
        if process and session.config.args == session.config.getini("testpaths"):
            import_test_files(int(process["workerid"].removeprefix("gw")), process["workercount"])
        try:
            return (yield)
        finally:
            gc.freeze()
            gc.set_threshold(100_000)
            gc.enable()
