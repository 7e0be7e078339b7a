"""Programs of PostgreSQL that fail, hang or are stopped: masthead ends, and removes what it began.

The failures are those of the real `psql`. One that hangs is a script in PATH.
"""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from masthead.services.moving.backups import Backup, make_backup
from masthead.services.moving.restores import restore_backup
from masthead.services.moving.verify import verify_backup
from masthead.store.engine.interface import DatabaseError
from masthead.store.engine.migrate import migrate
from masthead.store.engine.moving import programs
from masthead.store.engine.moving.backup_files import restore_dump
from masthead.store.engine.moving.snapshots import connect_for_moving
from tests.conftest import BY
from tests.services.moving.test_refusals import execute
from tests.support.databases import migrated
from tests.support.factories import PLACEHOLDER_DOMAIN
from tests.support.serving import ROOT
from tests.support.waiting import PATIENCE

# Reads nothing and never ends; `exec` keeps the signals that are ignored
HANGING = """#!/bin/sh
if [ "$1" = --version ]; then echo "{name} (PostgreSQL) {major}.0"; exit; fi
{before}
echo $$ > {folder}/pid.new
mv {folder}/pid.new {folder}/pid
exec sleep 1000
"""
IGNORING_SIGNALS = "trap '' INT TERM"
# What the dump of a superuser may have and other roles, or other databases, refuse
OF_SUPERUSERS = "CREATE FUNCTION own() RETURNS int LANGUAGE internal AS 'pg_backend_pid'"
OF_ONE_DATABASE = "ALTER TABLE alembic_version ADD CHECK (current_database() = '{name}')"
FAILURES = pytest.mark.parametrize(
    "sql,message",
    [
        (OF_SUPERUSERS, "permission denied for language internal"),
        (OF_ONE_DATABASE, "violates check constraint"),  # after a part of the rows
    ],
    ids=["at the start", "in the middle"],
)
UNUSED = """
    SELECT name
    FROM pg_available_extension_versions
    WHERE superuser AND NOT trusted AND requires IS NULL AND name NOT LIKE 'citus%'
    ORDER BY name <> 'pg_stat_statements', name
"""
LEFT = """
    SELECT string_agg(datname, ' ')
    FROM pg_database
    WHERE starts_with(datname, current_database() || '_verify_')
"""


@pytest.fixture
async def url(scratch_url: str, backend: str) -> str:
    """A PostgreSQL database whose dump is much larger than the buffers of all pipes."""
    if backend != "postgres":
        pytest.skip("only on PostgreSQL")
    await execute(
        scratch_url,
        """
        INSERT INTO secret (name, value)
        SELECT CAST(n AS text), repeat(md5(CAST(n AS text)), 100)
        FROM generate_series(1, 3000) AS n
        """,
    )
    return scratch_url


@pytest.fixture
async def as_keeper(url: str) -> Callable[[str], str]:
    """Turns a URL into that of a role that may do all that operations.md asks for, and no more."""
    if not await fetch_value(url, "SELECT 1 FROM pg_roles WHERE rolname = 'keeper'"):
        await execute(url, "CREATE ROLE keeper LOGIN CREATEDB")
        await execute(url, "GRANT masthead TO keeper")
    return lambda of_owner: of_owner.replace("masthead@", "keeper@", 1)


async def fetch_value(url: str, sql: str) -> Any:
    connection = await connect_for_moving(url)
    try:
        return await connection.fetchval(sql)
    finally:
        await connection.close()


async def list_left(url: str) -> str:
    """The temporary databases of verifications."""
    return await fetch_value(url, LEFT) or ""


async def verify_in_time(url: str, folder: Path, by_url: str, *, seconds: float = PATIENCE) -> str:
    """Make a backup and verify it as another role, within a time limit; what is wrong with it."""
    made = await make_backup(url, folder, version="1.0")
    return await problem_in_time(made, by_url, seconds=seconds)


async def problem_in_time(made: Backup, url: str, *, seconds: float = PATIENCE) -> str:
    """Verify a backup within a time limit; what is wrong with it."""
    async with asyncio.timeout(seconds):
        found = await verify_backup(made, url, migrate=migrate, version="1.0")
    return found.problem


async def restore_in_time(url: str, folder: Path, target: str) -> None:
    """Make a backup and restore it into another database, within a time limit."""
    made = await make_backup(url, folder, version="1.0")
    async with asyncio.timeout(PATIENCE):
        await restore_backup(
            made,
            target,
            may_replace=True,
            migrate=migrate,
            placeholder_domain=PLACEHOLDER_DOMAIN,
            by=BY,
        )


# --- The real psql fails --------------------------------------------------------------------------


@FAILURES
async def test_a_verification_whose_psql_fails_ends_and_says_why(
    url: str, as_keeper: Callable[[str], str], tmp_path: Path, sql: str, message: str
) -> None:
    await execute(url, sql.format(name=urlsplit(url).path[1:]))
    problem = await verify_in_time(url, tmp_path, as_keeper(url))
    assert problem.startswith("`psql` failed: ")
    assert message in problem
    assert await list_left(url) == ""


@FAILURES
async def test_a_restore_whose_psql_fails_ends_and_changes_nothing(
    url: str,
    as_keeper: Callable[[str], str],
    empty_database: Callable[[], str],
    tmp_path: Path,
    sql: str,
    message: str,
) -> None:
    await execute(url, sql.format(name=urlsplit(url).path[1:]))
    target = await asyncio.to_thread(migrated, empty_database())
    await execute(target, "INSERT INTO secret (name, value) VALUES ('old', '')")
    with pytest.raises(DatabaseError, match=f"^`psql` failed: .*{message}"):
        await restore_in_time(url, tmp_path, as_keeper(target))
    assert await fetch_value(target, "SELECT name FROM secret") == "old"


@pytest.mark.slow
async def test_an_extension_that_masthead_does_not_use_is_no_part_of_a_backup(
    url: str, as_keeper: Callable[[str], str], empty_database: Callable[[], str], tmp_path: Path
) -> None:
    name = await fetch_value(url, UNUSED)
    if name is None:
        pytest.skip("this PostgreSQL has no extension that only superusers may create")
    await execute(url, f'CREATE EXTENSION "{name}"')
    assert await verify_in_time(url, tmp_path, as_keeper(url)) == ""
    await restore_in_time(url, tmp_path, as_keeper(empty_database()))


async def test_a_long_message_of_psql_is_cut(url: str, tmp_path: Path) -> None:
    made = await make_backup(url, tmp_path, version="1.0")
    fail = "DO $$ BEGIN RAISE EXCEPTION '%', repeat('x', 100000); END $$;"
    with pytest.raises(DatabaseError, match=r"^`psql` failed: x+\nCONTEXT: ") as told:
        await restore_dump(made.data, url, before=fail)
    assert len(str(told.value)) < programs.ERROR_BYTES + 100


# --- A program hangs, or the command is stopped ---------------------------------------------------


class Hanging:
    """Puts programs into a folder that read nothing and never end."""

    def __init__(self, folder: Path, major: int) -> None:
        self.folder, self._major = folder, major

    def add(self, name: str, before: str = "") -> None:
        """Add a program. before: what it does first."""
        text = HANGING.format(name=name, major=self._major, before=before, folder=self.folder)
        (self.folder / name).write_text(text)
        (self.folder / name).chmod(0o755)

    async def wait(self) -> None:
        """Wait until the program has started."""
        async with asyncio.timeout(PATIENCE):
            while not (self.folder / "pid").exists():  # noqa: ASYNC110 - of another process
                await asyncio.sleep(0.05)

    @property
    def is_gone(self) -> bool:
        """Whether the program has started and ended, and its parent knows."""
        return not Path("/proc", (self.folder / "pid").read_text().strip()).exists()


@pytest.fixture
async def hanging(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Hanging:
    """Programs in PATH that hang."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    monkeypatch.setattr(programs, "STOP_SECONDS", 0.5)
    return Hanging(folder, int(await fetch_value(url, "SHOW server_version_num")) // 10_000)


@pytest.mark.slow
@pytest.mark.parametrize("name,before", [("psql", IGNORING_SIGNALS), ("pg_restore", "")])
async def test_a_program_that_hangs_is_stopped_after_a_while(
    url: str,
    tmp_path: Path,
    hanging: Hanging,
    name: str,
    before: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = await make_backup(url, tmp_path / "backups", version="1.0")
    hanging.add(name, before)
    monkeypatch.setattr(programs, "PATIENCE", 3.6)  # no other program moves bytes now
    problem = await problem_in_time(made, url)
    assert problem.startswith(f"`{name}` has read and written nothing for 0.001 hours")
    assert hanging.is_gone
    assert await list_left(url) == ""


async def test_a_dump_that_hangs_is_stopped_and_leaves_no_backup(
    url: str, tmp_path: Path, hanging: Hanging, monkeypatch: pytest.MonkeyPatch
) -> None:
    hanging.add("pg_dump")
    monkeypatch.setattr(programs, "PATIENCE", 0.36)
    with pytest.raises(DatabaseError, match=r"^`pg_dump` has read and written nothing"):
        async with asyncio.timeout(PATIENCE):
            await make_backup(url, tmp_path / "backups", version="1.0")
    assert hanging.is_gone
    assert list((tmp_path / "backups").iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "command,number,is_background_job",
    [
        ("backup {} --verify", signal.SIGTERM, False),
        ("backup {} --verify", signal.SIGTERM, True),
        ("backup {} --verify", signal.SIGINT, False),
        ("restore {} --yes", signal.SIGTERM, False),
    ],
)
async def test_a_command_that_is_stopped_stops_psql_and_drops_its_database(
    url: str,
    tmp_path: Path,
    hanging: Hanging,
    command: str,
    number: signal.Signals,
    is_background_job: bool,
) -> None:
    await make_backup(url, tmp_path / "backups", version="1.0")
    hanging.add("psql")
    words = [sys.executable, "-m", "masthead", *command.format(tmp_path / "backups").split()]
    if is_background_job:  # a shell lets it ignore Ctrl-C
        words = ["sh", "-c", "trap '' INT; exec \"$@\"", "sh", *words]
    process = subprocess.Popen(  # noqa: ASYNC220 - it starts at once
        words,
        cwd=ROOT,
        env=os.environ | {"MASTHEAD_DATABASE_URL": url},
        start_new_session=True,
    )
    try:
        await hanging.wait()
        assert bool(await list_left(url)) == command.startswith("backup")
        process.send_signal(number)
        assert await asyncio.to_thread(process.wait, PATIENCE) == 130
    finally:
        process.kill()
        await asyncio.to_thread(process.wait)
    assert hanging.is_gone
    assert await list_left(url) == ""
    assert await fetch_value(url, "SELECT count(*) FROM secret") == 3000
