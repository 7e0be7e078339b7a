"""Migrate a database to the newest schema; used by `masthead migrate`. See decision 0060.

A migration is a module of SQL texts: `STATEMENTS` for every database, and then `SQLITE` or
`POSTGRES`, if it has them. `TRIGRAMS` come last, on PostgreSQL; they are left out if it has no
pg_trgm.

A migration only adds, so that an older masthead can still use the database, or it only removes what
no longer has users. It names its `oldest_user`: the SCHEMA_VERSION of the oldest masthead that can
use the schema afterwards. See decision 0053.
"""

import asyncio
from contextlib import closing, suppress
from functools import partial
from importlib import import_module
from itertools import takewhile
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType
from typing import Any

import apsw
import asyncpg
from asyncpg.connect_utils import SessionAttribute

from masthead.store.engine.citus.ddl import distributed_form
from masthead.store.engine.citus.placement import HAS_CITUS, IS_DISTRIBUTED
from masthead.store.engine.database import NEEDED_VERSION, OLDEST_USER, find_misfit
from masthead.store.engine.interface import (
    DatabaseError,
    invalid_url_error,
    is_postgres,
    sqlite_path,
)
from masthead.store.engine.migrations import versions
from masthead.store.engine.postgres import migration_locks
from masthead.store.engine.postgres.migration_locks import PATIENCE, Tell, Versions, Watch
from masthead.store.engine.postgres.session import REFUSALS
from masthead.store.engine.sqlite.connection import open_file
from masthead.store.engine.sqlite.files import create_file, leave_marker
from masthead.store.engine.sqlite.statistics import write_statistics
from masthead.store.engine.sqlite.writer import BEGIN_WRITE

_FIRST_SHARED = "0018"  # every masthead before it refuses a newer schema
_LOCK_ID = 7_426_873  # any number, the same in all processes: one migration at a time
_VERSION_TABLE = """
    CREATE TABLE IF NOT EXISTS alembic_version (
        version_num VARCHAR(32) NOT NULL,
        CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
    )
"""
# The server has no pg_trgm, or the role may not install it
_NO_TRIGRAMS = (
    asyncpg.FeatureNotSupportedError,
    asyncpg.InsufficientPrivilegeError,
    asyncpg.UndefinedFileError,
    asyncpg.UndefinedObjectError,
)


def list_migrations() -> dict[str, ModuleType]:
    """All migrations by their versions, oldest first."""
    names = sorted(found.name for found in iter_modules(versions.__path__))
    return {name[:4]: import_module(f"{versions.__name__}.{name}") for name in names}


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
    except (apsw.Error, *REFUSALS) as reason:
        raise DatabaseError(f"The database cannot be migrated: {reason}") from reason


def _migrate_sqlite(path: Path, *, may_remove: bool) -> Versions:
    create_file(path)
    with closing(open_file(path, read_only=False)) as connection:
        connection.pragma("foreign_keys", "OFF")  # so that a migration can recreate a table
        connection.execute(BEGIN_WRITE)
        before, oldest_user = _sqlite_versions(connection)
        after = _choose_version(before, oldest_user, may_remove=may_remove)
        for step in _steps(before, after):
            for statement in (*step.STATEMENTS, *getattr(step, "SQLITE", ())):
                connection.execute(statement).fetchall()
        for statement in _version_sql(before, after):
            connection.execute(statement)
        write_statistics(connection)
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
        oldest_user = connection.execute(OLDEST_USER, {"version": version}).get
    return version, oldest_user


def _choose_version(before: str | None, oldest_user: str | None, *, may_remove: bool) -> str:
    """The version to migrate to. oldest_user: of the schema as it is. Raises: DatabaseError."""
    known = list_migrations()
    if before is not None and before not in known:
        if misfit := find_misfit(before, oldest_user):
            raise DatabaseError(misfit)
        return before
    missing = [version for version in known if before is None or version > before]
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


def _steps(before: str | None, after: str) -> list[ModuleType]:
    """The migrations to run, oldest first."""
    found = list_migrations().items()
    return [step for version, step in found if (before or "") < version <= after]


def _oldest_user(version: str) -> str:
    """The oldest masthead that can use a version of the schema; itself, if it does not say."""
    return str(getattr(list_migrations()[version], "oldest_user", version))


def _version_sql(before: str | None, after: str) -> list[str]:
    """What says in the database which version it has, and who can use it."""
    if before == after:
        return []
    rows = {"alembic_version": f"('{after}')"}
    if after >= _FIRST_SHARED:
        rows["schema_support"] = f"('{after}', '{_oldest_user(after)}')"
    changes = [
        sql
        for table, row in rows.items()
        for sql in (f"DELETE FROM {table}", f"INSERT INTO {table} VALUES {row}")  # noqa: S608 - ours
    ]
    return [_VERSION_TABLE, *changes]


async def _migrate_postgres(url: str, *, may_remove: bool, patience: float, tell: Tell) -> Versions:
    # asyncpg parses the URL, as it does for `serve`, including options such as `sslmode`
    connect = partial(
        asyncpg.connect, url, timeout=10, target_session_attrs=SessionAttribute.primary
    )

    async def attempt(watch: Watch) -> Versions:
        connection = await connect()
        try:
            async with connection.transaction():
                await connection.execute(f"SELECT pg_advisory_xact_lock({_LOCK_ID})")
                await connection.execute(migration_locks.limit_waiting())
                async with watch.looking_at(connection.get_server_pid()):
                    return await _upgrade(connection, may_remove=may_remove)
        finally:
            await connection.close()

    return await migration_locks.repeat(attempt, connect, patience=patience, tell=tell)


async def _upgrade(connection: Any, *, may_remove: bool) -> Versions:
    before, oldest_user = await _postgres_versions(connection)
    after = _choose_version(before, oldest_user, may_remove=may_remove)
    is_distributed = await connection.fetchval(HAS_CITUS) and await connection.fetchval(
        IS_DISTRIBUTED
    )
    if is_distributed:
        # after a statement for all nodes, Citus changes a reference table only in this mode
        await connection.execute("SET LOCAL citus.multi_shard_modify_mode = 'sequential'")
    for step in _steps(before, after):
        for statement in (*step.STATEMENTS, *getattr(step, "POSTGRES", ())):
            for each in distributed_form(statement) if is_distributed else [statement]:
                await connection.execute(each)
        with suppress(*_NO_TRIGRAMS):
            async with connection.transaction():
                for statement in getattr(step, "TRIGRAMS", ()):
                    await connection.execute(statement)
    for statement in _version_sql(before, after):
        await connection.execute(statement)
    return before, after


async def _postgres_versions(connection: Any) -> tuple[str | None, str | None]:
    """The version of the schema, and its oldest user."""
    version = oldest_user = None
    exists = "SELECT to_regclass($1) IS NOT NULL"
    if await connection.fetchval(exists, "alembic_version"):
        version = await connection.fetchval("SELECT version_num FROM alembic_version")
    if await connection.fetchval(exists, "schema_support"):
        oldest_user = await connection.fetchval(OLDEST_USER.replace(":version", "$1"), version)
    return version, oldest_user
