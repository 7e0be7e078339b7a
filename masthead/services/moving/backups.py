"""Backups: folders that are whole or absent, with everything that a restore needs.

A backup is a folder named by its moment, with the data (`masthead.db` or `masthead.dump`), a
`manifest.json` that says what they have, and, once it was restored beside, a `verified.json`.
`erasures.json`, beside the data and beside the backups, says who was erased, without names.
"""

import re
import shutil
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path

import msgspec
from msgspec import Struct

from masthead.model.clock import now
from masthead.model.types.json_texts import decode_json
from masthead.services.moving.digests import Digests, Progress, digest_tables, ignore_progress
from masthead.services.privacy.moved_erasures import export_erasures
from masthead.store.engine.database import SCHEMA_VERSION, find_misfit, open_database
from masthead.store.engine.interface import DatabaseError, Dialect
from masthead.store.engine.moving.backup_files import (
    POSTGRES_FILE,
    SQLITE_FILE,
    hash_file,
    write_snapshot,
)
from masthead.store.engine.moving.folders import require_folder, sync, temporary_folder, write_whole
from masthead.store.engine.moving.lines import digest_of_all
from masthead.store.engine.moving.places import require_one_moment
from masthead.store.engine.moving.snapshots import (
    oldest_user_of,
    open_snapshot,
    require_usable,
    version_of,
)
from masthead.store.engine.private_files import create_private_folder, give_like

MANIFEST, VERIFIED, ERASURES = "manifest.json", "verified.json", "erasures.json"
NAME = "%Y-%m-%dT%H%M%S.%fZ"
_NAMED = re.compile(r"\d{4}-\d\d-\d\dT\d{6}\.\d{6}Z")
_UNFINISHED, _REMOVED = ".unfinished-backup", ".removed-"


class BackupManifest(Struct, frozen=True, kw_only=True):
    """The contents of a backup. schema: the version of its tables; tables: their rows and digests.

    oldest_user: of tables that are newer than the masthead that made the backup, the
    SCHEMA_VERSION of the oldest masthead that can use them.
    """

    masthead: str
    schema: str
    oldest_user: str = ""
    engine: Dialect
    made_at: datetime
    file: str
    bytes: int
    sha256: str
    digest: str
    tables: Digests

    @property
    def rows(self) -> int:
        """The number of rows of all tables."""
        return sum(table.rows for table in self.tables.values())


class Verification(Struct, frozen=True, kw_only=True):
    """Whether a restore of a backup was compared and checked. problem: why it is not sound."""

    masthead: str
    verified_at: datetime
    is_verified: bool
    problem: str = ""


class Backup(Struct, frozen=True):
    """A backup on the disk. verification: the last one; None before the first."""

    path: Path
    manifest: BackupManifest
    verification: Verification | None

    @property
    def data(self) -> Path:
        """The file with the data."""
        return self.path / self.manifest.file

    @property
    def is_verified(self) -> bool:
        """Whether the last verification found it sound."""
        return self.verification is not None and self.verification.is_verified


async def make_backup(
    url: str, folder: Path, *, version: str, on_progress: Progress = ignore_progress
) -> Backup:
    """Write a backup of a snapshot of a database, which may be in use, into a new folder.

    version: of masthead. Raises: DatabaseError; OSError.
    """
    await require_one_moment(url)
    create_private_folder(folder)
    with temporary_folder(folder / _UNFINISHED, "backup") as aside:
        async with open_snapshot(url) as snapshot:
            await require_usable(snapshot, needs_own_version=False)
            schema = await version_of(snapshot)
            oldest_user = await oldest_user_of(snapshot, schema)
            moment = now()
            file = await write_snapshot(
                snapshot, url, aside, lambda done, total: on_progress("written", done, total)
            )
            tables = await digest_tables(snapshot, "counted", on_progress)
        erasures = await export_all_erasures(url)
        write_whole(aside / ERASURES, erasures)
        give_like(file, aside)
        sync(file)
        sha256, size = hash_file(file)
        manifest = BackupManifest(
            masthead=version,
            schema=schema,
            oldest_user=oldest_user if schema > SCHEMA_VERSION else "",
            engine=snapshot.dialect,
            made_at=moment,
            file=file.name,
            bytes=size,
            sha256=sha256,
            digest=digest_of_all(tables),
            tables=tables,
        )
        write_whole(aside / MANIFEST, msgspec.json.format(msgspec.json.encode(manifest)))
        path = folder / moment.strftime(NAME)
        aside.rename(path)
        sync(folder)
        write_whole(folder / ERASURES, erasures)
    return Backup(path, manifest, None)


async def export_all_erasures(url: str) -> bytes:
    """The erasures so far: a restore of an older backup repeats them."""
    async with open_database(url) as db:
        return await export_erasures(db)


def list_folders(folder: Path) -> list[Path]:
    """The folders of the backups in a folder, oldest first; what is not whole is none."""
    return [
        path
        for path in sorted(folder.iterdir() if folder.is_dir() else ())
        if _NAMED.fullmatch(path.name) and (path / MANIFEST).is_file()
    ]


def find_backups(folder: Path) -> list[Backup]:
    """The backups in a folder, oldest first, without those whose manifest is damaged."""
    backups = []
    for path in list_folders(folder):
        with suppress(DatabaseError):
            backups.append(read_backup(path))
    return backups


def find_backup(path: Path) -> Backup:
    """The backup at a path, or the newest one in that folder. Raises: DatabaseError."""
    require_folder(path)
    if not (path / MANIFEST).is_file():
        folders = list_folders(path)
        if not folders:
            raise DatabaseError(
                f"There is no backup in `{path}`: expected a folder with `{MANIFEST}`, or a folder "
                "of such folders. To restore a moment of an archive, give `--at`."
            )
        path = folders[-1]
    try:
        return read_backup(path)
    except DatabaseError as reason:
        raise DatabaseError(f"{reason} {name_sound_backup(path)}") from reason


def read_backup(path: Path) -> Backup:
    """The backup at a path. Raises: DatabaseError if its manifest cannot be read."""
    try:
        manifest = decode_json((path / MANIFEST).read_bytes(), BackupManifest)
    except (OSError, msgspec.DecodeError) as reason:
        raise DatabaseError(f"`{path / MANIFEST}` cannot be read: {reason}.") from reason
    if manifest.file not in (SQLITE_FILE, POSTGRES_FILE):
        raise DatabaseError(f"`{path / MANIFEST}` names a file that no backup has.")
    verification = None
    with suppress(OSError, msgspec.DecodeError):
        verification = decode_json((path / VERIFIED).read_bytes(), Verification)
    return Backup(path, manifest, verification)


def require_known_version(backup: Backup) -> None:
    """Raises: DatabaseError if a newer masthead made the backup."""
    schema, oldest_user = backup.manifest.schema, backup.manifest.oldest_user
    if schema > SCHEMA_VERSION and find_misfit(schema, oldest_user):
        raise DatabaseError(
            f"`{backup.path}` is from masthead {backup.manifest.masthead}, whose database has "
            f"version {schema}, newer than this masthead ({SCHEMA_VERSION}). "
            "Install that masthead or a newer one."
        )


def find_damage(backup: Backup) -> str:
    """The difference between the file and the manifest, as a sentence; empty if none."""
    try:
        found = hash_file(backup.data)
    except OSError as reason:
        return f"`{backup.data}` cannot be read: {reason.strerror}."
    if found == (backup.manifest.sha256, backup.manifest.bytes):
        return ""
    return f"`{backup.data}` is damaged: its SHA-256 is not the one in `{MANIFEST}`."


def find_sound_backup(damaged: Path) -> Backup | None:
    """The newest backup beside a damaged one that is verified and has its bytes, if there is one.

    It reads the whole file of that backup.
    """
    damaged = damaged.resolve()
    for each in reversed(find_backups(damaged.parent)):
        if each.path != damaged and each.is_verified and not find_damage(each):
            return each
    return None


def name_sound_backup(damaged: Path) -> str:
    """A sentence that names the newest sound backup beside a damaged one."""
    if sound := find_sound_backup(damaged):
        return f"The newest sound backup is `{sound.path}`."
    return f"No other backup in `{damaged.resolve().parent}` is known to be sound."


def list_removable(backups: Sequence[Backup], keep: int) -> list[Backup]:
    """The backups, of those from oldest to newest, that are not among the newest `keep`.

    The newest verified one is always kept, and nothing is removed before there is one.
    """
    verified = [each for each in backups if each.is_verified]
    if not verified:
        return []
    return [each for each in backups[: max(len(backups) - keep, 0)] if each is not verified[-1]]


def remove_backups(backups: Sequence[Backup]) -> None:
    """Remove backups, each as a whole. Raises: OSError."""
    for backup in backups:
        removed = backup.path.with_name(_REMOVED + backup.path.name)
        backup.path.rename(removed)
        shutil.rmtree(removed)


def remove_leftovers(folder: Path) -> None:
    """Remove what a killed `remove_backups` left."""
    for path in folder.glob(f"{_REMOVED}*"):
        shutil.rmtree(path)
