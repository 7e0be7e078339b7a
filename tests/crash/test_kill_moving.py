"""`kill -9` of copies, backups and restores: what is not complete is never used."""

import asyncio
import os
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from masthead.services.check.accounts import check
from masthead.services.moving.backups import find_backups, make_backup
from masthead.services.privacy.erase import erase_subscriber
from masthead.store.engine.database import connect, require_version
from masthead.store.engine.interface import DatabaseError
from masthead.store.engine.migrate import migrate
from tests.conftest import BY
from tests.services.moving.conftest import filled
from tests.support.factories import PLACEHOLDER_DOMAIN, make_subscription
from tests.support.rounds import rounds
from tests.support.serving import ROOT
from tests.support.waiting import PATIENCE

pytestmark = [pytest.mark.crash, pytest.mark.slow]

STEPS = {  # at the last one, the data are in place
    "copy": {"sqlite": ["copied", "checked"], "postgres": ["checked"]},
    "restore": {"sqlite": ["compared", "checked"], "postgres": ["compared"]},
}
USED = "masthead uses what is not complete"


def run(url: str, *words: str, die_at: str = "", without: str = "") -> None:
    """Run a command in a process of its own, which must be killed or succeed."""
    ended = subprocess.run(
        [sys.executable, "-m", "tests.support.die_in_moving", *words],
        cwd=ROOT,
        env=os.environ | {"MASTHEAD_DATABASE_URL": url, "DIE_AT": die_at, "WITHOUT": without},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert ended.returncode == (-9 if die_at else 0), ended.stderr


async def list_names(url: str) -> list[str] | None:
    """The first names of all subscriptions, if masthead uses the database and its rules hold."""
    try:
        db = await connect(url)
    except DatabaseError:
        return None
    try:
        await require_version(db)
        assert [fault async for fault in check(db)] == []
        rows = await db.fetch_all("SELECT first_name FROM subscription ORDER BY 1", {})
        return [row["first_name"] for row in rows]
    except DatabaseError:
        return None
    finally:
        await db.close()


async def kill_copies(source: str, target: str, steps: list[str], without: str = "") -> None:
    """Kill a copy at each of the steps, then complete it."""
    for step in steps:
        words = ("copy-database", source, target)
        await asyncio.to_thread(run, source, *words, die_at=step, without=without)
        assert await list_names(target) is None, USED
    await asyncio.to_thread(run, source, "copy-database", source, target)
    assert await list_names(target) == await list_names(source)


async def test_a_killed_copy_is_never_used_and_begins_anew(
    scratch_url: str, empty_database: Callable[[], str], backend: str
) -> None:
    async with filled(scratch_url, subscriptions=2):
        pass
    await kill_copies(scratch_url, empty_database(), STEPS["copy"][backend])


async def test_a_copy_of_a_file_that_is_killed_within_a_step_is_never_used(
    tmp_path: Path, empty_database: Callable[[], str]
) -> None:
    """Some tables have their rows, or all have them and the indexes are missing."""
    source, times = f"sqlite:///{tmp_path / 'source.db'}", rounds(2)
    await asyncio.to_thread(migrate, source)
    async with filled(source, subscriptions=2):
        pass
    moments = random.choices(range(1, 12), k=times)  # that many tables have rows, and more
    steps = [f"{stage}:{each}" for each in moments for stage in ("copied", "compared")]
    await kill_copies(source, empty_database(), [*steps, "indexed"])


async def test_without_its_marker_a_killed_copy_is_used(
    scratch_url: str, empty_database: Callable[[], str]
) -> None:
    async with filled(scratch_url, subscriptions=1):
        pass
    with pytest.raises(AssertionError, match=USED):
        await kill_copies(scratch_url, empty_database(), ["checked"], without="marker")


async def kill_restores(url: str, folder: Path, steps: list[str], without: str = "") -> None:
    """Kill a restore at each of the steps, then complete it; nobody erased may come back."""
    async with filled(url, subscriptions=0) as acme:
        made = await make_subscription(acme, email="ida@fjord.test", first_name="Idun")
        await make_backup(url, folder, version="1.0")
        await erase_subscriber(
            acme.db,
            acme.account_id,
            made["subscriber"]["id"],
            is_cancelling=True,
            placeholder_domain=PLACEHOLDER_DOMAIN,
            by=BY,
        )
    before = await list_names(url)
    assert before is not None
    for step in steps:
        words = ("restore", str(folder), "--yes")
        await asyncio.to_thread(run, url, *words, die_at=step, without=without)
        assert await list_names(url) in (None, before), USED
    await asyncio.to_thread(run, url, "restore", str(folder), "--yes")
    assert await list_names(url) == before


async def test_a_killed_restore_leaves_the_old_database_or_one_that_is_refused(
    scratch_url: str, tmp_path: Path, backend: str
) -> None:
    await kill_restores(scratch_url, tmp_path / "backups", STEPS["restore"][backend])


async def test_without_its_marker_a_killed_restore_brings_erased_people_back(
    scratch_url: str, tmp_path: Path
) -> None:
    with pytest.raises(AssertionError, match=USED):
        await kill_restores(scratch_url, tmp_path / "backups", ["erased"], without="marker")


async def test_a_killed_backup_is_none_and_the_next_one_succeeds(
    scratch_url: str, tmp_path: Path
) -> None:
    await asyncio.to_thread(run, scratch_url, "backup", str(tmp_path), die_at="counted")
    assert find_backups(tmp_path) == []
    await asyncio.to_thread(run, scratch_url, "backup", str(tmp_path), "--verify", die_at="checked")
    await asyncio.to_thread(run, scratch_url, "backup", str(tmp_path), "--verify", "--keep", "1")
    (backup,) = find_backups(tmp_path)
    assert backup.is_verified
