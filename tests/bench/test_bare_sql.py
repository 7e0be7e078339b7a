"""Bare SQL: the statements of masthead's writes, run again on another database."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from bench import bare_postgres, bare_sql
from bench.stopwatch import Stopwatch
from masthead.store.engine.database import open_database
from masthead.store.engine.interface import Row, Transaction
from masthead.store.engine.migrate import migrate
from tests.support.databases import Databases

MOMENT = datetime(2026, 1, 2, tzinfo=UTC)
MANY: list[Row] = [
    {"name": f"n{n}", "holder": "x", "until_at": MOMENT, "until_tick": n} for n in range(100)
]
FEW, UPDATE = MANY[:1], "UPDATE lease SET holder = :holder WHERE name IN (:names...)"
LEASES = "SELECT name, holder, until_tick FROM lease ORDER BY name"


async def change(url: str, *, fails: bool = False, is_durable: bool = True) -> None:
    async def work(tx: Transaction) -> None:
        await tx.insert_rows("lease", MANY[1:])
        await tx.insert_rows("lease", FEW)
        await tx.fetch_all(LEASES, {})
        await tx.execute(UPDATE, {"names": ["n1", "n2"], "holder": "y"})
        if fails:
            raise KeyError

    async with open_database(url) as db:
        await db.write(work, is_durable=is_durable)


async def list_leases(url: str) -> list[dict[str, Any]]:
    async with open_database(url) as db:
        return [dict(row) for row in await db.fetch_all(LEASES, {})]


def test_what_was_recorded_makes_the_same_changes(databases: Databases, backend: str) -> None:
    bare: Any = bare_postgres if backend == "postgres" else bare_sql
    first, second, third = (databases.create_migrated_database() for _ in range(3))
    with bare.overhearing() as transactions:
        asyncio.run(change(first))
        with pytest.raises(KeyError):
            asyncio.run(change(second, fails=True))
    assert len(transactions) == 1
    watch = Stopwatch()
    bare.replay(transactions, third, watch)
    found = asyncio.run(list_leases(third))
    assert len(found) == len(MANY)
    assert found == asyncio.run(list_leases(first))
    assert watch.cpu > 0
    assert watch.seconds > 0


def test_a_commit_that_did_not_wait_for_the_disk_does_not_wait_again(tmp_path: Path) -> None:
    first, second = (f"sqlite:///{tmp_path}/{name}.db" for name in ("first", "second"))
    for url in (first, second):
        migrate(url)
    with bare_sql.overhearing() as transactions:
        asyncio.run(change(first, is_durable=False))
    [(setting, *statements)] = transactions
    assert setting == bare_sql.UNAWAITED
    watch = Stopwatch()
    bare_sql.replay([statements], second, watch)  # a durable one
    bare_sql.replay([[setting, ("DELETE FROM lease WHERE name = 'n1'", {})]], second, watch)
    assert len(asyncio.run(list_leases(second))) == len(MANY) - 1
