"""The schema of a new database as SQL, with each table beside its indexes.

`make schema` writes it to schema.sqlite.sql and schema.postgres.sql. PostgreSQL's part comes from
the catalog and not from pg_dump, whose text depends on its version.
"""

import re
import textwrap
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import apsw
import asyncpg

from masthead.store.engine.interface import is_postgres, sqlite_path

FILES = {name: Path(__file__).parent / f"schema.{name}.sql" for name in ("sqlite", "postgres")}
TITLE = """\
-- The schema of a new {name} database, after all migrations, in alphabetical order.
-- `make schema` writes this file; docs/architecture.md shows the most important tables.
"""
WIDTH = 98  # characters of a line, without the comma or semicolon at its end
NEEDS_TRIGRAMS = "gin_trgm_ops"  # in the indexes that masthead does without if pg_trgm is missing

# Tables before their indexes; not the tables and indexes that SQLite creates for others
OF_SQLITE = """
    SELECT sql
    FROM sqlite_schema
    WHERE sql IS NOT NULL
        AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
        AND name NOT IN (SELECT name FROM pragma_table_list WHERE type = 'shadow')
    ORDER BY tbl_name, type = 'index', name
"""
# An array of columns, an array of constraints, and an array of indexes for each table
OF_POSTGRES = """
    SELECT
        format('CREATE TABLE %I', t.relname) AS head,
        coalesce(' WITH (' || array_to_string(t.reloptions, ', ') || ')', '') AS options,
        ARRAY(
            SELECT concat_ws(' ', quote_ident(a.attname),
                CASE WHEN a.atttypid = 'timestamptz'::regtype THEN 'timestamptz'
                    ELSE format_type(a.atttypid, a.atttypmod) END,
                CASE WHEN a.attcollation <> y.typcollation
                    THEN 'COLLATE ' || a.attcollation::regcollation END,
                CASE WHEN a.attnotnull THEN 'NOT NULL' END,
                'DEFAULT ' || pg_get_expr(d.adbin, d.adrelid))
            FROM pg_attribute AS a
            JOIN pg_type AS y ON y.oid = a.atttypid
            LEFT JOIN pg_attrdef AS d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
            WHERE a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
            ORDER BY a.attnum
        ) AS columns,
        ARRAY(
            SELECT format('CONSTRAINT %I %s', conname, pg_get_constraintdef(oid, true))
            FROM pg_constraint
            WHERE conrelid = t.oid AND contype IN ('p', 'u', 'x', 'c', 'f')
            ORDER BY position(contype IN 'puxcf'), conname
        ) AS constraints,
        ARRAY(
            SELECT replace(pg_get_indexdef(i.indexrelid, 0, true), ' USING btree ', ' ')
            FROM pg_index AS i
            JOIN pg_class AS c ON c.oid = i.indexrelid
            WHERE i.indrelid = t.oid
                AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = i.indexrelid
                    AND contype IN ('p', 'u', 'x'))
            ORDER BY c.relname
        ) AS indexes
    FROM pg_class AS t
    WHERE t.relnamespace = 'public'::regnamespace AND t.relkind = 'r'
    ORDER BY t.relname COLLATE "C"
"""
# What a schema in plain SQL has none of, without the functions of extensions
NOT_TABLES_OF_POSTGRES = """
    SELECT 'CREATE TRIGGER ' || tgname AS head
    FROM pg_trigger WHERE NOT tgisinternal
    UNION ALL
    SELECT 'CREATE FUNCTION ' || proname
    FROM pg_proc
    WHERE pronamespace = 'public'::regnamespace
        AND NOT EXISTS (SELECT 1 FROM pg_depend WHERE objid = pg_proc.oid AND deptype = 'e')
    UNION ALL
    SELECT format('CREATE %s %s',
        CASE relkind WHEN 'v' THEN 'VIEW' WHEN 'S' THEN 'SEQUENCE' ELSE relkind::text END, relname)
    FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind NOT IN ('r', 'i', 't')
    ORDER BY 1
"""


async def schema_of(url: str) -> str:
    """The schema of a database, as it is written to a file."""
    if is_postgres(url):
        name, statements = "PostgreSQL", await _postgres(url)
    else:
        name, statements = "SQLite", list(_sqlite(sqlite_path(url)))
    return TITLE.format(name=name) + "".join(statements)


def without_trigrams(schema: str) -> str:
    """A schema as a server without pg_trgm has it."""
    statements = re.findall(r"(?:--.*\n|\n?CREATE [^;]*;\n)", schema)
    return "".join(each for each in statements if NEEDS_TRIGRAMS not in each)


def _sqlite(path: Path) -> Iterator[str]:
    with closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)) as connection:
        for (sql,) in connection.execute(OF_SQLITE):
            head, bracket, rest = sql.partition("(")
            if re.match(r"CREATE TABLE", head):
                items, _, options = rest.rpartition(")")
                yield _table(head, list(_split(items)), options)
            else:
                yield _statement(head + bracket + rest)


async def _postgres(url: str) -> list[str]:
    connection = await asyncpg.connect(url)
    try:
        tables = await connection.fetch(OF_POSTGRES)
        others = await connection.fetch(NOT_TABLES_OF_POSTGRES)
    finally:
        await connection.close()
    statements = []
    for each in tables:
        statements.append(
            _table(each["head"], [*each["columns"], *each["constraints"]], each["options"])
        )
        statements += map(_statement, each["indexes"])
    return statements + [_statement(each["head"]) for each in others]


def _split(items: str) -> Iterator[str]:
    """The columns and constraints of a table: what commas outside of brackets and quotes part."""
    depth, item = 0, ""
    for token in re.findall(r"'[^']*'|\"[^\"]*\"|.", items, re.DOTALL):
        depth += {"(": 1, ")": -1}.get(token, 0)
        if token == "," and not depth:
            yield item
            item = ""
        else:
            item += token
    yield item


def _table(head: str, items: list[str], options: str) -> str:
    lines = ",\n".join(_wrapped(item, "    ", "        ") for item in items)
    return f"\n{_one_line(head)} (\n{lines}\n){options.rstrip()};\n"


def _statement(sql: str) -> str:
    gap = "\n" if not sql.startswith("CREATE INDEX") and "UNIQUE INDEX" not in sql else ""
    return f"{gap}{_wrapped(sql, '', '    ')};\n"


def _wrapped(text: str, first: str, later: str) -> str:
    """A part of a statement on as many lines as it needs; none ends inside of a quoted text."""
    whole = first + _one_line(text)
    if len(whole) > WIDTH and " REFERENCES " in whole:
        return whole.replace(" REFERENCES ", f"\n{later}REFERENCES ")
    lines = textwrap.fill(
        re.sub(r"'[^']*'", lambda quoted: quoted[0].replace(" ", "\0"), whole),
        WIDTH,
        subsequent_indent=later,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return lines.replace("\0", " ")


def _one_line(text: str) -> str:
    return " ".join(text.split())
