"""Migrations run completely or not at all; the name of a column tells its type."""

import asyncio
import importlib
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import pytest

from masthead.store.engine import migrate as module
from masthead.store.engine.citus import ddl
from masthead.store.engine.citus.table_lists import LOCAL
from masthead.store.engine.database import SCHEMA_VERSION, connect, require_version
from masthead.store.engine.interface import (
    BOOLEAN_COLUMNS,
    DATE_COLUMNS,
    Database,
    DatabaseError,
    Row,
)
from masthead.store.engine.migrate import list_migrations, migrate
from tests.store.conftest import execute

COMPUTED = {"charge_date"}  # column names that exist only in queries
COLUMNS = {
    "sqlite": "SELECT m.name AS table_name, c.name AS column_name, lower(c.type) AS type"
    " FROM sqlite_master m, pragma_table_info(m.name) c"
    " WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite%'",
    "postgres": "SELECT table_name, column_name, data_type AS type"
    " FROM information_schema.columns WHERE table_schema = 'public'"
    " AND table_name NOT LIKE 'citus%'",
}
OLDEST = list_migrations()[SCHEMA_VERSION].oldest_user  # that can use today's schema
NEXT = f"{int(SCHEMA_VERSION) + 1:04}"


@pytest.fixture
def empty_url(empty_database: Callable[[], str]) -> str:
    """The address of a database without tables."""
    return empty_database()


async def _with_database(url: str, work: Callable[[Database], object]) -> None:
    db = await connect(url)
    try:
        await work(db)  # type: ignore[misc] # coroutine functions only
    finally:
        await db.close()


def change(url: str, sql: str) -> None:
    """Run a statement."""
    asyncio.run(_with_database(url, lambda db: execute(db, sql)))


def ask(url: str, sql: str) -> list[Row]:
    """The rows of a query."""
    rows: list[Row] = []

    async def work(db: Database) -> None:
        async with db.read() as connection:
            rows.extend(await connection.fetch_all(sql, {}))

    asyncio.run(_with_database(url, work))
    return rows


def tables(url: str, backend: str) -> set[str]:
    """The names of all tables."""
    return {row["table_name"] for row in ask(url, COLUMNS[backend])}


def fitness(url: str) -> str:
    """The error of `require_version`, if any."""
    try:
        asyncio.run(_with_database(url, require_version))
    except DatabaseError as reason:
        return str(reason)
    return ""


# --- versions -------------------------------------------------------------------------------------


def test_the_schema_version_is_that_of_the_newest_migration() -> None:
    assert max(list_migrations()) == SCHEMA_VERSION


def test_migrating_twice_changes_nothing(empty_url: str) -> None:
    assert migrate(empty_url) == (None, SCHEMA_VERSION)
    assert fitness(empty_url) == ""
    change(empty_url, "INSERT INTO lease VALUES ('a', 'b', '2026-01-01T00:00:00+00:00', 0)")
    assert migrate(empty_url) == (SCHEMA_VERSION, SCHEMA_VERSION)
    assert len(ask(empty_url, "SELECT name FROM lease")) == 1


def test_concurrent_migrations_run_one_after_the_other(empty_url: str) -> None:
    with ThreadPoolExecutor(2) as pool:
        outcomes = list(pool.map(migrate, [empty_url, empty_url]))
    assert sorted(outcomes, key=str) == [(SCHEMA_VERSION,) * 2, (None, SCHEMA_VERSION)]


def test_a_newer_database_is_refused(scratch_url: str) -> None:
    change(scratch_url, "UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(DatabaseError, match=r"9999, newer than this masthead"):
        migrate(scratch_url)
    assert "newer" in fitness(scratch_url)
    assert [row["version_num"] for row in ask(scratch_url, "SELECT * FROM alembic_version")] == [
        "9999"
    ]


@pytest.mark.parametrize(
    "sql", ["UPDATE alembic_version SET version_num = '0000'", "DELETE FROM alembic_version"]
)
def test_an_older_database_is_refused_until_it_is_migrated(scratch_url: str, sql: str) -> None:
    change(scratch_url, sql)
    assert "`masthead migrate`" in fitness(scratch_url)


def test_a_database_without_tables_is_refused(backend: str, empty_url: str) -> None:
    if backend == "sqlite":
        Path(empty_url.removeprefix("sqlite:///")).touch()
    assert "`masthead migrate`" in fitness(empty_url)


# --- all or nothing -------------------------------------------------------------------------------


@pytest.fixture
def set_next(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Sets the migration after the newest one, by its last statement."""
    known = list_migrations()
    monkeypatch.setattr(ddl, "LOCAL", (*LOCAL, "half"))  # on Citus

    def set_step(last: str) -> None:
        before = "CREATE TABLE half (id bigint)", "UPDATE account SET name = 'changed'"
        step = SimpleNamespace(STATEMENTS=(*before, last), oldest_user=OLDEST)
        monkeypatch.setattr(module, "list_migrations", lambda: {**known, NEXT: step})

    return set_step


def test_a_failed_migration_changes_nothing(
    backend: str, scratch_url: str, set_next: Callable[[str], None]
) -> None:
    before = tables(scratch_url, backend)
    set_next("UPDATE unicorn SET horns = 1")
    with pytest.raises(DatabaseError, match="unicorn"):
        migrate(scratch_url)
    assert tables(scratch_url, backend) == before
    assert fitness(scratch_url) == ""
    set_next("DELETE FROM half")
    migrate(scratch_url)
    assert tables(scratch_url, backend) == before | {"half"}


def test_an_empty_database_stays_empty_if_a_migration_fails(
    backend: str, empty_url: str, set_next: Callable[[str], None]
) -> None:
    set_next("UPDATE unicorn SET horns = 1")
    with pytest.raises(DatabaseError, match="unicorn"):
        migrate(empty_url)
    assert tables(empty_url, backend) == set()


# --- tables ---------------------------------------------------------------------------------------


def test_the_name_of_a_column_tells_its_type(backend: str, scratch_url: str) -> None:
    kinds: dict[str, set[str]] = {}
    for row in ask(scratch_url, COLUMNS[backend]):
        if not row["table_name"].startswith(("alembic_version", "search_index", "search_trigram")):
            kinds.setdefault(row["type"], set()).add(row["column_name"])
    moments = kinds.pop("timestamptz" if backend == "sqlite" else "timestamp with time zone")
    assert all(name.endswith("_at") for name in moments)
    assert kinds.pop("date") == DATE_COLUMNS - COMPUTED
    assert kinds.pop("boolean") == BOOLEAN_COLUMNS
    assert kinds.pop("integer", {"n"}) == {"n"}  # SQLite's name for the number of a row
    assert kinds.pop("bytea") == {"content", "document", "logo"}
    assert set(kinds) == {"text", "bigint"}
    others = kinds["text"] | kinds["bigint"]
    assert not [
        name for name in others if name in DATE_COLUMNS | BOOLEAN_COLUMNS or name.endswith("_at")
    ]


def test_the_keys_of_account_tables_begin_with_the_account() -> None:
    """Tables can then be distributed over servers by account."""
    first = importlib.import_module("masthead.store.engine.migrations.versions.0001_first")
    texts = {re.findall(r"CREATE TABLE (\w+)", text)[0]: text for text in first.TABLES}
    owned = {name: text for name, text in texts.items() if "account_id bigint" in text}
    assert set(texts) - set(owned) == {"account", "app_user", "lease"}
    for text in owned.values():
        for key in re.findall(r"(?:PRIMARY KEY|UNIQUE) \(([^)]+)\)", text):
            assert key.split(", ")[0] == "account_id"
        for own, table in re.findall(r"FOREIGN KEY \(([^)]+)\)\s+REFERENCES (\w+)", text):
            assert table == "app_user" or own.split(", ")[0] == "account_id"
