"""Create databases for tests, and open them so that a test that fails closes them too."""

import itertools
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Protocol

import asyncpg

from masthead.store.engine.database import connect
from masthead.store.engine.interface import Connection, Database
from masthead.store.engine.migrate import migrate

# The databases that all tests of a session share. No server may run on them: its background work
# would take the leases of the tests, and do what they left; killed, it would keep a lease for 30 s
SHARED = set[str]()


class Databases(Protocol):
    """A place for databases: a folder of SQLite files, or a PostgreSQL server."""

    def create_database(self) -> str:
        """Create an empty database and return its URL."""
        ...

    def create_migrated_database(self) -> str:
        """Create a database with all tables and return its URL."""
        ...


class SqliteFolder:
    """A folder of SQLite databases, each in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._numbers = folder, itertools.count(1)
        self._template = folder / "template.db"

    def create_database(self) -> str:
        """The URL of a file that does not exist yet, which is an empty database."""
        return f"sqlite:///{self._new_file()}"

    def create_migrated_database(self) -> str:
        """Copy a migrated database and return the URL of the copy."""
        if not self._template.exists():
            migrate(f"sqlite:///{self._template}")
        file = self._new_file()
        shutil.copy(self._template, file)  # with its mode: only the owner may open it
        return f"sqlite:///{file}"

    def _new_file(self) -> Path:
        folder = self._folder / str(next(self._numbers))
        folder.mkdir()
        return folder / "masthead.db"


def migrated(url: str) -> str:
    """The URL of an empty database, after a real migration has created its tables."""
    migrate(url)
    return url


@asynccontextmanager
async def opened(
    url: str, *, seconds: float = 5.0, is_command: bool = False, read_url: str = ""
) -> AsyncIterator[Database]:
    """The database of a URL; the options are those of `connect`.

    A failed test that leaves its connections open fails a second test: the one during which the
    garbage collector finds them, and asyncpg warns of an `unclosed connection`.
    """
    db = await connect(url, seconds=seconds, is_command=is_command, read_url=read_url)
    try:
        yield db
    finally:
        await db.close()


@asynccontextmanager
async def opened_connection(url: str) -> AsyncIterator[asyncpg.Connection]:
    """Another connection to PostgreSQL, which is none of masthead."""
    connection = await asyncpg.connect(url)
    try:
        yield connection
    finally:
        await connection.close()


async def list_tables(db: Connection) -> list[str]:
    """The names of all tables of the database."""
    catalog = (
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        if db.dialect == "sqlite"
        else "SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()"
    )
    return sorted(row["name"] for row in await db.fetch_all(catalog, {}))
