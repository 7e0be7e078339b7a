"""The units in docs/operations.md are those that `masthead init` writes, or stand in ops/."""

import re
from configparser import ConfigParser
from pathlib import Path

from masthead.cli.install.files import UNIT_NAMES, UNITS, Installation
from masthead.serving.worker import DRAIN_SECONDS, STOP_SECONDS
from masthead.store.engine.moving.programs import PATIENCE
from tests.support.cases import for_each

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "operations.md"
FILES = Installation(
    database_url="sqlite:////var/lib/masthead/masthead.db", public_url="https://masthead.acme.test"
).files()


def unit(name: str) -> ConfigParser:
    """A unit that `masthead init` writes, by section."""
    parser = ConfigParser(strict=False)
    parser.read_string(FILES[UNITS / name])
    return parser


@for_each("name", UNIT_NAMES)
def test_the_page_shows_the_unit_that_init_writes(name: str) -> None:
    assert f"```ini\n{FILES[UNITS / name]}```\n" in PAGE.read_text(encoding="utf-8")


def test_the_unit_is_restarted_until_the_database_is_available() -> None:
    service = unit("masthead.service")
    assert service["Service"]["Restart"] == "always"
    assert int(service["Service"]["RestartSec"]) >= 1
    assert service["Unit"]["StartLimitIntervalSec"] == "0"
    assert "network-online.target" in service["Unit"]["After"]
    assert service["Unit"]["Wants"] == "network-online.target"


def test_only_the_supervisor_gets_sigterm_and_it_has_time_to_stop() -> None:
    service = unit("masthead.service")["Service"]
    assert service["KillMode"] == "mixed"
    assert int(service["TimeoutStopSec"]) >= 3 * (STOP_SECONDS + DRAIN_SECONDS)  # if it is busy


def test_stopping_the_socket_stops_the_service() -> None:
    service = unit("masthead.service")
    assert service["Unit"]["Requires"] == "masthead.socket"
    assert "masthead.socket" in service["Unit"]["After"]
    assert service["Install"]["Also"] == "masthead.socket"


def test_the_backup_runs_each_night_verifies_and_may_write_beside_the_database() -> None:
    backup, service = unit("masthead-backup.service"), unit("masthead.service")["Service"]
    assert backup["Service"]["Type"] == "oneshot"
    for name in ("User", "Environment", "StateDirectory"):
        assert backup["Service"][name] == service[name]
    assert backup["Service"]["ExecStart"].split()[0] == service["ExecStart"].split()[0]
    assert "--verify --keep" in backup["Service"]["ExecStart"]
    assert backup["Service"]["ReadWritePaths"] == "/var/backups/masthead"
    assert unit("masthead-backup.timer")["Timer"]["Persistent"] == "true"


def test_a_backup_that_hangs_is_stopped_before_the_next_one_is_due() -> None:
    backup, timer = unit("masthead-backup.service")["Service"], unit("masthead-backup.timer")
    assert timer["Timer"]["OnCalendar"] == "*-*-* 03:15:00 UTC"  # each day
    limit = backup["TimeoutStartSec"]
    assert limit.endswith("h")
    assert PATIENCE / 3600 < int(limit.removesuffix("h")) < 23  # and its programs may be patient
    assert backup["KillMode"] == "mixed"  # masthead stops them, and drops what it has begun


def test_the_units_that_the_page_names_exist() -> None:
    page = PAGE.read_text(encoding="utf-8")
    named = set()
    for units in re.findall(r"systemctl \w+ (?:--now )?(masthead[^\n`]*)", page):
        named |= {unit if "." in unit else f"{unit}.service" for unit in units.split()}
    assert len(named) > 4
    assert named <= {*UNIT_NAMES, *(file.name for file in (ROOT / "ops").glob("*.service"))}
