"""The places where a restored database goes: a file that is replaced, or a PostgreSQL database."""

import asyncio
import contextlib
import fcntl
import os
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path
from typing import Any

import apsw
import asyncpg

from masthead.model.clock import now
from masthead.store.engine.citus.placement import HAS_CITUS, IS_DISTRIBUTED
from masthead.store.engine.interface import DatabaseError, is_postgres
from masthead.store.engine.moving.backup_files import copy_file, restore_dump
from masthead.store.engine.moving.errors import named_errors
from masthead.store.engine.moving.folders import (
    closed_to_others,
    finish_file,
    put_in_place,
    temporary_folder,
)
from masthead.store.engine.moving.postgres_target import MARK, find_data, only_mover
from masthead.store.engine.moving.snapshots import (
    OTHER_PROGRAM,
    POSTGRES_TABLES,
    connect_for_moving,
)
from masthead.store.engine.moving.sqlite_target import find_data_of
from masthead.store.engine.sqlite.files import INDEX, companions, is_missing, leave_marker

KEPT = ".before-restore-%Y%m%dT%H%M%S"
_HEADER = b"SQLite format 3\0"
_DAMAGED = (apsw.NotADBError, apsw.CorruptError)
_SQLITE_LOCKS = 0x40000002, 510  # the bytes of a file that SQLite locks while it is open
LEAVING_CHECKS, LEAVING_SECONDS = 20, 0.1  # for connections that were just closed
# Other programs that use the database; Citus has connections of its own
_OTHERS = """
    SELECT count(*)
    FROM pg_stat_activity
    WHERE datname = current_database()
      AND pid <> pg_backend_pid()
      AND backend_type = 'client backend'
      AND application_name NOT LIKE 'citus%'
"""
# Of tables on several nodes, Citus drops only so the ones that all nodes have, too
IN_SEQUENCE = "SET LOCAL citus.multi_shard_modify_mode = 'sequential'"
_STOP = "Stop `masthead serve` and all other programs that use it."
_MOMENTS = (
    "This database is distributed, and each node of Citus has its rows of another moment. So a "
    "backup that is made while other programs use it is not sound. Stop masthead on all machines, "
    "or back up the nodes: see “Backups of a cluster” in docs/operations.md."
)
AFTER = f"RESET search_path; {MARK};"  # the dump has emptied the search path


class FilePlace:
    """A new file, which takes the place of the one at a path when it is complete."""

    def __init__(self, path: Path, folder: Path, backup: Path) -> None:
        self._path, self._folder, self._backup = path, folder, backup
        self.url = ""

    async def fill(self, erasures: Sequence[bytes]) -> None:
        """Copy the backup next to the place. erasures: unused, as the old file stays."""
        self.url = copy_file(self._backup, self._folder)

    async def publish(self) -> str:
        """Put the new file in its place; returns where the old one is kept, if there was one."""
        new = Path(self.url.removeprefix("sqlite:///"))
        finish_file(new)
        kept = self._path.with_name(self._path.name + now().strftime(KEPT))
        with _closed_or_damaged(self._path):
            had_data = not is_missing(self._path)
            if had_data:
                _keep(self._path, kept)
            for suffix, leftover in companions(self._path).items():
                if suffix == INDEX:
                    leftover.unlink(missing_ok=True)
                elif leftover.exists():  # of a file that is damaged or missing
                    leftover.rename(f"{kept}{suffix}")
            put_in_place(new, self._path)
        leave_marker(self._path)
        return str(kept) if had_data else ""


@contextlib.contextmanager
def open_file_place(path: Path, backup: Path, *, may_replace: bool) -> Iterator[FilePlace]:
    """Prepare to restore the backup of a SQLite file. Raises: DatabaseError."""
    with (
        named_errors(f"sqlite:///{path}"),
        temporary_folder(path.with_name(f".{path.name}.restoring"), "restore") as folder,
    ):
        _require_replaceable(f"`{path}`", _find_data(path), may_replace=may_replace)
        with _closed_or_damaged(path):
            pass  # refuse before the work, not only after it
        yield FilePlace(path, folder, backup)


def _find_data(path: Path) -> str:
    """The data of a file that must not be lost; empty if there is none."""
    if is_missing(path):
        return ""
    with contextlib.suppress(*_DAMAGED):
        if looks_like_database(path):
            return find_data_of(path)
    return "damaged data"


def looks_like_database(path: Path) -> bool:
    """Whether a file begins as one of SQLite. If not, opening it would remove its log."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(_HEADER)) == _HEADER


@contextlib.contextmanager
def _closed_or_damaged(path: Path) -> Iterator[None]:
    """Hold a file that is not open elsewhere; one that is damaged, or missing, cannot be held."""
    with contextlib.ExitStack() as stack:
        if not is_missing(path):
            is_held = False
            with contextlib.suppress(*_DAMAGED):
                if looks_like_database(path):
                    stack.enter_context(closed_to_others(path))
                    is_held = True
            if not is_held:
                _require_unlocked(path)
        yield


def _require_unlocked(path: Path) -> None:
    """Raises: DatabaseError if another process has a file open that is no database any more."""
    with path.open("rb+") as file:
        try:
            start, length = _SQLITE_LOCKS
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, length, start)
        except OSError as reason:
            raise DatabaseError(f"`{path}` is in use. Stop `masthead serve`.") from reason


def _keep(path: Path, kept: Path) -> None:
    """Give a file a second name; on disks without hard links, another name."""
    try:
        os.link(path, kept)
    except OSError:
        path.rename(kept)


class ServerPlace:
    """A PostgreSQL database that gets everything in one transaction."""

    def __init__(self, url: str, connection: Any, backup: Path) -> None:
        self.url, self._connection, self._backup = url, connection, backup

    async def fill(self, erasures: Sequence[bytes]) -> None:
        """Replace all tables by those of the backup; masthead refuses them until `publish`.

        erasures: those that must be repeated, even if this process is killed before that.
        """
        tables = {table for table, *_ in await self._connection.fetch(POSTGRES_TABLES)}
        drop = f"DROP TABLE {', '.join(sorted(tables))} CASCADE;" if tables else ""
        await restore_dump(
            self._backup,
            self.url,
            before=f"SET LOCAL lock_timeout = '10s'; {IN_SEQUENCE}; {drop}",
            after="\n".join([AFTER, *map(_remember, ["[]", *map(bytes.decode, erasures)])]),
        )
        await self._connection.execute("ANALYZE")

    async def publish(self) -> str:
        """Let masthead use the database; nothing of the old one is kept."""
        await self._connection.execute("DROP TABLE unfinished_work")
        return ""


def _remember(erasures: str) -> str:
    return f"""
        INSERT INTO unfinished_work (work, started_at, erasures)
        VALUES ('restore', now(), $json${erasures}$json$);
    """  # noqa: S608 - JSON of masthead


async def find_kept_erasures(url: str) -> list[bytes]:
    """The erasures that a killed restore has left in a PostgreSQL database."""
    with named_errors(url):
        connection = await connect_for_moving(url)
        try:
            rows = await connection.fetch(
                "SELECT erasures FROM unfinished_work WHERE erasures <> '[]'"
            )
        except asyncpg.UndefinedTableError:
            return []
        finally:
            await connection.close()
        return [row["erasures"].encode() for row in rows]


@contextlib.asynccontextmanager
async def open_server_place(
    url: str, backup: Path, *, may_replace: bool
) -> AsyncIterator[ServerPlace]:
    """Prepare to restore a dump. Raises: DatabaseError."""
    with named_errors(url):
        async with only_mover(url) as connection:
            _require_replaceable(
                "The database", await find_data(connection), may_replace=may_replace
            )
            await _require_unused(connection)
            yield ServerPlace(url, connection, backup)


async def require_one_moment(url: str) -> None:
    """Raises: DatabaseError if no snapshot has all rows of one moment: on Citus, during writes."""
    if not is_postgres(url):
        return
    with named_errors(url):
        connection = await connect_for_moving(url)
        try:
            for condition in (HAS_CITUS, IS_DISTRIBUTED):
                if not await connection.fetchval(condition):
                    return
            await _require_unused(connection, _MOMENTS)
        finally:
            await connection.close()


async def count_others(connection: Any) -> int:
    """How many others are connected, and stay: PostgreSQL shows closed connections for a moment."""
    others = 0
    for _ in range(LEAVING_CHECKS):
        others = int(await connection.fetchval(_OTHERS))
        if not others:
            break
        await asyncio.sleep(LEAVING_SECONDS)
    return others


async def _require_unused(connection: Any, advice: str = _STOP) -> None:
    """Raises: DatabaseError if others are connected, unless they leave in a moment."""
    if others := await count_others(connection):
        raise DatabaseError(f"The database is in use. Other connections: {others}. {advice}")


def _require_replaceable(name: str, data: str, *, may_replace: bool) -> None:
    if data and (not may_replace or data == OTHER_PROGRAM):
        way = "Restore with `--to` elsewhere."
        if data != OTHER_PROGRAM:
            way = "`--yes` replaces that; `--to` restores elsewhere."
        raise DatabaseError(f"{name} has {data}. {way}")
