"""Open the database of a URL, and check the version of its schema."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from masthead.store.engine.interface import (
    Connection,
    Database,
    DatabaseError,
    Dialect,
    MissingTable,
    invalid_url_error,
    is_postgres,
    sqlite_path,
)
from masthead.store.engine.postgres import database as postgres
from masthead.store.engine.postgres.replica import Replica
from masthead.store.engine.postgres.session import Limits
from masthead.store.engine.private_files import list_exposed
from masthead.store.engine.sqlite import database as sqlite
from masthead.store.engine.sqlite.files import companions

SCHEMA_VERSION = "0064"  # the newest migration in migrations/versions; a test compares them
NEEDED_VERSION = "0064"  # the newest migration that adds something; later ones only remove

COMMAND_ASIDE, COMMAND_LOCK = 600.0, 60.0  # seconds that a command waits; requests wait less


async def connect(
    url: str, *, seconds: float = 5.0, is_command: bool = False, read_url: str = ""
) -> Database:
    """Open the database of a URL. Raises: DatabaseError.

    seconds: the longest time for a statement of a request, on PostgreSQL;
    is_command: for a command, whose statements may take longer, and which only does one thing;
    read_url: of a replica for lists, searches and exports; it need not answer yet.
    """
    if not is_postgres(url):
        return sqlite.connect(url, is_command=is_command)
    limits = Limits(statement=seconds, aside=4 * seconds, lock=2 * seconds)
    if is_command:
        limits = Limits(statement=seconds, aside=COMMAND_ASIDE, lock=COMMAND_LOCK)
    database = await postgres.connect(url, limits)
    if read_url:
        try:
            database.replica = Replica(database, read_url, limits)
        except ValueError:  # its text quotes parts of the URL
            await database.close()
            raise invalid_url_error("MASTHEAD_DATABASE_READ_URL") from None
    return database


@asynccontextmanager
async def open_database(
    url: str, *, is_command: bool = True, read_url: str = ""
) -> AsyncIterator[Database]:
    """The database of a URL as `connect` opens it, closed at the end. Raises: DatabaseError."""
    db = await connect(url, is_command=is_command, read_url=read_url)
    try:
        yield db
    finally:
        await db.close()


def list_exposed_files(url: str) -> list[tuple[Path, str]]:
    """The database files that other users of this machine can open, with their permissions."""
    if is_postgres(url):
        return []
    path = sqlite_path(url)
    return list(list_exposed([path, *companions(path).values()]))


async def get_version(connection: Connection) -> str:
    """The version of the database's schema."""
    row = await connection.fetch_one("SELECT version_num FROM alembic_version", {})
    return row["version_num"] if row else ""


_UNFINISHED: dict[Dialect, str] = {
    "sqlite": "SELECT name FROM sqlite_schema WHERE name = 'unfinished_work'",
    "postgres": "SELECT relname AS name FROM pg_class WHERE oid = to_regclass('unfinished_work')",
}


def unfinished_error(work: str) -> DatabaseError:
    """The error for a database that a copy or a restore has not completed. work: its command."""
    return DatabaseError(
        f"This database is incomplete: `masthead {work}` was stopped before its end. "
        "Run that command again; it starts from the beginning."
    )


_HALF_DISTRIBUTED = "SELECT 1 AS found WHERE to_regclass('unfinished_distribution') IS NOT NULL"


async def _require_complete(connection: Connection) -> None:
    """Raises: DatabaseError if a copy, a restore or a distribution was not completed."""
    if await connection.fetch_one(_UNFINISHED[connection.dialect], {}):
        row = await connection.fetch_one("SELECT work FROM unfinished_work", {})
        raise unfinished_error(row["work"] if row else "restore")
    if connection.dialect == "postgres" and await connection.fetch_one(_HALF_DISTRIBUTED, {}):
        raise DatabaseError(
            "This database is only partly distributed: `masthead distribute` was stopped before "
            "its end. Run `masthead distribute --yes` again; it goes on where it stopped."
        )


OLDEST_USER = "SELECT oldest_user FROM schema_support WHERE version = :version"


async def _find_oldest_user(connection: Connection, version: str) -> str | None:
    """The oldest masthead that can use the database, if its version is newer than this one."""
    if version <= SCHEMA_VERSION:
        return None
    row = await connection.fetch_one(OLDEST_USER, {"version": version})
    return row["oldest_user"] if row else None


def find_misfit(version: str, oldest_user: str | None) -> str:
    """Why this masthead cannot use a schema, as a sentence; empty if it can."""
    if version < NEEDED_VERSION:
        return "The database is empty or older; run `masthead migrate` first."
    if version <= SCHEMA_VERSION or (oldest_user and oldest_user <= SCHEMA_VERSION):
        return ""
    return (
        f"The database has version {version}, newer than this masthead ({SCHEMA_VERSION}), and "
        "lacks what this masthead uses; install a newer masthead."
    )


async def require_version(db: Database) -> None:
    """Raises: DatabaseError unless this masthead can use the schema, and the database is whole."""
    oldest_user = None
    try:
        async with db.read() as connection:
            await _require_complete(connection)
            version = await get_version(connection)
            oldest_user = await _find_oldest_user(connection, version)
    except MissingTable:
        version = ""
    if misfit := find_misfit(version, oldest_user):
        raise DatabaseError(misfit)
