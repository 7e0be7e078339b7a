"""`masthead migrate`, and the errors of other commands before a migration."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import asyncpg
import pytest

from masthead.cli import server
from masthead.store.engine.database import SCHEMA_VERSION
from masthead.store.engine.postgres import migration_locks
from tests.cli.conftest import CommandLine
from tests.cli.test_check import execute
from tests.support.cases import for_each
from tests.support.waiting import PATIENCE

COMMANDS = [
    "account list",
    "check",
    "daily",
    "key list --account acme",
    "issue create --account acme --number 1",
    "account create --name Acme --subdomain acme --currency EUR --owner ann@acme.test",
]


@pytest.fixture
def empty(
    bare: CommandLine, empty_database: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> CommandLine:
    """The command line on an empty database; on SQLite the file does not exist."""
    monkeypatch.setenv("MASTHEAD_DATABASE_URL", empty_database())
    return bare


def test_migrate_can_be_repeated_without_changes(empty: CommandLine) -> None:
    first = empty("migrate")
    assert first.out == ""
    assert first.said == f"The database now has version {SCHEMA_VERSION}."
    again = empty("migrate")
    assert again.said == f"The database already has version {SCHEMA_VERSION}."
    assert empty("account list --json").json == {"items": []}


def test_migrate_says_what_waits_until_older_versions_are_stopped(
    alone: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "SCHEMA_VERSION", "9999")
    said = alone("migrate").said
    assert "Version 9999 only removes what older versions of masthead use." in said
    assert "run `masthead migrate --remove`" in said


def test_an_older_masthead_can_use_a_database_that_a_newer_one_expanded(
    alone: CommandLine, scratch_url: str
) -> None:
    execute(scratch_url, "UPDATE alembic_version SET version_num = '9999'")
    execute(scratch_url, "UPDATE schema_support SET version = '9999'")
    assert "already has version 9999" in alone("migrate").said
    assert f"this one ({SCHEMA_VERSION}) can use it" in alone("migrate").said
    assert alone("account list --json").json == {"items": []}


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_require_a_migrated_database(empty: CommandLine, command: str) -> None:
    ended = empty(command, code=1)
    assert ended.out == ""
    assert "run `masthead migrate` first" in ended.said


def test_a_command_does_not_create_a_database(
    bare: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert "masthead.db" in bare("account list", code=1).said
    assert list(tmp_path.iterdir()) == []


def test_commands_do_not_suggest_migrate_if_the_database_was_removed(
    bare: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "masthead.db"
    monkeypatch.setenv("MASTHEAD_DATABASE_URL", f"sqlite:///{file}")
    bare("migrate")
    file.unlink()
    for command in COMMANDS:
        ended = bare(command, code=1)
        assert "is missing, but there was one before" in ended.said


def test_every_command_refuses_a_newer_database(alone: CommandLine, scratch_url: str) -> None:
    execute(scratch_url, "UPDATE alembic_version SET version_num = '9999'")
    for command in ("migrate", *COMMANDS):
        ended = alone(command, code=1)
        assert "9999" in ended.said
        assert "newer" in ended.said


@for_each("command", ["migrate", "check", "serve", "account list"])
@for_each(
    "url, message",
    [
        ("mysql://localhost/masthead", "postgresql"),
        ("sqlite://masthead.db", "names no database"),
        ("sqlite:////no/such/folder/masthead.db", "/no/such/folder"),
        ("postgresql://127.0.0.1:1/masthead", "127.0.0.1"),
    ],
)
def test_an_unreachable_database_is_reported_without_traceback(
    bare: CommandLine, monkeypatch: pytest.MonkeyPatch, command: str, url: str, message: str
) -> None:
    monkeypatch.setenv("MASTHEAD_DATABASE_URL", url)
    ended = bare(command, code=1)
    assert ended.out == ""
    assert ended.said.startswith("masthead: ")
    assert message in ended.said
    assert len(ended.err.splitlines()) == 1


@pytest.mark.parametrize("command", ["migrate", "check", "serve"])
def test_a_file_that_is_not_a_database_is_reported(
    bare: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    path = tmp_path / "masthead.db"
    path.write_text("Dear diary, " * 1000)
    monkeypatch.setenv("MASTHEAD_DATABASE_URL", f"sqlite:///{path}")
    ended = bare(command, code=1)
    assert "not a database" in ended.said
    assert path.read_text().startswith("Dear diary")


HAS_WAITER = """
SELECT EXISTS (
    SELECT FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid))
)
"""


async def block_once(url: str, has_begun: threading.Event) -> None:
    """Hold a name that a migration needs, until it has given up waiting once."""
    report = await asyncpg.connect(url, server_settings={"application_name": "report"})
    try:
        await report.execute("BEGIN; CREATE TABLE alembic_version (n integer)")
        has_begun.set()
        async with asyncio.timeout(PATIENCE):
            for is_waiting in (True, False):
                while await report.fetchval(HAS_WAITER) is not is_waiting:  # noqa: ASYNC110
                    await asyncio.sleep(0.01)
    finally:
        await report.close()


@pytest.mark.slow
def test_migrate_names_who_blocks_it_and_tries_again(
    bare: CommandLine,
    backend: str,
    empty_database: Callable[[], str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if backend != "postgres":
        pytest.skip("on SQLite, a migration does not wait for those who read")
    url, has_begun = empty_database(), threading.Event()
    monkeypatch.setenv("MASTHEAD_DATABASE_URL", url)
    monkeypatch.setattr(migration_locks, "PAUSE_SECONDS", 0.5)
    with ThreadPoolExecutor(1) as thread:
        report = thread.submit(asyncio.run, block_once(url, has_begun))
        assert has_begun.wait(PATIENCE)
        said = bare("migrate").said
        report.result()
    assert "(report) has a transaction that blocks a table and is" in said
    assert "The migration is tried again in 0.5 s." in said
    assert said.endswith(f"The database now has version {SCHEMA_VERSION}.")
