"""Opening the database that an address names, at the version that this masthead works with."""

from pathlib import Path

from masthead.store import postgres, sqlite
from masthead.store.connection import (
    Connection,
    Database,
    DatabaseError,
    MissingTable,
    sqlite_path,
)
from masthead.store.private_files import list_exposed
from masthead.store.sqlite_files import companions

SCHEMA_VERSION = "0003"  # the newest step in migrations/versions; a test holds them together


async def connect(url: str) -> Database:
    """The database that the address names, open. Raises: DatabaseError."""
    if url.startswith("postgresql:"):
        return await postgres.connect(url)
    return sqlite.connect(url)


def list_exposed_files(url: str) -> list[tuple[Path, str]]:
    """The files of a database that others on this machine can open, with their permissions."""
    if not url.startswith("sqlite:"):
        return []
    path = sqlite_path(url)
    return list(list_exposed([path, *companions(path).values()]))


async def get_version(connection: Connection) -> str:
    """The version of the database's schema."""
    row = await connection.fetch_one("SELECT version_num FROM alembic_version", {})
    return row["version_num"] if row else ""


async def require_version(db: Database) -> None:
    """Raises: DatabaseError unless the schema is the one that this masthead works with."""
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
            "install the newer masthead."
        )
