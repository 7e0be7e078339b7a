"""Check the systemd unit in docs/operations.md."""

from configparser import ConfigParser
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "operations.md"


def unit() -> ConfigParser:
    """The unit, by section."""
    _, _, rest = PAGE.read_text(encoding="utf-8").partition("```ini\n[Unit]\n")
    parser = ConfigParser(strict=False)
    parser.read_string("[Unit]\n" + rest.partition("```")[0])
    return parser


def test_the_unit_is_restarted_until_the_database_is_available() -> None:
    assert unit()["Service"]["Restart"] == "always"
    assert int(unit()["Service"]["RestartSec"]) >= 1
    assert unit()["Unit"]["StartLimitIntervalSec"] == "0"
    assert "network-online.target" in unit()["Unit"]["After"]
    assert unit()["Unit"]["Wants"] == "network-online.target"


def test_only_the_supervisor_gets_sigterm_and_it_has_time_to_stop() -> None:
    assert unit()["Service"]["KillMode"] == "mixed"
    assert int(unit()["Service"]["TimeoutStopSec"]) > 10
