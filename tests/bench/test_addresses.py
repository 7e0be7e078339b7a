"""The benchmark of addresses runs."""

from bench.addresses import measure


def test_every_step_is_measured() -> None:
    times = measure(20, repeat=1)
    assert {"address_lines", "key_of", "all checks"} <= times.keys()
    assert all(microseconds > 0 for microseconds in times.values())
