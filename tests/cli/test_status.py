"""`masthead status`: what waits, what failed, and what needs attention."""

import http.server
import threading
from collections.abc import Iterator
from pathlib import Path
from shutil import rmtree

import pytest

from masthead import __version__
from masthead.services.background.read_model import BATCH
from masthead.store.engine.database import SCHEMA_VERSION
from tests.cli.conftest import CommandLine
from tests.cli.test_check import ENGINES, execute
from tests.cli.test_moving import damage


def test_status_tells_the_state_and_what_needs_attention(
    alone: CommandLine, tmp_path: Path, backend: str
) -> None:
    alone.account()
    ended = alone("status", code=1)
    assert "copies_owed " in ended.out
    assert "No worker does the background work." in ended.err
    assert "No backup was verified yet." in ended.err

    alone(f"backup {tmp_path} --verify")
    told = alone("status --json", code=1).json
    assert told["accounts"] == 1
    assert told["last_verified_backup"]
    assert [each.split(".")[0] for each in told["problems"]] == [
        "No worker does the background work"
    ]
    assert told["masthead"] == f"{__version__} ({ENGINES[backend]})"
    assert ("wal_bytes" in told) == (backend == "sqlite")


def test_status_tells_a_failed_backup_until_a_later_one_is_verified(
    alone: CommandLine, tmp_path: Path
) -> None:
    alone(f"backup {tmp_path} --verify")
    assert alone("status --json").json["last_failed_backup"] is None

    alone(f"backup {tmp_path / 'missing'} --verify --newest", code=1)
    told = alone("status --json", code=1).json
    assert [each[:15] for each in told["problems"]] == ["A backup failed"]

    (old,) = tmp_path.glob("20*")
    damage(old)
    alone(f"backup {tmp_path} --verify", code=1)  # the new one is sound
    later = alone("status --json", code=1).json
    assert [each[:15] for each in later["problems"]] == ["A backup failed"]
    assert later["last_failed_backup"] > told["last_failed_backup"]

    rmtree(old)
    alone(f"backup {tmp_path} --verify")
    assert alone("status --json").json["last_failed_backup"] == later["last_failed_backup"]


def test_status_of_a_database_without_accounts_needs_only_a_backup(
    alone: CommandLine, tmp_path: Path
) -> None:
    alone(f"backup {tmp_path} --verify")
    assert alone("status").err == ""


def test_status_tells_the_schema_of_the_database_and_of_masthead(
    alone: CommandLine, scratch_url: str
) -> None:
    execute(scratch_url, "UPDATE alembic_version SET version_num = '9999'")
    execute(scratch_url, "UPDATE schema_support SET version = '9999'")
    told = alone("status --json", code=1).json
    assert (told["schema"], told["schema_of_masthead"]) == ("9999", SCHEMA_VERSION)


def add_changes(url: str, first: int, last: int) -> None:
    """Let the documents of some subscriptions be outdated, as a migration does."""
    execute(
        url,
        """
        INSERT INTO subscription_change (account_id, id, revision)
        WITH RECURSIVE number (n) AS (
            SELECT CAST(:first AS integer) UNION ALL SELECT n + 1 FROM number WHERE n < :last
        )
        SELECT 1, 'id' || n, 0 FROM number
        """,
        {"first": first, "last": last},
    )


def test_status_tells_whether_a_backfill_is_under_way(alone: CommandLine, scratch_url: str) -> None:
    add_changes(scratch_url, 1, BATCH)  # which one batch renders, as after some writes
    assert alone("status --json", code=1).json["backfill"] is None
    add_changes(scratch_url, BATCH + 1, BATCH + 1)
    told = alone("status --json", code=1).json["backfill"]
    assert told == f"documents of subscriptions: {BATCH + 1} left"


TEXT = (
    "# TYPE masthead_workers gauge\nmasthead_workers 2\n"
    'masthead_request_duration_seconds_count{operation="list_issues",status="200"} 7\n'
)


class Handler(http.server.BaseHTTPRequestHandler):
    """A masthead whose token is `right`, and at `/none/` one without metrics."""

    def do_GET(self) -> None:
        """Answer."""
        is_right = self.headers["Authorization"] == "Bearer right"
        status = {"/metrics": 200 if is_right else 401, "/none/metrics": 404}.get(self.path, 500)
        self.send_response(status)
        self.end_headers()
        self.wfile.write(TEXT.encode() if status == 200 else b"")

    def log_message(self, *_: object) -> None:
        """Print nothing."""


@pytest.fixture
def server() -> Iterator[str]:
    """The address of a server that tells metrics."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_status_tells_how_a_server_answers(
    alone: CommandLine, server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MASTHEAD_METRICS_TOKEN", "right")
    told = alone(f"status --json --server {server}/", code=1).json
    assert (told["workers"], told["requests"], told["requests_failed"]) == (2, 7, 0)
    assert (
        "it has no `MASTHEAD_METRICS_TOKEN`" in alone(f"status --server {server}/none", code=1).err
    )
    assert "it answers 500" in alone(f"status --server {server}/other", code=1).err


@pytest.mark.parametrize(
    "given, expected",
    [
        ("127.0.0.1:8000", "expected an address such as http://127.0.0.1:8000"),
        ("http://127.0.0.1:1", "it does not answer"),
    ],
)
def test_status_says_why_a_server_tells_nothing(
    alone: CommandLine, given: str, expected: str
) -> None:
    assert expected in alone(f"status --server {given}", code=1).err


def test_a_wrong_token_is_not_shown(
    alone: CommandLine, server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MASTHEAD_METRICS_TOKEN", "wr0ng")
    ended = alone(f"status --server {server}", code=1)
    assert "its `MASTHEAD_METRICS_TOKEN` is another one" in ended.err
    assert "wr0ng" not in ended.out + ended.err
