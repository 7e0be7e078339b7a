"""Restore a backup into a scratch database, compare it with its manifest, and check it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import msgspec

from masthead.model.clock import now
from masthead.model.errors import Unavailable
from masthead.services.moving.backups import (
    VERIFIED,
    Backup,
    Verification,
    find_damage,
    find_sound_backup,
    require_known_version,
)
from masthead.services.moving.digests import (
    Progress,
    digest_tables,
    find_broken_rule,
    find_difference,
    ignore_progress,
)
from masthead.store.background.monitoring import (
    delete_verified_backup,
    write_failed_backup,
    write_verified_backup,
)
from masthead.store.engine.database import SCHEMA_VERSION, open_database
from masthead.store.engine.interface import (
    DatabaseError,
    MissingTable,
    Transaction,
    Work,
    is_postgres,
)
from masthead.store.engine.moving.backup_files import copy_file, restore_dump, temporary_database
from masthead.store.engine.moving.errors import named_errors
from masthead.store.engine.moving.folders import temporary_folder, write_whole
from masthead.store.engine.moving.snapshots import open_snapshot
from masthead.store.engine.moving.targets import Migrate

_BESIDE = ".restored-beside"


async def verify_backup(
    backup: Backup,
    url: str,
    *,
    migrate: Migrate,
    version: str,
    on_progress: Progress = ignore_progress,
) -> Verification:
    """Restore a backup into a scratch database, and store next to the backup whether it is sound.

    url: of the database, which says where PostgreSQL runs. migrate: upgrades the tables of an
    older backup. Raises: DatabaseError if it cannot be restored at all.
    """
    problem = await _find_problem(backup, url, migrate, on_progress)
    found = Verification(
        masthead=version, verified_at=now(), is_verified=not problem, problem=problem
    )
    write_whole(backup.path / VERIFIED, msgspec.json.format(msgspec.json.encode(found)))
    return found


async def note_verification(backup: Backup, url: str) -> bool:
    """Store in the database which backup of it is sound, for monitoring; whether that worked.

    If this one is not, it is the newest sound one beside it. The user of the database may be
    allowed to read only, and a replica accepts no writes.
    """
    sound = backup if backup.is_verified else find_sound_backup(backup.path)

    async def work(tx: Transaction) -> None:
        if not backup.is_verified:
            await delete_verified_backup(tx, backup.manifest.made_at)
            await write_failed_backup(tx, now())
        if sound is not None:
            await write_verified_backup(tx, sound.manifest.made_at)

    return await _note(url, work)


async def note_failed_backup(url: str) -> bool:
    """Store in the database that a backup failed, for monitoring; whether that worked."""
    return await _note(url, lambda tx: write_failed_backup(tx, now()))


async def _note(url: str, work: Work[None]) -> bool:
    """Whether the database can be written to, and has been."""
    try:
        async with open_database(url) as db:
            await db.write(work)
    except (DatabaseError, MissingTable, Unavailable):
        return False
    return True


async def _find_problem(backup: Backup, url: str, migrate: Migrate, on_progress: Progress) -> str:
    """Why a backup is not sound, as a sentence; empty if it is."""
    require_known_version(backup)
    if damage := find_damage(backup):
        return damage
    async with _restored_beside(backup, url, on_progress) as (there, problem):
        if problem:
            return problem
        async with open_snapshot(there) as copy:
            found = await digest_tables(copy, "compared", on_progress)
        if difference := find_difference(found, backup.manifest.tables):
            return f"The restored database differs from the backup: {difference}."
        if backup.manifest.schema != SCHEMA_VERSION:
            await asyncio.to_thread(migrate, there)
        on_progress("checked", 0, 1)
        if rule := await find_broken_rule(there):
            return f"The restored database breaks a rule of `masthead check`: {rule}."
    return ""


@asynccontextmanager
async def _restored_beside(
    backup: Backup, url: str, on_progress: Progress
) -> AsyncIterator[tuple[str, str]]:
    """The URL of a temporary database with a backup, or why it cannot be restored."""
    on_progress("restored", 0, 1)
    if backup.manifest.engine == "sqlite":
        aside = backup.path.parent / _BESIDE
        with (
            named_errors(f"sqlite:///{aside}"),
            temporary_folder(aside, "verification") as folder,
        ):
            yield copy_file(backup.data, folder), ""
        return
    if not is_postgres(url):
        raise DatabaseError(
            f"`{backup.path}` is a backup of PostgreSQL. `MASTHEAD_DATABASE_URL` must name a "
            "database on a server where it can be restored beside."
        )
    async with temporary_database(url) as there:
        try:
            await restore_dump(backup.data, there)
        except DatabaseError as reason:
            yield there, str(reason)
        else:
            yield there, ""
