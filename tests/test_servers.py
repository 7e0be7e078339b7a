"""Servers of tests do not run on the database that the tests share."""

from pathlib import Path

import pytest

from tests.support.serving import serve


def test_no_server_runs_on_the_shared_database(database_url: str, tmp_path: Path) -> None:
    log = tmp_path / "log"
    with pytest.raises(AssertionError, match="of its own"), serve(database_url, log):
        pass
    assert not log.exists()
