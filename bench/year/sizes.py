"""The size of a database: in all, and of each of its tables with their indexes."""

import asyncio
from typing import Any

import apsw
from msgspec import Struct

from masthead.store.engine.database import connect
from masthead.store.engine.interface import is_postgres, sqlite_path

PAGES = "SELECT name, pgsize FROM dbstat WHERE aggregate = TRUE"


class TableSize(Struct, frozen=True):
    """A table. size: bytes, with its indexes."""

    rows: int
    size: int


def total_bytes(url: str) -> dict[str, int]:
    """The bytes of the database, and of the log of SQLite."""
    if is_postgres(url):
        return {"database": _ask(url, "SELECT pg_database_size(current_database()) AS n")[0]["n"]}
    path = sqlite_path(url)
    return {
        "database": path.stat().st_size,
        "log": path.with_name(f"{path.name}-wal").stat().st_size,
    }


def table_sizes(url: str) -> dict[str, TableSize]:
    """The tables that have rows; the ones of the search index of SQLite as one."""
    if is_postgres(url):
        found = _ask(
            url,
            "SELECT relname AS name, pg_total_relation_size(oid) AS size FROM pg_class"
            " WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace",
        )
        sizes = {row["name"]: row["size"] for row in found}
    else:
        sizes = _pages(url)
    counts = {name: _count(url, name) for name in sizes}
    return {name: TableSize(counts[name], sizes[name]) for name in sizes if counts[name]}


def _pages(url: str) -> dict[str, int]:
    """The bytes of the pages of each table of SQLite."""
    connection = apsw.Connection(str(sqlite_path(url)), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        owners = dict(connection.execute("SELECT name, tbl_name FROM sqlite_schema"))
        virtual = [
            name
            for (name,) in connection.execute(
                "SELECT name FROM sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL TABLE%'"
            )
        ]
        sizes: dict[str, int] = {}
        for name, size in connection.execute(PAGES):
            table = owners.get(name, "sqlite_schema")
            table = next((each for each in virtual if table.startswith(f"{each}_")), table)
            sizes[table] = sizes.get(table, 0) + size
    finally:
        connection.close()
    return {name: size for name, size in sizes.items() if not name.startswith("sqlite_")}


def _count(url: str, table: str) -> int:
    return int(_ask(url, f'SELECT count(*) AS n FROM "{table}"')[0]["n"])  # noqa: S608 - own tables


def _ask(url: str, sql: str) -> Any:
    async def ask() -> Any:
        db = await connect(url)
        try:
            async with db.read(is_long=True) as connection:
                return await connection.fetch_all(sql, {})
        finally:
            await db.close()

    return asyncio.run(ask())
