"""Open the database of a URL, and check the version of its schema."""

from pathlib import Path

from masthead.store.engine.interface import (
    Connection,
    Database,
    DatabaseError,
    MissingTable,
    is_postgres,
    sqlite_path,
)
from masthead.store.engine.postgres import database as postgres
from masthead.store.engine.postgres.session import Limits
from masthead.store.engine.private_files import list_exposed
from masthead.store.engine.sqlite import database as sqlite
from masthead.store.engine.sqlite.files import companions

SCHEMA_VERSION = "0013"  # the newest migration in migrations/versions; a test compares them

COMMAND_ASIDE, COMMAND_LOCK = 600.0, 60.0  # seconds that a command waits; requests wait less


async def connect(url: str, *, seconds: float = 5.0, is_command: bool = False) -> Database:
    """Open the database of a URL. Raises: DatabaseError.

    seconds: the longest time for a statement of a request, on PostgreSQL;
    is_command: for a command, whose statements may take longer.
    """
    if not is_postgres(url):
        return sqlite.connect(url)
    limits = Limits(statement=seconds, aside=4 * seconds, lock=2 * seconds)
    if is_command:
        limits = Limits(statement=seconds, aside=COMMAND_ASIDE, lock=COMMAND_LOCK)
    return await postgres.connect(url, limits)


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


async def require_version(db: Database) -> None:
    """Raises: DatabaseError unless the schema has the version of this masthead."""
    try:
        async with db.read() as connection:
            version = await get_version(connection)
    except MissingTable:
        version = ""
    if version < SCHEMA_VERSION:
        raise DatabaseError("The database is empty or older; run `masthead migrate` first.")
    if version > SCHEMA_VERSION:
        raise DatabaseError(
            f"The database has version {version}, newer than this masthead ({SCHEMA_VERSION}); "
            "install a newer masthead."
        )
