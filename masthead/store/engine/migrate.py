"""Migrate a database to the newest schema with Alembic; used by `masthead migrate`.

Alembic runs the migrations on PostgreSQL. For SQLite it renders them as SQL, which runs on
masthead's own connection: SQLAlchemy has no dialect for that driver.
"""

import asyncio
from contextlib import closing
from functools import partial
from io import StringIO
from pathlib import Path

import apsw
import asyncpg
from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from asyncpg.connect_utils import SessionAttribute
from sqlalchemy import Connection, NullPool, text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import create_async_engine

from masthead.store.engine.database import SCHEMA_VERSION
from masthead.store.engine.interface import (
    DatabaseError,
    invalid_url_error,
    is_postgres,
    sqlite_path,
)
from masthead.store.engine.postgres.session import REFUSALS
from masthead.store.engine.sqlite.connection import open_file
from masthead.store.engine.sqlite.files import create_file, leave_marker
from masthead.store.engine.sqlite.writer import BEGIN_WRITE

_LOCK_ID = 7_426_873  # any number, the same in all processes: one migration at a time


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    return config


def newest_version() -> str:
    """The version of the newest migration."""
    return ScriptDirectory.from_config(_config()).get_current_head() or ""


def migrate(url: str) -> tuple[str | None, str]:
    """Run the missing migrations in one transaction; returns the versions before and after.

    Raises: DatabaseError if the database is newer than this masthead, or cannot be reached.
    """
    try:
        if is_postgres(url):
            return asyncio.run(_migrate_postgres(url))
        return _migrate_sqlite(sqlite_path(url))
    except ValueError:  # its text quotes parts of the URL, which may be the password
        raise invalid_url_error() from None
    except (apsw.Error, SQLAlchemyError, *REFUSALS) as reason:
        message = getattr(reason, "orig", None) or reason  # without links added by SQLAlchemy
        raise DatabaseError(f"The database cannot be migrated: {message}") from reason


def _migrate_sqlite(path: Path) -> tuple[str | None, str]:
    create_file(path)
    with closing(open_file(path, read_only=False)) as connection:
        connection.pragma("foreign_keys", "OFF")  # so that a migration can recreate a table
        connection.execute(BEGIN_WRITE)
        before = _sqlite_version(connection)
        _require_known(before)
        connection.execute(_migration_sql(before)).fetchall()  # run all statements
        connection.execute("COMMIT")
    leave_marker(path)
    return before, SCHEMA_VERSION


def _sqlite_version(connection: apsw.Connection) -> str | None:
    sql = "SELECT 1 FROM sqlite_master WHERE name = 'alembic_version'"
    if connection.execute(sql).get is None:
        return None
    version: str | None = connection.execute("SELECT version_num FROM alembic_version").get
    return version


def _migration_sql(version: str | None) -> str:
    """The SQL of the missing migrations for SQLite."""
    config = _config()
    config.output_buffer = StringIO()
    command.upgrade(config, f"{version}:head" if version else "head", sql=True)
    return config.output_buffer.getvalue()


async def _migrate_postgres(url: str) -> tuple[str | None, str]:
    # asyncpg parses the URL, as it does for `serve`, including options such as `sslmode`
    connect = partial(
        asyncpg.connect, url, timeout=10, target_session_attrs=SessionAttribute.primary
    )
    engine = create_async_engine("postgresql+asyncpg://", async_creator=connect, poolclass=NullPool)
    try:
        async with engine.begin() as connection:
            await connection.execute(text(f"SELECT pg_advisory_xact_lock({_LOCK_ID})"))
            return await connection.run_sync(_upgrade)
    finally:
        await engine.dispose()


def _upgrade(connection: Connection) -> tuple[str | None, str]:
    before = _version(connection)
    _require_known(before)
    config = _config()
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
    return before, SCHEMA_VERSION


def _require_known(version: str | None) -> None:
    known = {step.revision for step in ScriptDirectory.from_config(_config()).walk_revisions()}
    if version is not None and version not in known:
        raise DatabaseError(
            f"The database has version {version}, newer than this masthead ({SCHEMA_VERSION}). "
            "Install the masthead version that last used it, or a newer one."
        )


def _version(connection: Connection) -> str | None:
    if not connection.dialect.has_table(connection, "alembic_version"):
        return None
    version: str | None = connection.execute(
        text("SELECT version_num FROM alembic_version")
    ).scalar()
    return version
