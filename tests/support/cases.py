"""Tests of many values in one item: all of them run, and a failure names each that failed."""

import functools
import inspect
import traceback
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import Any

import pytest

Test = Callable[..., Any]


class Cases:
    """What went wrong in the cases of a test."""

    def __init__(self) -> None:
        self.failures: list[str] = []
        self._name = ""

    def case(self, name: str) -> "Cases":
        """A context in which a failure is noted, and does not stop the test."""
        self._name = name
        return self

    def __enter__(self) -> None:
        pass

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        if not isinstance(error, Exception | pytest.fail.Exception):
            return False
        line = traceback.extract_tb(trace)[1 if trace and trace.tb_next else 0].lineno
        told = isinstance(error, AssertionError | pytest.fail.Exception)
        reason = str(error) if told else repr(error)
        self.failures.append(f"{self._name}, in line {line}: {reason}")
        return True

    def require_success(self, count: int) -> None:
        """Fail with the list of the cases that failed; and if there were no cases."""
        assert count, "there are no cases"
        if self.failures:
            lines = "\n".join(self.failures)
            pytest.fail(f"{len(self.failures)} of {count} cases failed:\n{lines}", pytrace=False)


def for_each(
    names: str, values: Iterable[Any], ids: Callable[[Any], str] | None = None
) -> Callable[[Test], Test]:
    """Run a test with each value, all in one item and with the same fixtures.

    For cases that leave nothing behind; otherwise use `pytest.mark.parametrize`, which gives each
    its own fixtures. names: as there, such as "path" or "kind, status". ids: the name of a value.
    """
    arguments = names.split(", ")
    rows = [value if len(arguments) > 1 else (value,) for value in values]

    def name_of(row: tuple[Any, ...]) -> str:
        return "-".join(ids(each) if ids else repr(each)[:100] for each in row)

    def decorate(test: Test) -> Test:
        signature = inspect.signature(test)
        assert set(arguments) <= signature.parameters.keys()

        @functools.wraps(test)
        async def wait_for_all(**fixtures: Any) -> None:
            cases = Cases()
            for row in rows:
                with cases.case(name_of(row)):
                    await test(**fixtures, **dict(zip(arguments, row, strict=True)))
            cases.require_success(len(rows))

        @functools.wraps(test)
        def run_all(**fixtures: Any) -> None:
            cases = Cases()
            for row in rows:
                with cases.case(name_of(row)):
                    test(**fixtures, **dict(zip(arguments, row, strict=True)))
            cases.require_success(len(rows))

        wrapper: Any = wait_for_all if inspect.iscoroutinefunction(test) else run_all
        left = [each for name, each in signature.parameters.items() if name not in arguments]
        wrapper.__signature__ = signature.replace(parameters=left)
        return wrapper  # type: ignore[no-any-return]

    return decorate
