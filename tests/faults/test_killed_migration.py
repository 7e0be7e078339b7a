"""A migration that is killed while it runs."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Callable

import pytest

from masthead.services.check.accounts import check
from masthead.store.engine.database import SCHEMA_VERSION, connect, get_version
from masthead.store.engine.migrate import migrate
from tests.store.engine.test_upgrade import fill, first_version
from tests.support.rounds import rounds
from tests.support.serving import ROOT
from tests.support.waiting import PATIENCE

__all__ = ["first_version"]  # a fixture

pytestmark = [pytest.mark.faults, pytest.mark.slow]

Record = Callable[[str, object], None]


def run_migration(url: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """`masthead migrate` in a separate process."""
    return subprocess.run(
        [sys.executable, "-m", "tests.faults.support.die_in_migration", "migrate"],
        cwd=ROOT,
        env=os.environ | variables | {"MASTHEAD_DATABASE_URL": url},
        capture_output=True,
        text=True,
        timeout=PATIENCE * 4,
        check=False,
    )


async def version_of(url: str) -> str:
    """The version of a database's schema."""
    db = await connect(url)
    try:
        return await get_version(db)
    finally:
        await db.close()


async def faults_of(url: str) -> list[object]:
    """The faults that `masthead check` finds."""
    db = await connect(url)
    try:
        return [fault async for fault in check(db)]
    finally:
        await db.close()


def kill_migrations(url: str, *, times: int, **variables: str) -> int:
    """Kill the migration of a database with data, each time before a later statement.

    Returns how many statements a whole migration has. Each attempt continues with the database that
    the one before left.
    """
    asyncio.run(fill(url))
    for number in range(times):
        killed = run_migration(url, DIE_AT=str(5 + 11 * number), **variables)
        if killed.returncode == 0:
            break  # the migration has fewer statements
        assert killed.returncode < 0, f"a part of the migration is left: {killed.stderr}"
        assert asyncio.run(version_of(url)) == "0001", "a part of the migration is left"
    ended = run_migration(url)
    assert ended.returncode == 0, f"a part of the migration is left: {ended.stderr}"
    return int(ended.stdout.split()[-1])


def test_a_killed_migration_leaves_the_old_version_and_can_be_repeated(
    first_version: str, record_property: Record
) -> None:
    statements = kill_migrations(first_version, times=min(rounds(3), 20))
    assert statements > 20
    assert asyncio.run(version_of(first_version)) == SCHEMA_VERSION
    assert asyncio.run(faults_of(first_version)) == []
    assert migrate(first_version) == (SCHEMA_VERSION, SCHEMA_VERSION)
    record_property("client", "nothing: the server is stopped during a migration")
    record_property("recovery", "the old version is intact; `masthead migrate` succeeds")


def test_without_a_transaction_a_killed_migration_is_partly_done(
    first_version: str, backend: str
) -> None:
    if backend != "sqlite":
        pytest.skip("on PostgreSQL the driver begins the transaction")
    with pytest.raises(AssertionError, match="a part of the migration is left"):
        kill_migrations(first_version, times=6, WITHOUT_TRANSACTION="yes")
