"""Write a snapshot of a database into a file, and restore such a file aside."""

import contextlib
import hashlib
import os
import secrets
import shutil
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import apsw
import asyncpg

from masthead.store.engine.interface import DatabaseError, is_postgres
from masthead.store.engine.moving import postgres_tools
from masthead.store.engine.moving.errors import named_errors
from masthead.store.engine.moving.programs import completed
from masthead.store.engine.moving.snapshots import (
    PostgresSnapshot,
    Snapshot,
    SQLiteSnapshot,
    connect_for_moving,
)
from masthead.store.engine.private_files import create_private

SQLITE_FILE, POSTGRES_FILE = "masthead.db", "masthead.dump"
PAGES = 2_000  # that are copied together
BLOCK = 2**20
CLOSE_SECONDS = 10.0  # for a connection to PostgreSQL
OnBytes = Callable[[int, int], None]  # how many of how many bytes are done; total 0 if unknown


async def write_snapshot(snapshot: Snapshot, url: str, folder: Path, on_bytes: OnBytes) -> Path:
    """Write a file with everything that a snapshot has. Raises: DatabaseError."""
    with named_errors(url if is_postgres(url) else f"sqlite:///{folder / SQLITE_FILE}", folder):
        if isinstance(snapshot, PostgresSnapshot):
            return await _dump(snapshot, url, folder / POSTGRES_FILE, on_bytes)
        assert isinstance(snapshot, SQLiteSnapshot)
        file = folder / SQLITE_FILE
        os.close(create_private(file))
        copy_pages(snapshot.connection, file, on_bytes)
        return file


def copy_pages(source: apsw.Connection, file: Path, on_bytes: OnBytes) -> None:
    """Copy all pages of a connection that holds a snapshot.

    Without one, each write of another process would start the copy again.
    """
    assert source.in_transaction
    page = source.pragma("page_size")
    assert isinstance(page, int)
    with contextlib.closing(apsw.Connection(str(file))) as target:
        target.pragma("synchronous", "OFF")  # it is synced as a whole
        with target.backup("main", source, "main") as copying:
            while not copying.done:
                copying.step(PAGES)
                total = copying.page_count
                on_bytes((total - copying.remaining) * page, total * page)


async def _dump(snapshot: PostgresSnapshot, url: str, path: Path, on_bytes: OnBytes) -> Path:
    id, major = (
        await snapshot.select(
            "SELECT pg_export_snapshot(), current_setting('server_version_num')::int / 10000"
        )
    )[0]
    with os.fdopen(create_private(path), "wb") as file:

        def write(chunk: bytes) -> None:
            file.write(chunk)
            on_bytes(file.tell(), 0)

        await postgres_tools.dump(url, major, id, write)
    return path


def hash_file(path: Path) -> tuple[str, int]:
    """The SHA-256 and the size of a file, which are read from the disk."""
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256")
        return digest.hexdigest(), file.tell()


def copy_file(file: Path, folder: Path) -> str:
    """Copy a SQLite file into a folder; returns the URL of the copy. Raises: OSError."""
    path = folder / SQLITE_FILE
    with file.open("rb") as source, os.fdopen(create_private(path), "wb") as copy:
        shutil.copyfileobj(source, copy, BLOCK)
    return f"sqlite:///{path.absolute()}"


def url_of_database(url: str, name: str) -> str:
    """The URL of another database on the same server."""
    parts = urlsplit(url)
    options = [
        (option, value)
        for option, value in parse_qsl(parts.query, keep_blank_values=True)
        if option not in ("dbname", "database")
    ]
    return parts._replace(path=f"/{name}", query=urlencode(options)).geturl()


@contextlib.asynccontextmanager
async def temporary_database(url: str) -> AsyncIterator[str]:
    """The URL of a new database on the server of a URL; it is dropped after the block.

    Those that a killed process left there are dropped first. Raises: DatabaseError.
    """
    with named_errors(url):
        async with _connected(url) as connection:
            own = await connection.fetchval("SELECT left(current_database(), 40)")
            await _drop_left(connection, own)
        name = f"{own}_verify_{secrets.token_hex(4)}"
        there = url_of_database(url, name)
        try:
            await _create_database(url, name)
            async with _connected(there):  # so that no other process drops it
                yield there
        finally:
            await completed(_drop_database(url, name))


@contextlib.asynccontextmanager
async def _connected(url: str) -> AsyncIterator[Any]:
    """A connection for the block; a statement that is cancelled has ended after it."""
    connection = await connect_for_moving(url)
    try:
        yield connection
    finally:
        await connection.close(timeout=CLOSE_SECONDS)


async def _create_database(url: str, name: str) -> None:
    async with _connected(url) as connection:
        try:
            await connection.execute(f'CREATE DATABASE "{name}" TEMPLATE template0 ENCODING UTF8')
        except asyncpg.InsufficientPrivilegeError as reason:
            raise DatabaseError(
                "The backup cannot be restored beside: the role may not create databases. Run "
                "`ALTER ROLE … CREATEDB` as an administrator, or restore it into an empty "
                "database with `masthead restore --to`."
            ) from reason


async def _drop_database(url: str, name: str) -> None:
    """Drop a database, by a new connection: the server may have ended an idle one."""
    async with _connected(url) as connection:
        await connection.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')


async def _drop_left(connection: Any, own: str) -> None:
    """Drop the databases of killed processes, which have no connections."""
    left = await connection.fetch(
        """
        SELECT datname
        FROM pg_database d
        WHERE datname ~ $1
            AND pg_has_role(datdba, 'USAGE')
            AND NOT EXISTS (SELECT FROM pg_stat_activity a WHERE a.datid = d.oid)
        """,
        f"^{own}_verify_[0-9a-f]{{8}}$",
    )
    for (name,) in left:
        await connection.execute(f'DROP DATABASE IF EXISTS "{name}"')


async def restore_dump(file: Path, url: str, *, before: str = "", after: str = "") -> None:
    """Run a dump in one transaction, between two statements. Raises: DatabaseError."""
    with named_errors(url):
        async with _connected(url) as connection:
            version = await connection.fetchval("SHOW server_version_num")
        await postgres_tools.restore(file, url, int(version) // 10_000, before=before, after=after)
