"""docs/architecture.md: its tables, columns and paths exist, and no table is missing."""

import re
from pathlib import Path

from tests.golden.schema import FILES

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
DOMAIN, TABLES, PLACES = (
    PAGE.partition(f"# {heading}\n")[2].partition("\n## ")[0]
    for heading in ("The domain", "Tables", "Looking for")
)
SQLITE, POSTGRES = (FILES[name].read_text() for name in ("sqlite", "postgres"))
RECORDS = re.findall(r"^\| (\w+) \| `(\w+)` \| (.*?) ?\| ", DOMAIN, re.MULTILINE)


def tables(schema: str) -> set[str]:
    """The names of the tables of a schema."""
    return set(re.findall(r"^CREATE (?:VIRTUAL )?TABLE (\w+)", schema, re.MULTILINE))


def test_the_picture_has_the_records_of_the_table() -> None:
    picture = DOMAIN.split("```")[1]
    assert set(re.findall(r"[a-z]+", picture)) == {record for record, _, _ in RECORDS}
    assert len(RECORDS) == 9


def test_each_record_belongs_to_others_by_columns_that_exist() -> None:
    for _, table, owners in RECORDS:
        columns = SQLITE.partition(f"\nCREATE TABLE {table} (\n")[2].partition("\n);")[0]
        for owner in re.findall(r"`(\w+)`", owners):
            assert re.search(rf"^    {owner} ", columns, re.MULTILINE), (table, owner)


def test_every_table_is_on_the_page_once() -> None:
    named = re.findall(r"`(\w+)`", " ".join(re.findall(r"^\| (`.*?) \| ", TABLES, re.MULTILINE)))
    assert len(named) == len(set(named))
    assert set(named) == tables(SQLITE)
    assert tables(SQLITE) - tables(POSTGRES) == {"search_index", "search_trigram"}
    assert tables(POSTGRES) <= tables(SQLITE)


def test_every_path_of_the_page_exists() -> None:
    paths = {each for each in re.findall(r"`([\w./]+)`", PLACES) if "/" in each or "." in each}
    paths -= {"/metrics"}
    assert len(paths) > 60
    assert [
        each
        for each in sorted(paths)
        if not (ROOT / "masthead" / each).exists() and not (ROOT / each).exists()
    ] == []
