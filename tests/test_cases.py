"""A test of many values runs all of them, and names those that fail."""

import pytest

from tests.support.cases import for_each


@for_each("number", [1, 2])
async def run_waiting(number: int, seen: list[int]) -> None:
    seen.append(number)


@for_each("number, word", [(1, "one"), (2, "two")], ids=str)
def run_pairs(number: int, word: str, seen: list[object]) -> None:
    seen.append((number, word))


@for_each("number", [1, 2, 3], ids=str)
def run_odd(number: int, seen: list[int]) -> None:
    seen.append(number)
    assert number % 2, "it is even"


@for_each("number", [])
def run_nothing(number: int) -> None:
    raise AssertionError(number)


async def test_each_value_runs_with_the_same_fixtures() -> None:
    seen: list[object] = []
    await run_waiting(seen=seen)
    run_pairs(seen=seen)
    assert seen == [1, 2, (1, "one"), (2, "two")]


def test_a_value_that_fails_is_named_and_the_others_run() -> None:
    seen: list[int] = []
    with pytest.raises(pytest.fail.Exception, match=r"1 of 3 cases failed:\n2, in line \d+: it is"):
        run_odd(seen=seen)
    assert seen == [1, 2, 3]


def test_no_values_are_a_failure() -> None:
    with pytest.raises(AssertionError, match="there are no cases"):
        run_nothing()
