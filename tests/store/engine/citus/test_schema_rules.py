"""The rules by which Citus can distribute the schema, read from PostgreSQL's catalog."""

import re
from pathlib import Path

import pytest

from masthead.store.engine.citus.ddl import distributed_form
from masthead.store.engine.citus.table_lists import COLUMN, DISTRIBUTED, LOCAL, REFERENCE
from masthead.store.engine.interface import Database, DatabaseError
from masthead.store.engine.migrations import versions

KEYS = """
    SELECT t.relname AS name, i.relname AS index_name, a.attname AS first_column, x.indisunique
    FROM pg_index x
    JOIN pg_class t ON t.oid = x.indrelid
    JOIN pg_class i ON i.oid = x.indexrelid
    LEFT JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = x.indkey[0]
    WHERE t.relnamespace = to_regnamespace(current_schema())
"""
FOREIGN_KEYS = """
    SELECT c.relname AS name, t.relname AS target, pg_get_constraintdef(k.oid) AS definition
    FROM pg_constraint k
    JOIN pg_class c ON c.oid = k.conrelid
    JOIN pg_class t ON t.oid = k.confrelid
    WHERE k.contype = 'f' AND c.relnamespace = to_regnamespace(current_schema())
"""
TABLES = """
    SELECT c.relname AS name, bool_or(a.attname = 'account_id' AND a.attnotnull) AS has_account
    FROM pg_class c
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    WHERE c.relkind IN ('r', 'p') AND c.relnamespace = to_regnamespace(current_schema())
    GROUP BY c.relname
"""
# No trigger but those of foreign keys, no sequence, no value that each node would work out alone
FORBIDDEN = """
    SELECT 'trigger ' || t.tgname AS name
    FROM pg_trigger t
    JOIN pg_class c ON c.oid = t.tgrelid
    WHERE NOT t.tgisinternal
      AND c.relnamespace = to_regnamespace(current_schema())
      AND t.tgname NOT LIKE 'truncate_trigger_%'  -- of Citus
    UNION ALL
    SELECT 'sequence ' || relname
    FROM pg_class
    WHERE relkind = 'S' AND relnamespace = to_regnamespace(current_schema())
    UNION ALL
    SELECT 'default ' || pg_get_expr(d.adbin, d.adrelid)
    FROM pg_attrdef d
    JOIN pg_class c ON c.oid = d.adrelid
    WHERE c.relnamespace = to_regnamespace(current_schema())
      AND pg_get_expr(d.adbin, d.adrelid) LIKE '%(%'
"""
OPERATIONS = Path(__file__).parents[4] / "docs" / "operations.md"
FIRST_LATER = "0015"  # the migrations that may run on a distributed database begin here
MIGRATIONS = [
    path for path in sorted(Path(versions.__path__[0]).glob("0*.py")) if path.stem >= FIRST_LATER
]
WRITTEN = re.compile(r"^\s*(UPDATE|INSERT INTO|DELETE FROM) (\w+)(?P<rest>.*)", re.DOTALL)


@pytest.fixture
def db(backend: str, db: Database) -> Database:
    """A migrated database of PostgreSQL."""
    if backend == "sqlite":
        pytest.skip("Citus is an extension of PostgreSQL")
    return db


async def test_each_table_has_its_place(db: Database) -> None:
    found = {row["name"]: row["has_account"] for row in await db.fetch_all(TABLES, {})}
    places = [*REFERENCE, *LOCAL, *DISTRIBUTED]
    assert set(found) | set(LOCAL) == set(places)
    assert len(places) == len(set(places))
    assert {name for name in DISTRIBUTED if not found[name]} == set()


async def test_account_id_leads_the_primary_and_unique_keys_of_distributed_tables(
    db: Database,
) -> None:
    keys = [row for row in await db.fetch_all(KEYS, {}) if row["name"] in DISTRIBUTED]
    unique = [row for row in keys if row["indisunique"]]
    assert {row["name"] for row in unique} == set(DISTRIBUTED)
    assert [row["index_name"] for row in unique if row["first_column"] != COLUMN] == []


async def test_account_id_leads_the_foreign_keys_between_distributed_tables(db: Database) -> None:
    wrong = []
    for row in await db.fetch_all(FOREIGN_KEYS, {}):
        definition = row["definition"]
        if row["name"] not in DISTRIBUTED:
            is_right = row["target"] not in DISTRIBUTED  # it cannot refer to rows of one node
        elif row["target"] not in DISTRIBUTED:
            is_right = row["target"] in REFERENCE and "ON DELETE" not in definition
        else:
            lead = rf"FOREIGN KEY \({COLUMN}\b.* REFERENCES \w+\({COLUMN}\b"
            is_right = bool(re.search(lead, definition)) and " SET " not in definition
        if not is_right:
            wrong.append(f"{row['name']}: {definition}")
    assert wrong == []


async def test_there_are_no_triggers_sequences_and_computed_defaults(db: Database) -> None:
    assert await db.fetch_all(FORBIDDEN, {}) == []


def statements_of(path: Path) -> list[str]:
    """The statements that a migration runs on PostgreSQL, as far as they are written out."""
    text = path.read_text()
    quoted = re.findall(
        r'"""(.*?)"""|"((?:CREATE|ALTER|DROP|UPDATE|INSERT|DELETE) .*?)"', text, re.S
    )
    return [long or short for long, short in quoted]


@pytest.mark.parametrize("path", MIGRATIONS, ids=[path.stem for path in MIGRATIONS])
def test_later_migrations_have_a_distributed_form(path: Path) -> None:
    for statement in statements_of(path):
        for each in distributed_form(statement):  # raises if it creates an unknown table
            assert "TRIGGER" not in each
            assert "SEQUENCE" not in each
        match = WRITTEN.match(statement)
        if match and match[2] in DISTRIBUTED and re.search("SELECT|FROM", match["rest"]):
            assert COLUMN in match["rest"]  # the rows of an account come from its own rows


def test_a_new_table_is_distributed_before_its_foreign_keys() -> None:
    create = """
    CREATE TABLE claim (
        account_id bigint NOT NULL,
        id text NOT NULL,
        CONSTRAINT claim_pk PRIMARY KEY (account_id, id),
        CONSTRAINT claim_copy FOREIGN KEY (account_id, copy_id) REFERENCES copy (account_id, id),
        CONSTRAINT claim_user FOREIGN KEY (user_id)
            REFERENCES app_user (id)
    )
    """
    table, placing, *keys = distributed_form(create)
    assert "FOREIGN" not in table
    assert table.rstrip().endswith("CONSTRAINT claim_pk PRIMARY KEY (account_id, id)\n    )")
    assert placing == (
        "SELECT create_distributed_table('claim', 'account_id', colocate_with => 'account_state')"
    )
    assert [each.split(" FOREIGN")[0] for each in keys] == [
        "ALTER TABLE claim ADD CONSTRAINT claim_copy",
        "ALTER TABLE claim ADD CONSTRAINT claim_user",
    ]


def test_other_statements_of_a_migration_stay_as_they_are() -> None:
    for statement in (
        "CREATE INDEX claim_by_copy ON claim (account_id, copy_id)",
        "ALTER TABLE claim ADD COLUMN why text",
        "CREATE TABLE unfinished_work (work text NOT NULL)",
        "CREATE TABLE lease (name text NOT NULL)",
    ):
        assert distributed_form(statement) == [statement]
    assert distributed_form("CREATE TABLE account (id bigint)")[1:] == [
        "SELECT create_reference_table('account')"
    ]
    with pytest.raises(DatabaseError, match="where Citus keeps `other`"):
        distributed_form("CREATE TABLE other (id text)")


@pytest.mark.parametrize(
    "tables, place",
    [(REFERENCE, "a copy on every node"), (LOCAL, "on the coordinator only")],
    ids=["reference", "local"],
)
def test_the_page_says_where_the_tables_are_that_are_not_distributed(
    tables: tuple[str, ...], place: str
) -> None:
    (row,) = re.findall(rf"^\| (.+) \| {place} \|$", OPERATIONS.read_text(), re.MULTILINE)
    assert re.findall(r"`(\w+)`", row) == sorted(tables)
