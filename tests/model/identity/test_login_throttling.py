"""The waiting time after failed sign-ins."""

from datetime import UTC, datetime, timedelta

import pytest

from masthead.model.identity.login_throttling import (
    BY_NETWORK,
    BY_PAIR,
    BY_PAIR_UNDER_ATTACK,
    failures_left,
)

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    "failures, seconds", [(5, 1), (6, 2), (7, 4), (10, 32), (11, 60), (40, 60), (10**9, 60)]
)
def test_the_wait_doubles_each_time_up_to_a_minute(failures: int, seconds: int) -> None:
    assert BY_PAIR.wait(failures, NOON, NOON) == timedelta(seconds=seconds)


@pytest.mark.parametrize(
    "failures, seconds", [(0, 0), (1, 0), (2, 15), (3, 30), (9, 1920), (10, 3600), (10**9, 3600)]
)
def test_under_attack_the_wait_starts_earlier_and_grows_up_to_an_hour(
    failures: int, seconds: int
) -> None:
    assert BY_PAIR_UNDER_ATTACK.wait(failures, NOON, NOON) == timedelta(seconds=seconds)


def test_the_first_failures_cause_no_wait() -> None:
    assert not BY_PAIR.wait(4, NOON, NOON)
    assert not BY_NETWORK.wait(19, NOON, NOON)
    assert BY_NETWORK.wait(20, NOON, NOON)


def test_after_the_waiting_time_an_attempt_is_allowed() -> None:
    assert BY_PAIR.wait(7, NOON, NOON + timedelta(seconds=3)) == timedelta(seconds=1)
    assert BY_PAIR.wait(7, NOON, NOON + timedelta(seconds=4)) == timedelta()


def test_setting_the_clock_back_does_not_extend_the_wait() -> None:
    assert BY_PAIR.wait(7, NOON + timedelta(days=300), NOON) == timedelta(seconds=4)


@pytest.mark.parametrize(
    "failures,hours,left",
    [(20, 0, 20), (20, 0.9, 20), (20, 1, 10), (20, 4.5, 1), (20, 5, 0), (20, -3, 20), (9, 9e9, 0)],
)
def test_half_of_the_failures_are_forgotten_each_hour(
    failures: int, hours: float, left: int
) -> None:
    assert failures_left(failures, timedelta(minutes=1) * min(hours * 60, 1e8)) == left
