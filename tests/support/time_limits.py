"""A pytest plugin that ends the process of a test that does not end, even in its teardown.

pytest-timeout fails a test that takes too long, by an exception in it. After that, and after any
other failure, no limit is left for the teardown, and an exception does not end all waits: the
process would hang. Then this plugin prints the stacks of all threads and ends the process. With
pytest-xdist the test has failed and another process continues with the others.
"""

import faulthandler
import os
from collections.abc import Generator
from typing import Any

import pytest

TEARDOWN_SECONDS = 120  # after a failure


class LastLimit:
    """Ends the process some time after pytest-timeout should have ended the test."""

    def __init__(self) -> None:
        self._stderr = os.dup(2)  # pytest redirects the original while tests run

    def _arm(self, seconds: float) -> None:
        faulthandler.dump_traceback_later(seconds, file=self._stderr, exit=True)

    @pytest.hookimpl(wrapper=True)
    def pytest_timeout_set_timer(self, settings: Any) -> Generator[None, object, object]:
        """A test begins."""
        self._arm(settings.timeout + TEARDOWN_SECONDS)
        return (yield)

    @pytest.hookimpl(trylast=True)  # after pytest-timeout and pytest, which cancel their limits
    def pytest_exception_interact(self, node: pytest.Item | pytest.Collector) -> None:
        """A test has failed; its teardown follows."""
        if isinstance(node, pytest.Item):
            self._arm(TEARDOWN_SECONDS)

    @pytest.hookimpl(wrapper=True)
    def pytest_timeout_cancel_timer(self) -> Generator[None, object, object]:
        """A test has ended, or failed."""
        faulthandler.cancel_dump_traceback_later()
        return (yield)
