"""SQLite's planner assumes many rows from the beginning; PostgreSQL is told of tables that grow."""

import re
import time
from collections.abc import AsyncIterator
from contextlib import closing
from datetime import date
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import apsw
import pytest

from masthead.background import cleanup
from masthead.model.clock import now
from masthead.services.moving.database_copies import copy_database
from masthead.store.billing import open_on_day
from masthead.store.engine.database import connect
from masthead.store.engine.interface import Database, Transaction, Work, sqlite_path
from masthead.store.engine.migrate import migrate
from masthead.store.engine.sqlite.statistics import ROWS, VALUES
from masthead.store.reports.totals import count_subscribers
from masthead.store.subscriptions.subscription_copies import list_with_runs
from tests.store.test_query_plans_subscriber import Planned
from tests.support.databases import opened
from tests.support.own_service import OwnService, open_own_service

KNOWN = "SELECT tbl, idx, stat FROM sqlite_stat1 ORDER BY tbl, idx"
ASKED = "SELECT id FROM issue LIMIT 1"
BY_SUBSCRIPTION = "(account_id=? AND subscription_id=?)"


@pytest.fixture
def sqlite_url(scratch_url: str) -> str:
    """A migrated SQLite database."""
    if not scratch_url.startswith("sqlite"):
        pytest.skip("SQLite only: PostgreSQL has statistics of its own")
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
        await list_with_runs(planned, 1, ["B"])
    (plan,) = planned.plans
    return plan


def statistics_of(url: str) -> list[tuple[Any, ...]]:
    """The statistics in the file of a database."""
    with closing(apsw.Connection(str(sqlite_path(url)))) as connection:
        return connection.execute(KNOWN).fetchall()


def analyze_as_others_do(url: str, *, limit: int = 0) -> None:
    """What another program does with the file: it counts the rows, of which there are few."""
    with closing(apsw.Connection(str(sqlite_path(url)))) as connection:
        connection.pragma("analysis_limit", limit)
        connection.execute("ANALYZE")


async def test_a_new_database_plans_for_many_rows(sqlite_url: str) -> None:
    async with opened(sqlite_url) as db:
        assert BY_SUBSCRIPTION in await plan_of_copies(db)
    with closing(apsw.Connection(str(sqlite_path(sqlite_url)))) as connection:
        connection.execute("DELETE FROM sqlite_stat1")
    async with opened(sqlite_url) as db:
        assert BY_SUBSCRIPTION not in await plan_of_copies(db)  # positive control


async def test_each_index_is_known(sqlite_url: str) -> None:
    with closing(apsw.Connection(str(sqlite_path(sqlite_url)))) as connection:
        indexes = connection.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name NOT LIKE 'search_i%'"
        ).fetchall()
    known = {name: stat.split() for _, name, stat in statistics_of(sqlite_url)}
    assert known.keys() == {name for (name,) in indexes}
    # all copies, of an account, of a subscription, and one
    assert known["copy_by_subscription"] == ["10000000", "1000000", "10", "1", "noskipscan"]
    # those that are free, and have no run and one status
    assert known["copy_free"][:5] == ["1000000", "100000", "2500", "2500", "2500"]
    assert known["sqlite_autoindex_issue_2"][:3] == ["400", "40", "1"]
    assert known["sqlite_autoindex_billing_1"][:2] == ["10", "1"]


async def test_what_is_assumed_names_tables_and_columns_of_the_schema(sqlite_url: str) -> None:
    with closing(apsw.Connection(str(sqlite_path(sqlite_url)))) as connection:
        tables = {name for (name,) in connection.execute("SELECT name FROM pragma_table_list")}
        columns = {
            name
            for (name,) in connection.execute(
                "SELECT c.name FROM sqlite_schema AS s, pragma_index_info(s.name) AS c"
                " WHERE s.type = 'index'"
            )
        }
    assert ROWS.keys() - tables == set()
    assert VALUES.keys() - columns == set()


async def test_what_another_program_counted_is_replaced_for_all_connections(
    sqlite_url: str,
) -> None:
    right = statistics_of(sqlite_url)
    async with opened(sqlite_url) as db:
        await make_row(db)
        analyze_as_others_do(sqlite_url)
        assert statistics_of(sqlite_url) != right  # positive control
    async with opened(sqlite_url) as db, opened(sqlite_url) as another:
        await db.fetch_one(ASKED, {})  # opens a connection, which stays open and reads the schema
        assert BY_SUBSCRIPTION not in await plan_of_copies(another)
        await another.restore_statistics()
        assert statistics_of(sqlite_url) == right
        await db.fetch_one(ASKED, {})  # EXPLAIN alone would not notice that the schema changed
        assert BY_SUBSCRIPTION in await plan_of_copies(db)


async def make_row(db: Database) -> None:
    """A row, so that a count of rows stores something."""
    await db.write(
        lambda tx: tx.execute(
            "INSERT INTO lease (name, holder, until_at, until_tick) VALUES ('x', 'y', :at, 0)",
            {"at": now()},
        )
    )


async def test_values_of_rows_do_not_stay(sqlite_url: str) -> None:
    async with opened(sqlite_url) as db:
        await make_row(db)
        analyze_as_others_do(sqlite_url)
        counted = "SELECT count(*) AS count FROM sqlite_stat4"
        found = await db.fetch_one(counted, {})
        assert found is not None
        assert found["count"]  # positive control
        await db.restore_statistics()
        assert await db.fetch_one(counted, {}) == {"count": 0}


async def test_right_statistics_are_not_written_again(sqlite_url: str) -> None:
    async with opened(sqlite_url) as db:
        with closing(apsw.Connection(str(sqlite_path(sqlite_url)))) as watching:
            before = watching.pragma("data_version")
            await db.restore_statistics()
            assert watching.pragma("data_version") == before
            await make_row(db)
            assert watching.pragma("data_version") != before  # positive control


async def test_a_database_of_an_earlier_version_gets_them_when_it_is_migrated(
    sqlite_url: str,
) -> None:
    right = statistics_of(sqlite_url)
    with closing(apsw.Connection(str(sqlite_path(sqlite_url)))) as connection:
        connection.execute("DROP TABLE sqlite_stat1")
        connection.execute("DROP TABLE sqlite_stat4")
    migrate(sqlite_url)
    assert statistics_of(sqlite_url) == right
    analyze_as_others_do(sqlite_url, limit=100)
    migrate(sqlite_url)
    assert statistics_of(sqlite_url) == right


async def test_they_are_still_there_after_cleaning_and_copying(
    sqlite_url: str, tmp_path: Path
) -> None:
    right = statistics_of(sqlite_url)
    async with opened(sqlite_url) as db:
        await db.clean()
    assert statistics_of(sqlite_url) == right
    target = f"sqlite:///{tmp_path / 'copy.db'}"
    await copy_database(sqlite_url, target, migrate=migrate)
    assert statistics_of(target) == right


async def test_settlements_are_found_by_what_they_settle(
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


async def test_subscribers_are_counted_in_indexes(sqlite_url: str) -> None:
    async with opened(sqlite_url) as db, db.read() as connection:
        planned = Planned(connection)
        assert await count_subscribers(planned, 1) == 0
    (plan,) = planned.plans
    found = re.findall(r"(?:SEARCH|SCAN) subscriber USING (\w+ INDEX)", plan)
    assert found == ["COVERING INDEX", "COVERING INDEX"]


async def test_the_background_work_restores_statistics_each_hour(
    own: OwnService, monkeypatch: pytest.MonkeyPatch
) -> None:
    later = 0.0
    clock = SimpleNamespace(monotonic=lambda: time.monotonic() + later)
    monkeypatch.setattr(cleanup, "time", clock)
    worker = own.background()
    await worker.work_once()
    if own.cast.db.dialect == "postgres":
        return  # nothing to do
    right = statistics_of(own.database_url)
    analyze_as_others_do(own.database_url)
    await worker.work_once()
    assert statistics_of(own.database_url) != right
    later = cleanup.CLEANUP_SECONDS
    await worker.work_once()
    assert statistics_of(own.database_url) == right


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
        pytest.skip("SQLite does not count rows")
    db = await connect(scratch_url)
    assert await known_after(db, lambda tx: add_leases(tx, range(500))) == 500
    assert await known_after(db, lambda tx: add_leases(tx, range(500, 1_000))) == 500
    assert await known_after(db, lambda tx: add_leases(tx, range(1_000, 5_000))) == 5_000
    await db.close()


async def test_postgresql_is_told_of_rows_in_pages_that_had_none(scratch_url: str) -> None:
    """As after a rehearsal, whose rows are gone, and an analysis by the server."""
    if not scratch_url.startswith("postgres"):
        pytest.skip("SQLite does not count rows")
    db = await connect(scratch_url)

    async def leave_empty_pages(tx: Transaction) -> None:
        await add_leases(tx, range(5_000))
        await tx.execute("DELETE FROM lease", {})
        await tx.fetch_all("ANALYZE lease", {})

    assert await known_after(db, leave_empty_pages) == 0
    assert await known_after(db, lambda tx: add_leases(tx, range(1_000))) == 1_000
    await db.close()
