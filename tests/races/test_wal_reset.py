"""The sequence that triggers SQLite's WAL-reset defect cannot happen."""

import time
from importlib import import_module
from pathlib import Path

import pytest

from masthead.store.engine.sqlite.version import has_wal_reset_defect
from tests.races.support.wal_reset import rows_of, scheduled
from tests.support.rounds import rounds

pytestmark = pytest.mark.races

TRIALS = 150
SECONDS = min(rounds(20), 120)  # for a defect that appears once in some thousand trials


def test_a_checkpoint_never_begins_while_a_commit_may_restart_the_log(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with scheduled("masthead", path) as schedule:
        assert not [number for number in range(rounds(TRIALS)) if schedule.interfere()]
        schedule.fill_up()
        assert rows_of(path) == schedule.expected


@pytest.mark.slow
def test_without_the_protection_a_checkpoint_begins_while_a_commit_may_restart_the_log(
    tmp_path: Path,
) -> None:
    with scheduled("unguarded", tmp_path / "a.db") as schedule:
        assert any(schedule.interfere() for _ in range(TRIALS))


@pytest.mark.slow
def test_an_old_sqlite_loses_committed_writes(tmp_path: Path) -> None:
    version = import_module("sqlite3").sqlite_version_info
    if not has_wal_reset_defect(version):
        pytest.skip("Python's own SQLite does not have this defect")
    path, began = tmp_path / "a.db", time.monotonic()
    with scheduled("system", path) as schedule:
        while time.monotonic() - began < SECONDS:
            schedule.interfere()
            if schedule.is_damaged():
                break
        else:
            pytest.skip(f"the defect did not appear within {SECONDS} s")
        schedule.fill_up()
    assert rows_of(path) != schedule.expected
