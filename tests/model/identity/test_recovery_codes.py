"""Recovery codes: hard to guess, easy to type."""

import pytest

from masthead.model.identity.recovery_codes import COUNT, new_recovery_codes, recovery_code_digest

CODE = "0K7MV2-QX9RT1-ABCDEF-23456J"


def test_ten_different_codes_are_created_with_four_groups_of_six() -> None:
    codes = new_recovery_codes()
    assert len(set(codes)) == COUNT == 10
    assert all([len(group) for group in code.split("-")] == [6, 6, 6, 6] for code in codes)


def test_each_new_code_has_its_own_digest() -> None:
    codes = new_recovery_codes()
    assert len({recovery_code_digest(code) for code in codes}) == len(codes)


@pytest.mark.parametrize(
    "typed",
    [CODE.lower(), CODE.replace("-", ""), f"  {CODE} ", CODE.replace("0", "o").replace("1", "l")],
)
def test_a_code_may_be_written_in_different_ways(typed: str) -> None:
    assert recovery_code_digest(typed) == recovery_code_digest(CODE)


@pytest.mark.parametrize("typed", ["", CODE[:-1], CODE + "0", CODE.replace("Q", "U"), "é" * 24])
def test_text_that_is_not_a_code_has_no_digest(typed: str) -> None:
    assert recovery_code_digest(typed) is None


def test_at_most_a_hundred_characters_are_read() -> None:
    assert recovery_code_digest(" " * 100 + CODE) is None
