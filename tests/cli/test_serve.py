"""`masthead serve` before it starts: its database, port and workers."""

import re
import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from masthead.cli.server import prepare
from masthead.serving import start
from masthead.settings import Settings
from masthead.store.engine.interface import DatabaseError
from masthead.store.engine.migrate import migrate
from masthead.store.engine.sqlite.files import marker_of
from tests.cli.conftest import CommandLine


@pytest.fixture
def sqlite_file(tmp_path: Path) -> Path:
    """The address of a database that does not exist yet."""
    return tmp_path / "masthead.db"


def test_an_empty_database_is_migrated_on_sqlite_and_refused_on_postgresql(
    backend: str, empty_database: Callable[[], str]
) -> None:
    settings = Settings(database_url=empty_database())
    if backend == "sqlite":
        prepare(settings)
    else:
        with pytest.raises(DatabaseError, match="run `masthead migrate` first"):
            prepare(settings)
        migrate(settings.database_url)
    prepare(settings)


def test_on_sqlite_an_empty_file_is_migrated_too(sqlite_file: Path) -> None:
    sqlite_file.touch()
    prepare(Settings(database_url=f"sqlite:///{sqlite_file}"))
    assert sqlite_file.stat().st_size > 0


def test_on_sqlite_an_earlier_command_does_not_prevent_the_migration(
    bare: CommandLine, sqlite_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"sqlite:///{sqlite_file}"
    monkeypatch.setenv("MASTHEAD_DATABASE_URL", url)
    bare("account list", code=1)
    prepare(Settings(database_url=url))
    assert bare("account list").out == ""


def test_a_missing_database_is_not_replaced_with_an_empty_one(
    bare: CommandLine, sqlite_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"sqlite:///{sqlite_file}"
    monkeypatch.setenv("MASTHEAD_DATABASE_URL", url)
    prepare(Settings(database_url=url))
    sqlite_file.unlink()
    ended = bare("serve", code=1)
    assert "there was one before" in ended.said
    assert "masthead migrate" in ended.said
    assert not sqlite_file.exists()
    bare("migrate")
    prepare(Settings(database_url=url))


def test_a_missing_database_from_another_machine_is_not_replaced_either(sqlite_file: Path) -> None:
    url = f"sqlite:///{sqlite_file}"
    migrate(url)
    marker_of(sqlite_file).unlink()  # as if only the file were copied
    prepare(Settings(database_url=url))
    sqlite_file.unlink()
    with pytest.raises(DatabaseError, match="there was one before"):
        prepare(Settings(database_url=url))


def test_the_demo_can_start_again(sqlite_file: Path) -> None:
    settings = Settings(database_url=f"sqlite:///{sqlite_file}")
    prepare(settings)
    sqlite_file.unlink()
    prepare(settings, may_replace=True)
    assert sqlite_file.stat().st_size > 0


def test_a_database_that_others_can_open_is_logged(sqlite_file: Path) -> None:
    settings = Settings(database_url=f"sqlite:///{sqlite_file}")
    prepare(settings)
    sqlite_file.chmod(0o644)
    with capture_logs() as logs:
        prepare(settings)
    (line,) = logs
    assert line["event"] == "database file open to others"
    assert (line["file"], line["mode"]) == (str(sqlite_file), "0644")


def test_a_port_that_is_in_use_is_reported(masthead: CommandLine) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ended = masthead(f"serve --port {port}", code=1)
    assert f"Cannot listen on 127.0.0.1:{port}" in ended.said
    assert len(ended.err.splitlines()) == 1


def test_an_unknown_granian_is_refused(
    masthead: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(start, "GRANIAN", "2.999")
    ended = masthead("serve", code=1)
    assert ended.out == ""
    assert re.fullmatch(
        r"masthead: granian 2\.\S+ is installed, but this masthead needs granian 2\.999: "
        r"run `pip install 'granian~=2\.999\.0'`\.\n",
        ended.err,
    )


@pytest.mark.parametrize(
    "options, message",
    [
        ("--port 65536", "65536"),
        ("--port -1", "-1"),
        ("--host 203.0.113.1", "203.0.113.1"),
        ("--host no.such.host.test", "no.such.host.test"),
        ("--host localhost", "`--host` is `localhost`; expected an IP address"),
        ("--workers 0", "`--workers` is 0"),
    ],
)
def test_invalid_options_of_serve_are_reported(
    masthead: CommandLine, options: str, message: str
) -> None:
    ended = masthead(f"serve {options}", code=1)
    assert message in ended.said
    assert len(ended.err.splitlines()) == 1
