"""SQLite's files are removed or replaced while the service runs."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest

from masthead.services.check.accounts import check
from masthead.store.engine.database import connect
from masthead.store.engine.migrate import migrate
from tests.conftest import Cast
from tests.store.engine.test_sqlite_files import move_aside, remove_index, remove_log, replace
from tests.support.expect import refused
from tests.support.rounds import rounds
from tests.support.serving import Server, account_at, launch, serve
from tests.support.waiting import PATIENCE

Damage = Callable[[Path], object]

pytestmark = [pytest.mark.faults, pytest.mark.slow]

WRITERS = 8
ATTEMPTS = 12  # of each writer after the damage


@dataclass
class Answers:
    """The numbers of issues that the server has acknowledged."""

    before: list[int] = field(default_factory=list)
    after: list[int] = field(default_factory=list)  # requested after the file was removed
    refusals: list[httpx.Response] = field(default_factory=list)


def remove_all(path: Path) -> None:
    """Remove the database and its other files, as `rm masthead.db*` does."""
    for each in path.parent.glob(f"{path.name}*"):
        each.unlink()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A migrated database."""
    path = tmp_path / "masthead.db"
    migrate(f"sqlite:///{path}")
    return path


async def write_around(cast: Cast, damage: Callable[[], object]) -> Answers:
    """Start writers, damage the files, and let the writers continue for a while."""
    answers, is_damaged = Answers(), asyncio.Event()
    begun = asyncio.Semaphore(0)

    async def write_on(writer: int) -> None:
        left, number = ATTEMPTS, writer
        while left:
            number += WRITERS
            left -= is_damaged.is_set()
            acknowledged = answers.after if is_damaged.is_set() else answers.before
            response = await cast.post("/v1/issues/", {"number": number})
            if response.is_success:
                acknowledged.append(number)
            else:
                answers.refusals.append(response)
            begun.release()

    async with asyncio.timeout(10 * PATIENCE), asyncio.TaskGroup() as writers:
        for writer in range(WRITERS):
            writers.create_task(write_on(writer))
        for _ in range(3 * WRITERS):
            await begun.acquire()
        damage()
        is_damaged.set()
    return answers


async def damage_under_load(
    path: Path, log: Path, damage: Damage, *, without: str | None = None
) -> Answers:
    """The responses before and after the damage; the server is stopped at the end."""
    url = f"sqlite:///{path}"
    with serve(url, log, without=without) as server:
        async with account_at(server, url) as cast:
            answers = await write_around(cast, lambda: damage(path))
            if without is None:
                refused(await cast.client.get("/ready"), "unavailable", status=503)
                refused(await cast.get("/v1/issues/"), "unavailable", status=503)
                assert (await cast.client.get("/health")).status_code == 200
        server.signal(signal.SIGTERM)
        await asyncio.to_thread(server.process.wait, PATIENCE)
    return answers


async def issues_in(path: Path) -> set[int]:
    """The issues in a database, after an integrity check."""
    db = await connect(f"sqlite:///{path}")
    found = {row["number"] for row in await db.fetch_all("SELECT number FROM issue", {})}
    assert [fault async for fault in check(db)] == []
    await db.close()
    return found


ALL = [remove_all, remove_log, move_aside, replace, remove_index]
DAMAGES = ALL[: rounds(2)]


@pytest.mark.parametrize("damage", DAMAGES)
async def test_no_write_is_acknowledged_after_a_file_was_replaced(
    path: Path, tmp_path: Path, damage: Damage, record_property: Callable[[str, object], None]
) -> None:
    log = tmp_path / "log"
    answers = await damage_under_load(path, log, damage)
    assert len(answers.before) > 0
    assert answers.after == []
    assert {refused.status_code for refused in answers.refusals} == {503}
    assert log.read_text().count("database file moved or replaced") == 1
    assert "Traceback" not in log.read_text()
    record_property("client", f"503 for all {len(answers.refusals)} requests, `/ready` 503")
    record_property("recovery", "by itself when the same file is back; otherwise after a restart")


@pytest.mark.parametrize("damage", DAMAGES)
async def test_without_the_check_lost_writes_are_acknowledged(
    path: Path, tmp_path: Path, damage: Damage
) -> None:
    answers = await damage_under_load(path, tmp_path / "log", damage, without="file identity")
    assert len(answers.after) > 0


def start_in_vain(path: Path, log: Path) -> str:
    """Start a server that must stop by itself; return its output."""
    with launch(f"sqlite:///{path}", log) as server:
        assert server.process.wait(PATIENCE) == 1
    assert not path.exists()
    return log.read_text()


def bring_back(path: Path) -> None:
    """Undo `move_aside`."""
    path.with_suffix(".aside").rename(path)


def rescue(server: Server, path: Path) -> None:
    """Copy the open files of the only worker, as docs/operations.md says."""
    (worker,) = server.workers()
    opened = {}
    for each in Path(f"/proc/{worker}/fd").iterdir():
        with suppress(FileNotFoundError):  # closed meanwhile
            opened[each.readlink().name] = each
    path.write_bytes(opened["masthead.db (deleted)"].read_bytes())
    log = path.with_name(f"{path.name}-wal")
    log.write_bytes(opened["masthead.db-wal (deleted)"].read_bytes())


@pytest.mark.parametrize("damage", [move_aside, remove_all][: rounds(1)])
async def test_a_restart_without_the_file_creates_no_new_database(
    path: Path, tmp_path: Path, damage: Damage
) -> None:
    answers = await damage_under_load(path, tmp_path / "log", damage)
    said = await asyncio.to_thread(start_in_vain, path, tmp_path / "again")
    assert "is missing, but there was one before" in said
    assert "Traceback" not in said
    if damage is move_aside:
        bring_back(path)
        assert set(answers.before) <= await issues_in(path)


async def test_writes_acknowledged_before_the_log_was_removed_are_kept(
    path: Path, tmp_path: Path
) -> None:
    answers = await damage_under_load(path, tmp_path / "log", remove_log)
    assert set(answers.before) <= await issues_in(path)


async def test_a_database_at_a_new_path_is_served_without_a_migration(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'fresh.db'}"
    with serve(url, tmp_path / "log") as server:
        server.wait("/ready")
    assert (tmp_path / "fresh.db").stat().st_mode & 0o777 == 0o600


async def test_a_removed_database_can_be_rescued_from_the_running_server(
    path: Path, tmp_path: Path
) -> None:
    url, rescued = f"sqlite:///{path}", tmp_path / "rescued.db"
    with serve(url, tmp_path / "log") as server:
        async with account_at(server, url) as cast:
            answers = await write_around(cast, lambda: remove_all(path))
            rescue(server, rescued)
    settings = os.environ | {"MASTHEAD_DATABASE_URL": f"sqlite:///{rescued}"}
    command = [sys.executable, "-m", "masthead", "check"]
    await asyncio.to_thread(subprocess.run, command, env=settings, check=True)
    assert not rescued.with_name("rescued.db-wal").exists()  # so the page copies one file only
    assert set(answers.before) <= await issues_in(rescued)
