"""Backups: whole, equal to the database, verified by restoring them, and removed with care."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import apsw
import msgspec
import pytest
from msgspec import structs

from masthead.services.moving import backups as module
from masthead.services.moving.backups import (
    Backup,
    Verification,
    find_backup,
    find_backups,
    list_removable,
    make_backup,
    read_backup,
    remove_backups,
    remove_leftovers,
)
from masthead.services.moving.verify import verify_backup
from masthead.store.engine.interface import DatabaseError
from masthead.store.engine.migrate import migrate
from masthead.store.engine.moving.backup_files import copy_pages
from masthead.store.engine.moving.lines import TableDigest
from masthead.store.engine.moving.snapshots import SQLiteSnapshot, open_snapshot
from masthead.store.engine.sqlite.connection import open_file
from tests.services.moving.conftest import NOT_IN_USE, filled
from tests.services.moving.test_refusals import execute


def change_manifest(backup: Backup, **fields: object) -> Backup:
    """Write other fields into the manifest of a backup."""
    manifest = structs.replace(backup.manifest, **fields)
    (backup.path / module.MANIFEST).write_bytes(msgspec.json.encode(manifest))
    return read_backup(backup.path)


async def verify(backup: Backup, url: str) -> Verification:
    return await verify_backup(backup, url, migrate=migrate, version="1.0")


@NOT_IN_USE
async def test_a_backup_of_a_database_in_use_is_restored_beside_and_compared(
    scratch_url: str, tmp_path: Path
) -> None:
    async with filled(scratch_url) as acme:
        made = await make_backup(scratch_url, tmp_path / "backups", version="1.0")
        assert (await verify(made, scratch_url)).problem == ""
        assert (await acme.get("/v1/subscriptions/")).is_success
    assert find_backup(tmp_path / "backups").is_verified
    assert find_backup(made.path) == read_backup(made.path)
    names = {path.name for path in (tmp_path / "backups").iterdir()}
    assert names == {made.path.name, "erasures.json"}
    assert {path.stat().st_mode & 0o077 for path in made.path.iterdir()} == {0}

    tables = made.manifest.tables
    other = {
        **tables,
        "issue": TableDigest(9, ""),
        "outbox": TableDigest(tables["outbox"].rows, ""),
    }
    found = await verify(change_manifest(made, tables=other), scratch_url)
    assert "differs from the backup: `issue` has 1 rows instead of 9" in found.problem

    content = bytearray(made.data.read_bytes())
    content[len(content) // 2] ^= 1
    made.data.write_bytes(content)
    assert "is damaged" in (await verify(made, scratch_url)).problem
    assert not find_backup(tmp_path / "backups").is_verified
    made.data.unlink()
    assert "cannot be read" in (await verify(made, scratch_url)).problem


async def test_a_backup_of_a_newer_masthead_or_of_another_engine_is_refused(
    scratch_url: str, tmp_path: Path, backend: str
) -> None:
    made = await make_backup(scratch_url, tmp_path, version="1.0")
    with pytest.raises(DatabaseError, match="newer than this masthead"):
        await verify(change_manifest(made, schema="9999"), scratch_url)
    if backend == "postgres":
        with pytest.raises(DatabaseError, match="is a backup of PostgreSQL"):
            await verify(change_manifest(made), f"sqlite:///{tmp_path / 'other.db'}")


async def test_a_backup_of_a_schema_that_a_newer_masthead_expanded_is_sound(
    scratch_url: str, tmp_path: Path
) -> None:
    await execute(scratch_url, "UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(DatabaseError, match="lacks what this masthead uses"):
        await make_backup(scratch_url, tmp_path, version="1.0")
    await execute(scratch_url, "UPDATE schema_support SET version = '9999'")
    made = await make_backup(scratch_url, tmp_path, version="1.0")
    assert made.manifest.schema == "9999"
    assert (await verify(made, scratch_url)).problem == ""


async def test_an_older_database_is_not_backed_up(scratch_url: str, tmp_path: Path) -> None:
    await execute(scratch_url, "UPDATE alembic_version SET version_num = '0017'")
    await execute(scratch_url, "DROP TABLE schema_support")
    with pytest.raises(DatabaseError, match="run `masthead migrate` first"):
        await make_backup(scratch_url, tmp_path, version="1.0")


def test_a_folder_without_a_manifest_is_no_backup(tmp_path: Path) -> None:
    with pytest.raises(DatabaseError, match="There is no folder"):
        find_backup(tmp_path / "missing")
    folder = tmp_path / "2026-11-22T031500.000000Z"
    folder.mkdir()
    with pytest.raises(DatabaseError, match="There is no backup"):
        find_backup(tmp_path)
    (folder / module.MANIFEST).write_text("{}")
    with pytest.raises(DatabaseError, match="cannot be read"):
        find_backup(folder)


async def test_a_manifest_names_no_file_of_another_folder(scratch_url: str, tmp_path: Path) -> None:
    made = await make_backup(scratch_url, tmp_path, version="1.0")
    with pytest.raises(DatabaseError, match="names a file that no backup has"):
        change_manifest(made, file=f"../{made.path.name}/{made.manifest.file}")


def history(*verified: str) -> list[Backup]:
    """Backups from oldest to newest: y is verified, n is not sound, a dot was never verified."""
    moment = datetime(2026, 11, 22, tzinfo=UTC)
    states = {
        "y": Verification(masthead="1.0", verified_at=moment, is_verified=True),
        "n": Verification(masthead="1.0", verified_at=moment, is_verified=False, problem="bad"),
        ".": None,
    }
    manifest = module.BackupManifest(
        masthead="1.0",
        schema="0014",
        engine="sqlite",
        made_at=moment,
        file="masthead.db",
        bytes=0,
        sha256="",
        digest="",
        tables={},
    )
    return [
        Backup(Path((moment + timedelta(days=day)).strftime(module.NAME)), manifest, states[each])
        for day, each in enumerate("".join(verified))
    ]


@pytest.mark.parametrize(
    "states,keep,removed",
    [
        ("yyyy", 2, [0, 1]),
        ("yy", 5, []),
        ("ynnn", 1, [1, 2]),  # the last verified one stays
        ("y.y.", 1, [0, 1]),
        ("nn..", 1, []),  # nothing is removed before one is verified
    ],
)
def test_the_last_verified_backup_is_never_removed(
    states: str, keep: int, removed: list[int]
) -> None:
    made = history(states)
    assert list_removable(made, keep) == [made[each] for each in removed]


def test_a_removed_backup_is_gone_as_a_whole(tmp_path: Path) -> None:
    (backup,) = history("y")
    path = tmp_path / backup.path
    path.mkdir()
    (path / module.MANIFEST).write_bytes(msgspec.json.encode(backup.manifest))
    (left,) = [tmp_path / ".removed-2026-11-21T000000.000000Z"]
    left.mkdir()
    remove_leftovers(tmp_path)
    remove_backups(find_backups(tmp_path))
    assert list(tmp_path.iterdir()) == []


# --- Beside a constant writer --------------------------------------------------------------------


@contextmanager
def constant_writer(file: Path) -> Iterator[Callable[..., None]]:
    """A function that commits a write of another connection."""
    with closing(open_file(file, read_only=False)) as connection:

        def write(*_: object) -> None:
            connection.execute("UPDATE alembic_version SET version_num = version_num")

        yield write


async def test_a_backup_beside_a_constant_writer_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("masthead.store.engine.moving.backup_files.PAGES", 1)
    file, copied = tmp_path / "masthead.db", tmp_path / "copy.db"
    migrate(f"sqlite:///{file}")
    with constant_writer(file) as write:
        async with open_snapshot(f"sqlite:///{file}") as snapshot:
            assert isinstance(snapshot, SQLiteSnapshot)
            copy_pages(snapshot.connection, copied, write)
    with closing(apsw.Connection(str(copied))) as copy:
        assert copy.pragma("integrity_check") == "ok"


def test_without_a_snapshot_a_backup_beside_a_constant_writer_never_ends(tmp_path: Path) -> None:
    file = tmp_path / "masthead.db"
    migrate(f"sqlite:///{file}")
    with (
        constant_writer(file) as write,
        closing(open_file(file, read_only=True)) as source,
        closing(apsw.Connection(str(tmp_path / "copy.db"))) as target,
        target.backup("main", source, "main") as copying,
    ):
        for _ in range(3 * int(str(source.pragma("page_count")))):
            copying.step(1)
            write()
        assert not copying.done
