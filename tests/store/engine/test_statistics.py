"""The planner knows how many rows there are: SQLite guesses ten, PostgreSQL none at all."""

import re
import time
from collections.abc import AsyncIterator
from datetime import date
from types import SimpleNamespace

import pytest

from masthead.background import cleanup
from masthead.model.clock import now
from masthead.store.billing import open_on_day
from masthead.store.engine.database import connect
from masthead.store.engine.interface import Database, Transaction, Work
from masthead.store.subscriptions.subscription_copies import list_with_runs
from tests.store.many_rows import ROWS, fill, id_of
from tests.store.test_query_plans_subscriber import Planned
from tests.support.databases import opened
from tests.support.factories import make_subscription
from tests.support.own_service import OwnService, open_own_service

KNOWN = "SELECT idx, stat FROM sqlite_stat1 WHERE tbl = 'copy'"


@pytest.fixture
def sqlite_url(scratch_url: str) -> str:
    """A migrated SQLite database."""
    if not scratch_url.startswith("sqlite"):
        pytest.skip("SQLite only: PostgreSQL updates its statistics by itself")
    return scratch_url


@pytest.fixture
async def own(scratch_url: str) -> AsyncIterator[OwnService]:
    """A separate service with an account."""
    async with open_own_service(scratch_url) as opened:
        yield opened


async def plan_of_copies(db: Database) -> str:
    """How the copies of one subscription are found, which a cancellation does."""
    async with db.read() as connection:
        planned = Planned(connection)
        await list_with_runs(planned, 1, [id_of("B", ROWS)])
    (plan,) = planned.plans
    return plan


@pytest.mark.slow
async def test_with_statistics_the_copies_of_a_subscription_are_read_by_its_index(
    sqlite_url: str,
) -> None:
    db = await connect(sqlite_url)
    await fill(db)
    without = await plan_of_copies(db)
    await db.update_statistics()
    await db.close()
    db = await connect(sqlite_url)
    plan = await plan_of_copies(db)
    await db.close()
    assert "(account_id=? AND subscription_id=?)" in plan
    assert "(account_id=? AND subscription_id=?)" not in without  # positive control


@pytest.mark.slow
async def test_statistics_are_kept_until_a_table_has_grown(sqlite_url: str) -> None:
    db = await connect(sqlite_url)
    await db.update_statistics()
    assert await db.fetch_all(KNOWN, {}) == []  # it has no rows
    await fill(db)
    await db.update_statistics()
    known = await db.fetch_all(KNOWN, {})
    assert known
    await db.update_statistics()
    assert await db.fetch_all(KNOWN, {}) == known
    assert await db.fetch_all("SELECT * FROM sqlite_stat4", {}) == []  # it would have values
    await db.close()


async def test_without_statistics_settlements_are_found_by_what_they_settle(
    sqlite_url: str,
) -> None:
    async with opened(sqlite_url) as db, db.read() as connection:
        planned = Planned(connection)
        await open_on_day.sum_open_on(planned, 1, date(2026, 1, 1))
    (plan,) = planned.plans
    assert re.findall(r"SEARCH settlement USING INDEX \w+ \((.+)\)", plan) == [
        "account_id=? AND settled_date>?",
        "account_id=? AND invoice_id=?",
        "account_id=? AND payment_id=?",
    ]


async def test_the_background_work_updates_statistics_each_minute(
    own: OwnService, monkeypatch: pytest.MonkeyPatch
) -> None:
    later = 0.0
    clock = SimpleNamespace(monotonic=lambda: time.monotonic() + later)
    monkeypatch.setattr(cleanup, "time", clock)
    await make_subscription(own.cast)
    worker = own.background()
    await worker.work_once()
    if own.cast.db.dialect == "postgres":
        return  # nothing to do
    assert await own.cast.db.fetch_all(KNOWN, {})
    await own.execute("DELETE FROM sqlite_stat1")
    await own.execute("ANALYZE sqlite_schema")  # forget them
    await worker.work_once()
    assert await own.cast.db.fetch_all(KNOWN, {}) == []
    later = cleanup.CHECK_SECONDS
    await worker.work_once()
    assert await own.cast.db.fetch_all(KNOWN, {})


ROWS_KNOWN = "SELECT CAST(reltuples AS bigint) AS known FROM pg_class WHERE relname = 'lease'"


async def add_leases(tx: Transaction, numbers: range) -> None:
    """Add rows to the table `lease`, some 60 on each page."""
    row = {"holder": "h" * 60, "until_at": now(), "until_tick": 0}
    await tx.insert_rows("lease", [{**row, "name": f"test {number}"} for number in numbers])


async def known_after(db: Database, work: Work[object]) -> int:
    """How many rows of `lease` the planner knows after a write."""
    await db.write(work)
    await db.analyze_grown()
    row = await db.fetch_one(ROWS_KNOWN, {})
    assert row is not None
    return int(row["known"])


async def test_postgresql_is_told_of_tables_that_have_grown_fourfold(scratch_url: str) -> None:
    if not scratch_url.startswith("postgres"):
        pytest.skip("on SQLite, no plan depends on it")
    db = await connect(scratch_url)
    assert await known_after(db, lambda tx: add_leases(tx, range(500))) == 500
    assert await known_after(db, lambda tx: add_leases(tx, range(500, 1_000))) == 500
    assert await known_after(db, lambda tx: add_leases(tx, range(1_000, 5_000))) == 5_000
    await db.close()


async def test_postgresql_is_told_of_rows_in_pages_that_had_none(scratch_url: str) -> None:
    """As after a rehearsal, whose rows are gone, and an analysis by the server."""
    if not scratch_url.startswith("postgres"):
        pytest.skip("on SQLite, no plan depends on it")
    db = await connect(scratch_url)

    async def leave_empty_pages(tx: Transaction) -> None:
        await add_leases(tx, range(5_000))
        await tx.execute("DELETE FROM lease", {})
        await tx.fetch_all("ANALYZE lease", {})

    assert await known_after(db, leave_empty_pages) == 0
    assert await known_after(db, lambda tx: add_leases(tx, range(1_000))) == 1_000
    await db.close()
