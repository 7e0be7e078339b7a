"""`masthead migrate`, and the errors of other commands before a migration."""

from collections.abc import Callable
from pathlib import Path

import pytest

from masthead.cli import server
from masthead.store.engine.database import SCHEMA_VERSION
from tests.cli.conftest import CommandLine
from tests.cli.test_check import execute

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


@pytest.mark.parametrize("command", ["migrate", "check", "serve", "account list"])
@pytest.mark.parametrize(
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
