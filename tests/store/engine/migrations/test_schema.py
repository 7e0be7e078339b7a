"""The schema after all migrations is the one in tests/golden."""

import re
from difflib import unified_diff

import asyncpg
import pytest

from masthead.store.engine.interface import is_postgres
from tests.golden.schema import FILES, schema_of, without_trigrams
from tests.support import citus

MOST_LINES = 40  # of a difference in the message of a test


def difference(golden: str, schema: str) -> str:
    """The lines that differ, and what to do."""
    before, after = golden.splitlines(), schema.splitlines()
    lines = list(unified_diff(before, after, "golden", "now", n=2, lineterm=""))
    more = [f"… and {len(lines) - MOST_LINES} more lines"] if len(lines) > MOST_LINES else []
    advice = "If this is intended, run `make schema`, and review the difference:"
    return "\n".join([advice, *lines[:MOST_LINES], *more])


async def has_trigrams(url: str) -> bool:
    """Whether the server has pg_trgm; SQLite has trigrams always."""
    if not is_postgres(url):
        return True
    connection = await asyncpg.connect(url)
    try:
        found = await connection.fetchval("SELECT 1 FROM pg_extension WHERE extname = 'pg_trgm'")
    finally:
        await connection.close()
    return found is not None


async def test_the_schema_is_the_golden_one(backend: str, scratch_url: str) -> None:
    if citus.has(scratch_url):
        pytest.skip("Citus has the keys and indexes of a distributed schema")
    golden, schema = FILES[backend].read_text(), await schema_of(scratch_url)
    if not await has_trigrams(scratch_url):
        golden = without_trigrams(golden)
    assert schema == golden, difference(golden, schema)


def test_a_difference_is_short_and_names_the_way_out() -> None:
    golden = "".join(f"line {number}\n" for number in range(300))
    shown = difference(golden, golden.replace("line 150\n", "line 150, changed\n"))
    assert "`make schema`" in shown
    assert "\n-line 150\n+line 150, changed\n" in shown
    assert len(shown.splitlines()) < 12
    assert difference(golden, "").splitlines()[-1] == "… and 263 more lines"


def test_without_pg_trgm_only_the_index_of_the_search_is_missing() -> None:
    golden = FILES["postgres"].read_text()
    (index,) = re.findall(r"^CREATE INDEX searchable_by_text [^;]*;\n", golden, re.MULTILINE)
    assert without_trigrams(golden) == golden.replace(index, "")


def test_an_older_sqlite_can_open_a_database() -> None:
    """Before version 3.46, it reads no more than about 25 calls within calls."""
    depth, deepest = 0, 0
    schema = FILES["sqlite"].read_text()
    for sign in schema:
        depth += (sign == "(") - (sign == ")")
        deepest = max(deepest, depth)
    assert 3 < deepest <= 15


@pytest.mark.parametrize("name, key", [("sqlite", "subscription "), ("postgres", "subscription")])
def test_columns_keys_and_indexes_are_on_lines_of_their_own(name: str, key: str) -> None:
    schema = FILES[name].read_text()
    assert "\nCREATE TABLE copy (\n    account_id bigint NOT NULL,\n    id bigint" in schema
    assert f"        REFERENCES {key}(account_id, id)" in schema
    assert "\nCREATE INDEX copy_by_subscription ON copy (" in schema
    lines = [each for each in schema.splitlines() if not re.search("'[^']{90,}'", each)]
    assert max(map(len, lines)) <= 99  # besides texts that cannot be broken
