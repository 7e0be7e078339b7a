"""Restore the database of any moment, from an archive of its log."""

import os
import shutil
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from datetime import datetime
from pathlib import Path

from msgspec import structs

from masthead.model.actors import Actor
from masthead.services.moving.backups import ERASURES, export_all_erasures, make_backup
from masthead.services.moving.digests import Progress, ignore_progress
from masthead.services.moving.restores import (
    Restored,
    require_engine,
    require_place,
    restore_backup,
)
from masthead.store.engine.interface import is_postgres, sqlite_path
from masthead.store.engine.moving.backup_files import SQLITE_FILE
from masthead.store.engine.moving.base_backups import (
    BASE,
    BaseBackup,
    make_base_backup as copy_server,
)
from masthead.store.engine.moving.errors import named_errors
from masthead.store.engine.moving.folders import require_folder, temporary_folder, write_whole
from masthead.store.engine.moving.litestream import FILES, restore_moment as restore_litestream
from masthead.store.engine.moving.recovery import open_recovered
from masthead.store.engine.moving.targets import Migrate


async def make_base_backup(url: str, archive: Path) -> tuple[Path, BaseBackup]:
    """Copy all files of the PostgreSQL server of a URL into an archive; the folder, and its data.

    The archive also gets who was erased, for restores. Raises: DatabaseError; OSError.
    """
    require_engine("postgres", url, "Base backups are")
    made = await copy_server(url, archive)
    write_whole(archive / ERASURES, await export_all_erasures(url))
    return made


async def restore_moment(
    archive: str,
    at: datetime,
    url: str,
    *,
    version: str,
    may_replace: bool,
    migrate: Migrate,
    placeholder_domain: str,
    by: Actor,
    live_url: str = "",
    on_progress: Progress = ignore_progress,
) -> Restored:
    """Restore the database of a moment into that of a URL, which must not be in use.

    It then has everything that was committed before the moment; with Litestream, it may have what
    was committed until the moment of the result, too. archive: of PostgreSQL, with base backups; or
    what Litestream has written, in a folder or at a URL. A temporary database is recovered up to
    the moment and backed up, and that backup is restored like any other.
    Raises: DatabaseError, before anything is replaced if the moment is not in the archive; else as
    `restore_backup`.
    """
    place, is_of_server = _find_archive(archive, url)
    require_engine("postgres" if is_of_server else "sqlite", url, f"`{archive}` is an archive")
    await require_place(url, may_replace=may_replace)
    on_progress("recovered", 0, 1)
    opened: AbstractAsyncContextManager[tuple[str, datetime, Path]]
    opened = _open_server(Path(place), at) if is_of_server else _open_file(place, at, url)
    async with opened as (there, moment, folder):
        backup = await make_backup(there, folder, version=version, on_progress=on_progress)
        with suppress(FileNotFoundError):  # of who was erased after that moment
            shutil.copyfile(Path(place) / ERASURES, folder / ERASURES)
        restored = await restore_backup(
            structs.replace(backup, manifest=structs.replace(backup.manifest, made_at=moment)),
            url,
            may_replace=may_replace,
            migrate=migrate,
            placeholder_domain=placeholder_domain,
            by=by,
            live_url=live_url,
            on_progress=on_progress,
        )
    return structs.replace(restored, backup=archive)


def _find_archive(archive: str, url: str) -> tuple[str, bool]:
    """The absolute path or the URL of an archive, and whether it is of PostgreSQL.

    A folder with neither kind is taken for the kind of the database of a URL.
    Raises: DatabaseError if there is no folder.
    """
    if "://" in archive:
        return archive, False
    folder = Path(os.path.abspath(archive))
    require_folder(folder)
    is_of_litestream = (folder / FILES).is_dir()
    return str(folder), (folder / BASE).is_dir() or (is_postgres(url) and not is_of_litestream)


@asynccontextmanager
async def _open_server(archive: Path, at: datetime) -> AsyncIterator[tuple[str, datetime, Path]]:
    """The URL of the database at a moment, that moment, and a folder for its backup."""
    with (
        temporary_folder(archive / ".recovering", "recovery") as server,
        temporary_folder(archive / ".recovered", "recovery") as folder,
    ):
        async with open_recovered(archive, at, server) as there:
            yield there, at, folder


@asynccontextmanager
async def _open_file(
    replica: str, at: datetime, url: str
) -> AsyncIterator[tuple[str, datetime, Path]]:
    """As `_open_server`, for SQLite: the folder is next to the file of a URL."""
    path = sqlite_path(url)
    with (
        named_errors(url),
        temporary_folder(path.with_name(f".{path.name}.recovering"), "recovery") as folder,
    ):
        file = folder.absolute() / SQLITE_FILE
        moment = await restore_litestream(replica, at, file)
        yield f"sqlite:///{file}", moment, folder
