"""Bring a database to today's schema; run by `masthead migrate`, the only user of Alembic."""

import asyncio
from functools import partial
from pathlib import Path

import asyncpg
from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, NullPool, create_engine, event, text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import create_async_engine

from masthead.store.connection import DatabaseError, sqlite_path
from masthead.store.database import SCHEMA_VERSION
from masthead.store.sqlite_files import create_file, leave_marker

_LOCK = 7_426_873  # any number, the same in every masthead: one migration at a time


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    return config


def newest_step() -> str:
    """The number of the newest migration step."""
    return ScriptDirectory.from_config(_config()).get_current_head() or ""


def migrate(url: str) -> tuple[str | None, str]:
    """Run the missing steps in one transaction; the versions before and after.

    Raises: DatabaseError if the database is newer than this masthead, or cannot be reached.
    """
    try:
        if url.startswith("postgresql://"):
            return asyncio.run(_migrate_postgres(url))
        return _migrate_sqlite(sqlite_path(url))
    except (SQLAlchemyError, asyncpg.PostgresError, OSError) as reason:
        told = getattr(reason, "orig", None) or reason  # without the library's footnotes
        raise DatabaseError(f"The database cannot be migrated: {told}") from reason


def _migrate_sqlite(path: Path) -> tuple[str | None, str]:
    create_file(path)
    engine = create_engine(f"sqlite:///{path}")

    @event.listens_for(engine, "connect")
    def _take_over_transactions(connection: object, _record: object) -> None:
        connection.isolation_level = None  # type: ignore[attr-defined] # of sqlite3.Connection

    @event.listens_for(engine, "begin")
    def _lock(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    try:
        with engine.begin() as connection:
            versions = _upgrade(connection)
    finally:
        engine.dispose()
    leave_marker(path)
    return versions


async def _migrate_postgres(url: str) -> tuple[str | None, str]:
    # asyncpg reads the address itself, as it does for `serve`: `sslmode` and all
    engine = create_async_engine(
        "postgresql+asyncpg://", async_creator=partial(asyncpg.connect, url), poolclass=NullPool
    )
    try:
        async with engine.begin() as connection:
            await connection.execute(text(f"SELECT pg_advisory_xact_lock({_LOCK})"))
            return await connection.run_sync(_upgrade)
    finally:
        await engine.dispose()


def _upgrade(connection: Connection) -> tuple[str | None, str]:
    config = _config()
    before = _version(connection)
    known = {step.revision for step in ScriptDirectory.from_config(config).walk_revisions()}
    if before is not None and before not in known:
        raise DatabaseError(
            f"The database has version {before}, newer than this masthead ({SCHEMA_VERSION}). "
            "Install the masthead that it was last used with, or a newer one."
        )
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
    return before, SCHEMA_VERSION


def _version(connection: Connection) -> str | None:
    if not connection.dialect.has_table(connection, "alembic_version"):
        return None
    version: str | None = connection.execute(
        text("SELECT version_num FROM alembic_version")
    ).scalar()
    return version
