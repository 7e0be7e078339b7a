"""A disk that fails once or is read-only; tests/faults tries every call."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import pytest
import structlog

from masthead.model.errors import Unavailable
from masthead.services.check.accounts import check
from masthead.store.engine.database import connect
from masthead.store.engine.interface import Database, DatabaseError, Transaction
from masthead.store.engine.migrate import migrate
from tests.faults.support.disk import read_only_disk, watched_disk
from tests.faults.support.failing import FULL, IO_ERRORS, Failing
from tests.support.logs import reset_logs
from tests.support.waiting import PATIENCE


@pytest.fixture
def url(tmp_path: Path) -> str:
    """A database that has its tables."""
    migrate(f"sqlite:///{tmp_path / 'masthead.db'}")
    return f"sqlite:///{tmp_path / 'masthead.db'}"


@pytest.fixture
def failing(tmp_path: Path) -> Iterator[Failing]:
    """The disk that the database is on."""
    failing = Failing()
    with watched_disk(tmp_path, failing):
        yield failing


async def count_accounts(db: Database) -> int:
    """Read a table in a snapshot."""
    async with db.read() as connection:
        row = await connection.fetch_one("SELECT count(*) AS n FROM account", {})
    assert row is not None
    return int(row["n"])


def list_folders(folder: Path) -> list[Path]:
    """The folders inside a folder."""
    return [each for each in folder.iterdir() if each.is_dir()]


async def write(tx: Transaction) -> None:
    """Change something."""
    await tx.execute("CREATE TABLE IF NOT EXISTS sample (id integer)", {})
    await tx.execute("INSERT INTO sample VALUES (1)", {})


async def test_a_read_that_fails_is_unavailable_and_the_next_one_works(
    url: str, failing: Failing
) -> None:
    db = await connect(url)
    await db.fetch_all("SELECT version_num FROM alembic_version", {})  # opens a connection
    failing.fail(1, IO_ERRORS, ["read"], is_lasting=True)
    with pytest.raises(Unavailable):
        await count_accounts(db)
    assert failing.repair()
    assert await count_accounts(db) == 0
    await db.close()


@pytest.mark.parametrize("errors", [IO_ERRORS, FULL], ids=["input or output", "full"])
async def test_a_write_that_fails_is_unavailable_and_the_next_one_works(
    url: str, failing: Failing, errors: dict[str, int]
) -> None:
    db = await connect(url)
    failing.fail(1, errors, ["write"], is_lasting=True)
    with pytest.raises(Unavailable):
        await db.write(write)
    with pytest.raises(Unavailable):
        await db.probe_write()
    assert failing.repair()
    await db.write(write)
    await db.probe_write()
    await db.close()


def lose_the_log(*_: object) -> NoReturn:
    """A log whose reader has ended."""
    raise BrokenPipeError


async def test_a_write_ends_if_the_disk_and_the_log_fail_and_the_next_one_works(
    url: str, failing: Failing
) -> None:
    db = await connect(url)
    failing.fail(1, IO_ERRORS, ["write"], is_lasting=True)
    structlog.configure(processors=[lose_the_log])
    try:
        with pytest.raises(BrokenPipeError):
            await asyncio.wait_for(db.write(write), PATIENCE)
    finally:
        reset_logs()
    assert failing.repair()
    await asyncio.wait_for(db.write(write), PATIENCE)
    await db.close()


async def test_a_read_only_database_can_be_read_and_refuses_writes(url: str) -> None:
    db = await connect(url)
    await db.write(write)
    await db.close()
    with read_only_disk():
        db = await connect(url)
        assert await count_accounts(db) == 0
        for attempt in (db.write(write), db.probe_write()):
            with pytest.raises(Unavailable):
                await attempt
        await db.close()


async def test_the_error_for_a_check_without_disk_space_says_so(
    url: str, failing: Failing, tmp_path: Path
) -> None:
    db = await connect(url)
    failing.fail(1, FULL, FULL.keys(), is_lasting=True)
    with pytest.raises(DatabaseError, match=r"cannot be checked: .* full. That needs 2 MiB"):
        assert [fault async for fault in check(db)] == []
    failing.repair()
    assert list_folders(tmp_path) == []
    await db.close()
