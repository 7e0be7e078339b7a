"""Migration 0017: foreign keys of copies, and the index of the search on PostgreSQL."""

import asyncio
from collections.abc import Callable
from contextlib import closing

import apsw
import pytest

from masthead.store.engine.database import SCHEMA_VERSION
from masthead.store.engine.interface import DatabaseError
from masthead.store.engine.migrate import migrate
from tests.store.engine.test_upgrade import made_by
from tests.support.databases import opened_connection

# --- foreign keys of copies -----------------------------------------------------------------------


def test_a_table_of_copies_that_another_program_wrote_is_refused(
    backend: str, empty_database: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    url = made_by("0016", empty_database, monkeypatch)
    if backend != "sqlite":  # it drops keys by their names
        assert migrate(url) == ("0016", SCHEMA_VERSION)
        return
    with closing(apsw.Connection(url.removeprefix("sqlite:///"))) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        sql = "UPDATE sqlite_schema SET sql = replace(sql, ?, ?) WHERE name = 'copy'"
        spaces = "(account_id, subscriber_id)\n", "(account_id, subscriber_id) \n"
        connection.execute(sql, spaces)
        connection.execute("PRAGMA writable_schema = RESET")
    with pytest.raises(DatabaseError, match="the_text_of_the_table_copy_is_not_that_of_masthead"):
        migrate(url)
    with closing(apsw.Connection(url.removeprefix("sqlite:///"))) as connection:
        tables = [key[2] for key in connection.execute("PRAGMA foreign_key_list(copy)")]
        assert connection.execute("SELECT version_num FROM alembic_version").get == "0016"
        assert {"period", "subscriber"} <= {*tables}
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute(sql, spaces[::-1])
        connection.execute("PRAGMA writable_schema = RESET")
    assert migrate(url) == ("0016", SCHEMA_VERSION)


# --- the index of the search ----------------------------------------------------------------------

SEARCH_INDEXES = "SELECT indexname FROM pg_indexes WHERE indexname LIKE 'searchable_by_%'"


@pytest.mark.parametrize(
    "before, expected",
    [
        ("SELECT 1", {"searchable_by_text"}),
        ("DROP EXTENSION pg_trgm CASCADE", set()),
        ("CREATE TABLE searchable_by_text (id bigint)", None),  # as with any other obstacle
    ],
)
async def test_the_index_of_the_search_is_built_anew_or_the_upgrade_fails(
    backend: str,
    before: str,
    expected: set[str] | None,
    empty_database: Callable[[], str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if backend != "postgres":  # SQLite has one index from the start
        return
    url = await asyncio.to_thread(made_by, "0016", empty_database, monkeypatch)
    async with opened_connection(url) as connection:
        await connection.execute(before)
        if expected is None:
            with pytest.raises(DatabaseError, match="already exists"):
                await asyncio.to_thread(migrate, url)
            expected = {"searchable_by_subscriber", "searchable_by_subscription"}
        else:
            await asyncio.to_thread(migrate, url)
        assert {row["indexname"] for row in await connection.fetch(SEARCH_INDEXES)} == expected
