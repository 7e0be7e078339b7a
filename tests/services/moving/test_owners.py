"""Commands that run with `sudo` create nothing that the service's user cannot use."""

import os
from pathlib import Path

import pytest

from masthead.services.moving.backups import make_backup, read_backup
from masthead.services.moving.database_copies import copy_database
from masthead.services.moving.verify import verify_backup
from masthead.store.engine.migrate import migrate
from tests.services.moving.test_restores import restore

SERVICE = 54321, 54322  # a user and a group that own no other file

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of the service."""
    folder = tmp_path / "service"
    folder.mkdir()
    os.chown(folder, *SERVICE)
    return folder


def owners(folder: Path) -> dict[str, tuple[int, int]]:
    """What is in a folder and does not belong to the service, with its owner."""

    found = {path: path.stat() for path in folder.rglob("*")}
    return {
        str(path.relative_to(folder)): (each.st_uid, each.st_gid)
        for path, each in found.items()
        if (each.st_uid, each.st_gid) != SERVICE
    }


def test_a_new_database_belongs_to_the_owner_of_its_folder(folder: Path) -> None:
    migrate(f"sqlite:///{folder / 'masthead.db'}")
    assert list(folder.iterdir())
    assert owners(folder) == {}


async def test_a_backup_and_its_verification_belong_to_the_owner_of_the_folder(
    folder: Path, tmp_path: Path
) -> None:
    url = f"sqlite:///{tmp_path / 'masthead.db'}"
    migrate(url)
    backup = await make_backup(url, folder / "all", version="1.0")
    assert (await verify_backup(backup, url, migrate=migrate, version="1.0")).is_verified
    assert (backup.path / "verified.json").stat().st_uid == SERVICE[0]
    assert owners(folder) == {}


async def test_a_restored_database_belongs_to_the_owner_of_the_replaced_one(
    folder: Path, tmp_path: Path
) -> None:
    url = f"sqlite:///{folder / 'masthead.db'}"
    migrate(url)
    backup = await make_backup(url, tmp_path / "backups", version="1.0")
    await restore(read_backup(backup.path), url, may_replace=True)
    (folder / "masthead.db").unlink()
    await restore(read_backup(backup.path), url, may_replace=True)
    assert owners(folder) == {}


async def test_a_copied_database_belongs_to_the_owner_of_its_folder(
    folder: Path, tmp_path: Path
) -> None:
    source = f"sqlite:///{tmp_path / 'masthead.db'}"
    migrate(source)
    await copy_database(source, f"sqlite:///{folder / 'copy.db'}", migrate=migrate)
    assert owners(folder) == {}
