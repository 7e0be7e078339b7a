"""The security log: limited for each network and for all."""

from structlog.testing import capture_logs

from masthead.services.identity.security_log import (
    PER_NETWORK,
    PER_WORKER,
    WINDOW_SECONDS,
    SecurityLog,
)


class Stage:
    """A security log whose clock the test sets."""

    def __init__(self) -> None:
        self.moment = 100.0
        self.log = SecurityLog(lambda: self.moment)

    def refuse(self, address: str, times: int = 1) -> None:
        for _ in range(times):
            self.log.refusal("bad key", request_id="r", address=address, reason="no key")


def test_each_network_gets_a_few_lines_a_minute_and_the_rest_is_counted() -> None:
    stage = Stage()
    with capture_logs() as logs:
        stage.refuse("192.0.2.7", 100)
        stage.refuse("192.0.2.8")
        stage.moment += WINDOW_SECONDS
        stage.refuse("192.0.2.7")
    lines = [each["address"] for each in logs if each["event"] == "bad key"]
    assert lines == ["192.0.2.7"] * PER_NETWORK + ["192.0.2.8", "192.0.2.7"]
    (left_out,) = [each for each in logs if each["event"] == "security log lines left out"]
    assert left_out["count"] == 100 - PER_NETWORK
    assert left_out["log_level"] == "warning"


def test_an_ipv6_network_counts_as_one() -> None:
    stage = Stage()
    with capture_logs() as logs:
        for number in range(100):
            stage.refuse(f"2001:db8::{number:x}")
    assert len(logs) == PER_NETWORK


def test_all_networks_together_are_limited_for_each_worker() -> None:
    stage = Stage()
    with capture_logs() as logs:
        for number in range(PER_WORKER + 500):
            stage.refuse(f"10.{number >> 8}.{number & 255}.1")
        assert len(stage.log._lines) == PER_WORKER
        stage.moment += WINDOW_SECONDS
        stage.refuse("192.0.2.7")
    assert len(logs) == PER_WORKER + 2


def test_a_new_minute_logs_nothing_if_no_lines_were_left_out() -> None:
    stage = Stage()
    with capture_logs() as logs:
        stage.refuse("192.0.2.7")
        stage.moment += WINDOW_SECONDS
        stage.refuse("192.0.2.7")
    assert [each["event"] for each in logs] == ["bad key"] * 2


def test_access_is_always_logged() -> None:
    stage = Stage()
    with capture_logs() as logs:
        for _ in range(PER_WORKER + 1):
            stage.log.access("signed in", request_id="r", address="192.0.2.7", user="ann@a.test")
    assert len(logs) == PER_WORKER + 1
    assert logs[0] == {
        "event": "signed in",
        "log_level": "info",
        "request_id": "r",
        "address": "192.0.2.7",
        "user": "ann@a.test",
    }
