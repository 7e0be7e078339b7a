"""How long to wait after failures."""

from datetime import UTC, datetime, timedelta

import pytest

from masthead.model.throttling import BY_NETWORK, BY_PERSON, failures_left, network_of

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    "failures, seconds", [(5, 1), (6, 2), (7, 4), (10, 32), (11, 60), (40, 60), (10**9, 60)]
)
def test_a_person_waits_twice_as_long_each_time_but_a_minute_at_most(
    failures: int, seconds: int
) -> None:
    assert BY_PERSON.wait(failures, NOON, NOON) == timedelta(seconds=seconds)


def test_the_first_failures_cost_nothing() -> None:
    assert not BY_PERSON.wait(4, NOON, NOON)
    assert not BY_NETWORK.wait(19, NOON, NOON)
    assert BY_NETWORK.wait(20, NOON, NOON)


def test_the_wait_is_over_when_it_has_passed() -> None:
    assert BY_PERSON.wait(7, NOON, NOON + timedelta(seconds=3)) == timedelta(seconds=1)
    assert BY_PERSON.wait(7, NOON, NOON + timedelta(seconds=4)) == timedelta()


def test_a_clock_that_was_put_back_lets_nobody_wait_longer() -> None:
    assert BY_PERSON.wait(7, NOON + timedelta(days=300), NOON) == timedelta(seconds=4)


@pytest.mark.parametrize(
    "address, network",
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("", ""),
        ("unix", "unix"),
    ],
)
def test_a_client_of_ipv6_is_known_by_its_network(address: str, network: str) -> None:
    assert network_of(address) == network


@pytest.mark.parametrize(
    "failures,hours,left",
    [(20, 0, 20), (20, 0.9, 20), (20, 1, 10), (20, 4.5, 1), (20, 5, 0), (20, -3, 20), (9, 9e9, 0)],
)
def test_half_of_the_failures_are_forgotten_each_hour(
    failures: int, hours: float, left: int
) -> None:
    assert failures_left(failures, timedelta(minutes=1) * min(hours * 60, 1e8)) == left
