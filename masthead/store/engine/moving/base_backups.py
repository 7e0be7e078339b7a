"""Base backups of a PostgreSQL server, beside the archive of its log.

An archive is a folder. Each folder in `base` has the files of a whole server (`base.tar.gz`), and
`base.json` that says what they need. The server itself copies the segments of its log to `wal`, as
its `archive_command` says.
"""

import os
import re
import shutil
import tarfile
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from masthead.model.types.json_texts import decode_json
from masthead.store.engine.interface import DatabaseError
from masthead.store.engine.moving.backup_files import hash_file
from masthead.store.engine.moving.errors import named_errors
from masthead.store.engine.moving.folders import sync, temporary_folder, write_whole
from masthead.store.engine.moving.postgres_tools import stream_base_backup
from masthead.store.engine.moving.snapshots import connect_for_moving
from masthead.store.engine.private_files import create_private, create_private_folder

BASE, LOG = "base", "wal"  # the folders of an archive
DATA, ABOUT = "base.tar.gz", "base.json"
NAME = "%Y-%m-%dT%H%M%S.%fZ"
_SEGMENT = re.compile(r"[0-9A-F]{24}")  # a file of the log: its timeline, and its place in it
_START = re.compile(rb"START WAL LOCATION: \S+ \(file ([0-9A-F]{24})\)")
_SERVER = """
    SELECT
        current_setting('server_version_num')::int / 10000 AS major,
        (SELECT setting::bigint FROM pg_settings WHERE name = 'wal_segment_size') AS segment_bytes,
        current_database() AS database,
        current_user AS role,
        current_setting('archive_mode') <> 'off' AS is_archiving,
        (
            SELECT last_failed_wal
            FROM pg_stat_archiver
            WHERE last_failed_time > coalesce(last_archived_time, '-infinity')
        ) AS failed
"""
_OFF = (
    "The server does not archive its log: `archive_mode` is off. See “Any moment, on PostgreSQL” "
    "in docs/operations.md."
)
_FAILED = (
    "The server cannot archive its log: its `archive_command` failed for `{failed}`. The log of "
    "the server says why."
)
_ELSEWHERE = (
    "The server archives its log elsewhere: `{segment}` is not in `{folder}`. Its "
    "`archive_command` must copy to that folder."
)


class BaseBackup(Struct, frozen=True, kw_only=True):
    """A base backup. database, role: masthead's; major: the version of the server.

    segment: the first file of the log that it needs. finished_at: the first moment that can be
    restored with it, by the clock of the server.
    """

    database: str
    role: str
    major: int
    segment: str
    segment_bytes: int
    finished_at: datetime
    bytes: int
    sha256: str


async def make_base_backup(url: str, archive: Path) -> tuple[Path, BaseBackup]:
    """Copy all files of the server of a URL into an archive; the new folder, and what it has.

    It waits until the log that the copy needs is archived. Raises: DatabaseError; OSError.
    """
    create_private_folder(archive)
    create_private_folder(archive / BASE)
    with (
        named_errors(url, archive),
        temporary_folder(archive / ".unfinished-base", "base backup") as aside,
    ):
        connection = await connect_for_moving(url)
        try:
            server = await connection.fetchrow(_SERVER)
            _require_archiving(server)
            with os.fdopen(create_private(aside / DATA), "wb") as file:
                await stream_base_backup(url, server["major"], file.write)
            finished_at = await connection.fetchval("SELECT clock_timestamp()")
        finally:
            connection.terminate()
        segment = _first_segment(aside / DATA)
        if not (archive / LOG / segment).is_file():
            raise DatabaseError(_ELSEWHERE.format(segment=segment, folder=archive / LOG))
        sync(aside / DATA)
        sha256, size = hash_file(aside / DATA)
        made = BaseBackup(
            database=server["database"],
            role=server["role"],
            major=server["major"],
            segment=segment,
            segment_bytes=server["segment_bytes"],
            finished_at=finished_at,
            bytes=size,
            sha256=sha256,
        )
        write_whole(aside / ABOUT, msgspec.json.format(msgspec.json.encode(made)))
        path = archive / BASE / finished_at.strftime(NAME)
        aside.rename(path)
        sync(path.parent)
        return path, made


def _require_archiving(server: Any) -> None:
    """Raises: DatabaseError if the base backup would wait for a log that is not archived."""
    if not server["is_archiving"]:
        raise DatabaseError(_OFF)
    if server["failed"]:
        raise DatabaseError(_FAILED.format(failed=server["failed"]))


def _first_segment(data: Path) -> str:
    """The first file of the log that a base backup needs."""
    with tarfile.open(data) as tar:
        label = tar.extractfile("backup_label")
        found = _START.search(label.read() if label else b"")
    if not found:
        raise DatabaseError("`pg_basebackup` has not said where the log begins.")
    return found[1].decode()


def list_base_backups(archive: Path) -> list[tuple[Path, BaseBackup]]:
    """The base backups of an archive, oldest first. Raises: DatabaseError; OSError."""
    found = []
    for path in sorted((archive / BASE).glob(f"*/{ABOUT}")):
        try:
            found.append((path.parent, decode_json(path.read_bytes(), BaseBackup)))
        except msgspec.DecodeError as reason:
            raise DatabaseError(f"`{path}` cannot be read: {reason}.") from reason
    return found


def find_base_backup(archive: Path, at: datetime) -> tuple[Path, BaseBackup]:
    """The newest base backup that was complete at a moment. Raises: DatabaseError."""
    known = list_base_backups(archive)
    if not known:
        raise DatabaseError(f"`{archive}` has no base backup: `masthead base-backup` makes one.")
    usable = [each for each in known if each[1].finished_at <= at]
    if not usable:
        first = known[0][1].finished_at
        raise DatabaseError(
            f"`{archive}` begins at {first.isoformat()}: nothing before that can be restored."
        )
    path, base = usable[-1]
    if hash_file(path / DATA) != (base.sha256, base.bytes):
        raise DatabaseError(
            f"`{path / DATA}` is damaged: its SHA-256 is not the one in `{ABOUT}`. Move that "
            "folder away, to restore from the base backup before it."
        )
    return path, base


def remove_base_backups(archive: Path, keep: int) -> tuple[int, int]:
    """Remove all base backups but the newest, and the log that only they need; how many of both."""
    known = list_base_backups(archive)
    old, kept = known[:-keep], known[-keep:]
    for path, _ in old:
        (path / ABOUT).unlink()  # without it, the folder is none any more
        shutil.rmtree(path)
    first = _place(kept[0][1].segment)
    unused = [
        path
        for path in (archive / LOG).iterdir()
        if _SEGMENT.match(path.name) and _place(path.name) < first
    ]
    for path in unused:
        path.unlink()
    return len(old), len(unused)


def list_missing(archive: Path, base: BaseBackup) -> list[str]:
    """The files that the log since a base backup should have, but has not."""
    per_file = 2**32 // base.segment_bytes
    found = {
        _number(path.name, per_file)
        for path in (archive / LOG).iterdir()
        if _SEGMENT.fullmatch(path.name)
    }
    first = _number(base.segment, per_file)
    missing = sorted(set(range(first, max(found, default=first) + 1)) - found)
    timeline = base.segment[:8]
    return [f"{timeline}{each // per_file:08X}{each % per_file:08X}" for each in missing]


def _place(name: str) -> str:
    """Where a file is in the log, whatever its timeline."""
    return name[8:24]


def _number(name: str, per_file: int) -> int:
    """The number of a file of the log, from the beginning of the log."""
    return int(name[8:16], 16) * per_file + int(name[16:24], 16)
