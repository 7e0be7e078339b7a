"""Migrate a database to the newest schema with Alembic; used by `masthead migrate`.

Alembic runs the migrations on PostgreSQL. For SQLite it renders them as SQL, which runs on
masthead's own connection: SQLAlchemy has no dialect for that driver.

A migration only adds, so that an older masthead can still use the database, or it only removes what
no longer has users. It names its `oldest_user`: the SCHEMA_VERSION of the oldest masthead that can
use the schema afterwards. See decision 0053.
"""

import asyncio
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from io import StringIO
from itertools import takewhile
from pathlib import Path
from typing import Any

import apsw
import asyncpg
from alembic import command
from alembic.config import Config
from alembic.script import Script, ScriptDirectory
from asyncpg.connect_utils import SessionAttribute
from sqlalchemy import Connection, NullPool, event, text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import create_async_engine

from masthead.store.engine.citus.ddl import distributed_form
from masthead.store.engine.citus.placement import HAS_CITUS, IS_DISTRIBUTED
from masthead.store.engine.database import NEEDED_VERSION, OLDEST_USER, find_misfit
from masthead.store.engine.interface import (
    DatabaseError,
    invalid_url_error,
    is_postgres,
    sqlite_path,
)
from masthead.store.engine.postgres import migration_locks
from masthead.store.engine.postgres.migration_locks import PATIENCE, Tell, Versions, Watch
from masthead.store.engine.postgres.session import REFUSALS
from masthead.store.engine.sqlite.connection import open_file
from masthead.store.engine.sqlite.files import create_file, leave_marker
from masthead.store.engine.sqlite.writer import BEGIN_WRITE

_FIRST_SHARED = "0018"  # every masthead before it refuses a newer schema
_LOCK_ID = 7_426_873  # any number, the same in all processes: one migration at a time


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    return config


def newest_version() -> str:
    """The version of the newest migration."""
    return ScriptDirectory.from_config(_config()).get_current_head() or ""


def migrate(
    url: str,
    *,
    may_remove: bool = False,
    patience: float = PATIENCE,
    tell: Tell = lambda _sentence: None,
) -> Versions:
    """Run the missing migrations in one transaction; returns the versions before and after.

    may_remove: also what an older masthead that uses the database now cannot do without.
    patience: seconds after which it gives up if others block tables, on PostgreSQL; tell: gets a
    sentence each time that it has to try again.
    Raises: DatabaseError if the database is too new for this masthead, cannot be reached, or has
    tables that others block.
    """
    try:
        if is_postgres(url):
            work = _migrate_postgres(url, may_remove=may_remove, patience=patience, tell=tell)
            return asyncio.run(work)
        return _migrate_sqlite(sqlite_path(url), may_remove=may_remove)
    except ValueError:  # its text quotes parts of the URL, which may be the password
        raise invalid_url_error() from None
    except (apsw.Error, SQLAlchemyError, *REFUSALS) as reason:
        message = getattr(reason, "orig", None) or reason  # without links added by SQLAlchemy
        raise DatabaseError(f"The database cannot be migrated: {message}") from reason


def _migrate_sqlite(path: Path, *, may_remove: bool) -> Versions:
    create_file(path)
    with closing(open_file(path, read_only=False)) as connection:
        connection.pragma("foreign_keys", "OFF")  # so that a migration can recreate a table
        connection.execute(BEGIN_WRITE)
        before, oldest_user = _sqlite_versions(connection)
        after = _choose_version(before, oldest_user, may_remove=may_remove)
        if after != before:
            sql = _migration_sql(before, after) + ";".join(_support_sql(after))
            connection.execute(sql).fetchall()  # run all statements
        connection.execute("COMMIT")
    leave_marker(path)
    return before, after


def _sqlite_versions(connection: apsw.Connection) -> tuple[str | None, str | None]:
    """The version of the schema, and its oldest user."""
    version = oldest_user = None
    tables = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
    if ("alembic_version",) in tables:
        version = connection.execute("SELECT version_num FROM alembic_version").get
    if ("schema_support",) in tables:
        oldest_user = connection.execute(OLDEST_USER.replace(":version", "?"), (version,)).get
    return version, oldest_user


def _migration_sql(before: str | None, after: str) -> str:
    """The SQL of some migrations for SQLite."""
    config = _config()
    config.output_buffer = StringIO()
    command.upgrade(config, f"{before}:{after}" if before else after, sql=True)
    return config.output_buffer.getvalue()


def _choose_version(before: str | None, oldest_user: str | None, *, may_remove: bool) -> str:
    """The version to migrate to. oldest_user: of the schema as it is. Raises: DatabaseError."""
    steps = sorted(_scripts(), key=lambda step: step.revision)
    if before is not None and before not in {step.revision for step in steps}:
        if misfit := find_misfit(before, oldest_user):
            raise DatabaseError(misfit)
        return before
    missing = [step.revision for step in steps if before is None or step.revision > before]
    if before is None or before < _FIRST_SHARED or may_remove:
        return missing[-1] if missing else before or ""
    adding = list(takewhile(lambda each: _oldest_user(each) <= _oldest_user(before), missing))
    after = adding[-1] if adding else before
    if after < NEEDED_VERSION:
        removing = missing[len(adding)]
        raise DatabaseError(
            f"The database has version {before}, and version {removing} removes what this one has: "
            "an older masthead would fail. Stop it, and run `masthead migrate --remove`."
        )
    return after


def _scripts() -> Iterator[Script]:
    return ScriptDirectory.from_config(_config()).walk_revisions()


def _oldest_user(version: str) -> str:
    """The oldest masthead that can use a version of the schema; itself, if it does not say."""
    step = ScriptDirectory.from_config(_config()).get_revision(version)
    return str(getattr(step.module, "oldest_user", version))


def _support_sql(version: str) -> list[str]:
    """The statements that store which versions can use the database."""
    if version < _FIRST_SHARED:
        return []
    row = f"('{version}', '{_oldest_user(version)}')"
    return ["DELETE FROM schema_support", f"INSERT INTO schema_support VALUES {row}"]  # noqa: S608 - our own


async def _migrate_postgres(url: str, *, may_remove: bool, patience: float, tell: Tell) -> Versions:
    # asyncpg parses the URL, as it does for `serve`, including options such as `sslmode`
    connect = partial(
        asyncpg.connect, url, timeout=10, target_session_attrs=SessionAttribute.primary
    )
    engine = create_async_engine("postgresql+asyncpg://", async_creator=connect, poolclass=NullPool)

    async def attempt(watch: Watch) -> Versions:
        async with engine.begin() as connection:
            await connection.execute(text(f"SELECT pg_advisory_xact_lock({_LOCK_ID})"))
            await connection.execute(text(migration_locks.limit_waiting()))
            pid = await connection.scalar(text("SELECT pg_backend_pid()"))
            async with watch.looking_at(pid):
                return await connection.run_sync(_upgrade, may_remove)

    try:
        return await migration_locks.repeat(attempt, connect, patience=patience, tell=tell)
    finally:
        await engine.dispose()


def _upgrade(connection: Connection, may_remove: bool) -> Versions:
    before, oldest_user = _postgres_versions(connection)
    after = _choose_version(before, oldest_user, may_remove=may_remove)
    if after == before:
        return before, after
    _distribute_new_tables(connection)
    config = _config()
    config.attributes["connection"] = connection
    command.upgrade(config, after)
    for statement in _support_sql(after):
        connection.exec_driver_sql(statement)
    return before, after


def _distribute_new_tables(connection: Connection) -> None:  # pragma: no cover - in a greenlet
    """Let the migrations create each table where it belongs, if Citus distributes the others."""
    if not (connection.scalar(text(HAS_CITUS)) and connection.scalar(text(IS_DISTRIBUTED))):
        return
    # after a statement for all nodes, Citus changes a reference table only in this mode
    connection.exec_driver_sql("SET LOCAL citus.multi_shard_modify_mode = 'sequential'")
    rest: list[str] = []

    @event.listens_for(connection, "before_cursor_execute", retval=True)
    def replace(
        _connection: Connection, _cursor: Any, statement: str, parameters: Any, *_rest: Any
    ) -> tuple[str, Any]:
        first, *others = distributed_form(statement)
        rest.extend(others)
        return first, parameters

    @event.listens_for(connection, "after_cursor_execute")
    def complete(*_arguments: Any) -> None:
        while rest:
            connection.exec_driver_sql(rest.pop(0))


def _postgres_versions(connection: Connection) -> tuple[str | None, str | None]:
    """The version of the schema, and its oldest user."""
    version = oldest_user = None
    if connection.dialect.has_table(connection, "alembic_version"):
        version = connection.scalar(text("SELECT version_num FROM alembic_version"))
    if connection.dialect.has_table(connection, "schema_support"):
        oldest_user = connection.scalar(text(OLDEST_USER), {"version": version})
    return version, oldest_user
