"""Copies of whole databases: equal on both engines, and never used before they are complete."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from masthead.services.check.accounts import check
from masthead.services.moving.database_copies import copy_database
from masthead.store.engine.database import require_version
from masthead.store.engine.interface import Database, DatabaseError
from masthead.store.engine.migrate import migrate
from tests.services.moving.conftest import ODD_TEXT, add_guest_table, filled
from tests.support.databases import opened
from tests.support.factories import make_subscription


async def copy(source: str, target: str) -> str:
    """Copy a database; the digest of the copy."""
    return (await copy_database(source, target, migrate=migrate)).digest


@asynccontextmanager
async def accepted(url: str) -> AsyncIterator[Database]:
    """A database that masthead accepts."""
    async with opened(url) as db:
        await require_version(db)
        yield db


@pytest.mark.slow
async def test_a_copy_of_a_copy_on_the_other_engine_is_equal(
    scratch_url: str,
    empty_database: Callable[[], str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("masthead.store.engine.moving.snapshots.BATCH", 3)
    stages = []
    target = empty_database()
    async with filled(scratch_url) as acme:
        copied = await copy_database(
            scratch_url, target, migrate=migrate, on_progress=lambda *step: stages.append(step)
        )
        assert copied.is_current
        assert {stage for stage, _, _ in stages} == {"copied", "indexed", "compared", "checked"}
        assert ("copied", copied.rows, copied.rows) in stages
        before = await acme.get("/v1/subscriptions/")
    there = f"sqlite:///{tmp_path / 'there.db'}"
    assert await copy(target, there) == copied.digest
    async with accepted(there) as db:
        assert [fault async for fault in check(db)] == []
        row = await db.fetch_one("SELECT value FROM secret WHERE name = 'odd'", {})
        assert row is not None
        assert row["value"] == ODD_TEXT
        found = await db.fetch_all("SELECT id FROM subscription ORDER BY id", {})
        assert {each["id"] for each in found} == {each["id"] for each in before.json()["items"]}
    assert not {"there.db-wal", ".there.db.copying"} & set(os.listdir(tmp_path))


@pytest.mark.slow
async def test_writes_after_the_snapshot_are_reported(
    scratch_url: str, empty_database: Callable[[], str]
) -> None:
    async with filled(scratch_url, subscriptions=1) as acme:
        writing: list[asyncio.Task[object]] = []

        def write(stage: str, done: int, total: int) -> None:
            if not writing:
                writing.append(asyncio.create_task(make_subscription(acme)))

        copied = await copy_database(
            scratch_url, empty_database(), migrate=migrate, on_progress=write
        )
        await writing[0]
    assert not copied.is_current


async def test_a_database_with_accounts_is_never_overwritten(scratch_url: str) -> None:
    async with filled(scratch_url, subscriptions=0):
        pass
    with pytest.raises(DatabaseError, match="has 1 account"):
        await copy(scratch_url, scratch_url)
    async with accepted(scratch_url):
        pass


async def test_tables_of_another_program_are_never_overwritten(
    scratch_url: str, empty_database: Callable[[], str]
) -> None:
    other = empty_database()
    await add_guest_table(other)
    with pytest.raises(DatabaseError, match="tables of another program"):
        await copy(scratch_url, other)


async def test_a_source_of_another_version_is_refused(
    empty_database: Callable[[], str], scratch_url: str
) -> None:
    with pytest.raises(DatabaseError, match=r"There is no database|has version none"):
        await copy(empty_database(), scratch_url)
