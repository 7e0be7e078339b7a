"""Restored backups: equal, with erasures repeated, emails held back, and nothing lost."""

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import pytest

from masthead.model.clock import now
from masthead.services.check.accounts import check
from masthead.services.moving import backups as module
from masthead.services.moving.backups import Backup, BackupManifest, make_backup, read_backup
from masthead.services.moving.digests import digest_tables, ignore_progress
from masthead.services.moving.restores import Restored, restore_backup
from masthead.services.moving.verify import verify_backup
from masthead.services.privacy.erase import erase_subscriber
from masthead.store.background import outbox
from masthead.store.engine.database import require_version
from masthead.store.engine.interface import Database, DatabaseError, Transaction
from masthead.store.engine.migrate import migrate
from masthead.store.engine.moving.backup_files import hash_file, write_snapshot
from masthead.store.engine.moving.folders import write_whole
from masthead.store.engine.moving.lines import digest_of_all
from masthead.store.engine.moving.places import find_kept_erasures, open_server_place
from masthead.store.engine.moving.snapshots import open_snapshot
from masthead.store.engine.private_files import create_private_folder
from tests.conftest import BY, Cast
from tests.services.moving.conftest import NOT_IN_USE, add_guest_table, filled
from tests.store.engine.test_upgrade import fill, first_version
from tests.support import letters
from tests.support.databases import migrated, opened
from tests.support.factories import PLACEHOLDER_DOMAIN, make_subscription

__all__ = ["first_version"]  # a fixture

HOLD = """
import fcntl, sys
file = open(sys.argv[1], "rb+")
fcntl.lockf(file, fcntl.LOCK_SH, 510, 0x40000002)
print("held", flush=True)
input()
"""


async def restore(
    backup: Backup, url: str, *, may_replace: bool = False, live_url: str = ""
) -> Restored:
    return await restore_backup(
        backup,
        url,
        may_replace=may_replace,
        migrate=migrate,
        placeholder_domain=PLACEHOLDER_DOMAIN,
        by=BY,
        live_url=live_url,
    )


@asynccontextmanager
async def accepted(url: str) -> AsyncIterator[Database]:
    """A database that masthead accepts and whose rules hold."""
    async with opened(url) as db:
        await require_version(db)
        assert [fault async for fault in check(db)] == []
        yield db


def content_of(url: str) -> bytes:
    """The bytes of a SQLite file."""
    return Path(url.removeprefix("sqlite:///")).read_bytes()


def logs_kept(folder: Path) -> list[bytes]:
    """The logs of replaced files."""
    return [path.read_bytes() for path in folder.glob("*before-restore*-wal")]


async def write_email(cast: Cast) -> None:
    """An email that waits."""

    async def work(tx: Transaction) -> None:
        await outbox.insert_email(
            tx,
            cast.account_id,
            recipient="cleo@fjord.test",
            subject="Hello",
            body="Dear Cleo",
            domain="acme.test",
        )

    await cast.db.write(work)


@pytest.mark.slow
@NOT_IN_USE
async def test_who_was_erased_since_the_backup_is_erased_again_and_no_email_is_sent_twice(
    scratch_url: str, empty_database: Callable[[], str], tmp_path: Path, backend: str
) -> None:
    async with filled(scratch_url) as acme:
        made = await make_subscription(acme, email="ida@fjord.test", first_name="Idunn of Asgard")
        await write_email(acme)
        backup = await make_backup(scratch_url, tmp_path / "backups", version="1.0")
        await erase_subscriber(
            acme.db,
            acme.account_id,
            made["subscriber"]["id"],
            is_cancelling=True,
            placeholder_domain=PLACEHOLDER_DOMAIN,
            by=BY,
        )
        await make_subscription(acme, last_name="Later")
        with pytest.raises(DatabaseError, match="has 1 account"):
            await restore(backup, scratch_url)
        with pytest.raises(DatabaseError, match="is in use"):
            await restore(backup, scratch_url, may_replace=True)
        elsewhere = await restore(backup, empty_database(), live_url=scratch_url)
        assert elsewhere.erased_again == 1
    done = await restore(backup, scratch_url, may_replace=True)
    assert (done.erased_again, done.broken_rule, done.upgraded_from) == (1, "", "")
    assert done.held_emails >= 1
    async with accepted(scratch_url) as db:
        rows = await db.fetch_all("SELECT first_name, last_name FROM subscription", {})
        assert len(rows) == 4
        assert not [name for name in ("Idunn of Asgard", "Later") if name in str(rows)]
        waiting = "SELECT id FROM outbox WHERE status IN ('waiting', 'sending')"
        assert await db.fetch_all(waiting, {}) == []
        (failed,) = await outbox.list_failed(db, acme.account_id, 10)
        assert str(failed.last_error).startswith("Waited in a backup from 20")
    if backend == "sqlite":
        assert b"Idunn of Asgard" not in content_of(scratch_url)
        assert content_of(f"sqlite:///{done.kept}")


@NOT_IN_USE
async def test_erasures_beside_the_backup_are_repeated_if_the_database_does_not_answer(
    scratch_url: str, empty_database: Callable[[], str], tmp_path: Path
) -> None:
    async with filled(scratch_url, subscriptions=0) as acme:
        made = await make_subscription(acme)
        backup = await make_backup(scratch_url, tmp_path, version="1.0")
        await erase_subscriber(
            acme.db,
            acme.account_id,
            made["subscriber"]["id"],
            is_cancelling=True,
            placeholder_domain=PLACEHOLDER_DOMAIN,
            by=BY,
        )
        await make_backup(scratch_url, tmp_path, version="1.0")
    lost = "postgresql://masthead@127.0.0.1:1/masthead"
    done = await restore(backup, empty_database(), live_url=lost)
    assert done.erased_again == 1
    assert done.unread_erasures.startswith("PostgreSQL (`127.0.0.1:1/masthead`): ")


@pytest.mark.slow
@NOT_IN_USE
async def test_a_renewal_letter_that_waited_to_be_sent_has_failed(
    scratch_url: str, empty_database: Callable[[], str], tmp_path: Path
) -> None:
    async with filled(scratch_url) as acme:
        await letters.set_up(acme, first=2)
        await letters.add_subscribers(acme, 1)
        await letters.write(acme)
        backup = await make_backup(scratch_url, tmp_path / "backups", version="1.0")
    url = empty_database()
    done = await restore(backup, url)
    assert (done.broken_rule, done.held_emails) == ("", 1)
    async with accepted(url) as db:
        (letter,) = await db.fetch_all("SELECT status, ended_at FROM renewal_letter", {})
        assert (letter["status"], letter["ended_at"] is None) == ("failed", False)


@NOT_IN_USE
async def test_a_backup_goes_into_an_empty_database_of_its_engine(
    scratch_url: str, empty_database: Callable[[], str], tmp_path: Path, backend: str
) -> None:
    async with filled(scratch_url):
        backup = await make_backup(scratch_url, tmp_path / "backups", version="1.0")
    target = empty_database()
    assert (await restore(backup, target)).kept == ""
    async with open_snapshot(target) as found:
        rows = await digest_tables(found, "compared", ignore_progress)
    assert rows["subscription"] == backup.manifest.tables["subscription"]
    async with accepted(target):
        pass
    other = f"sqlite:///{tmp_path / 'other.db'}"
    if backend == "sqlite":
        other = "postgresql://masthead@127.0.0.1:1/masthead"
    with pytest.raises(DatabaseError, match="is a backup of"):
        await restore(backup, other)


async def old_backup(url: str, folder: Path) -> Backup:
    """A backup of the first version, as a masthead of that time would have made it."""
    create_private_folder(folder)
    async with open_snapshot(url) as snapshot:
        file = await write_snapshot(snapshot, url, folder, lambda *_: None)
        tables = await digest_tables(snapshot, "counted", ignore_progress)
    sha256, size = hash_file(file)
    manifest = BackupManifest(
        masthead="0.1.0",
        schema="0001",
        engine=snapshot.dialect,
        made_at=now(),
        file=file.name,
        bytes=size,
        sha256=sha256,
        digest=digest_of_all(tables),
        tables=tables,
    )
    write_whole(folder / module.MANIFEST, msgspec.json.encode(manifest))
    return read_backup(folder)


@pytest.mark.slow
async def test_an_older_backup_is_upgraded(first_version: str, tmp_path: Path) -> None:
    await fill(first_version)
    backup = await old_backup(first_version, tmp_path / "old")
    found = await verify_backup(backup, first_version, migrate=migrate, version="1.0")
    assert found.problem == ""
    done = await restore(backup, first_version, may_replace=True)
    assert done.upgraded_from == "0001"
    async with accepted(first_version):
        pass


async def test_a_restored_database_that_differs_is_not_used(
    scratch_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    backup = await make_backup(scratch_url, tmp_path, version="1.0")
    monkeypatch.setattr("masthead.services.moving.restores.find_difference", lambda *_: "`a` has 1")
    with pytest.raises(DatabaseError, match="differs from the backup: `a` has 1"):
        await restore(backup, scratch_url)


async def test_tables_of_another_program_are_never_replaced(
    scratch_url: str, tmp_path: Path, empty_database: Callable[[], str]
) -> None:
    backup = await make_backup(scratch_url, tmp_path, version="1.0")
    other = empty_database()
    await add_guest_table(other)
    with pytest.raises(DatabaseError, match=r"of another program\. Restore with `--to`"):
        await restore(backup, other, may_replace=True)


@pytest.mark.slow
async def test_a_killed_restore_leaves_the_erasures_that_it_must_repeat(
    scratch_url: str, tmp_path: Path, backend: str
) -> None:
    if backend != "postgres":
        pytest.skip("on SQLite the old file has them until the new one is complete")
    backup = await make_backup(scratch_url, tmp_path, version="1.0")
    async with open_server_place(scratch_url, backup.data, may_replace=True) as place:
        await place.fill([b'{"accounts":[]}'])  # and then it is killed
    assert await find_kept_erasures(scratch_url) == [b'{"accounts":[]}']
    await restore(backup, scratch_url)
    assert await find_kept_erasures(scratch_url) == []


async def test_a_disk_without_hard_links_keeps_the_old_file_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError("no hard links")

    url = f"sqlite:///{tmp_path / 'masthead.db'}"
    async with filled(await asyncio.to_thread(migrated, url), subscriptions=0):
        pass
    backup = await make_backup(url, tmp_path / "backups", version="1.0")
    monkeypatch.setattr("masthead.store.engine.moving.places.os.link", refuse)
    done = await restore(backup, url, may_replace=True)
    assert content_of(f"sqlite:///{done.kept}")
    async with accepted(url):
        pass


@pytest.mark.parametrize("is_damaged", [True, False])
async def test_a_damaged_or_missing_file_is_replaced(tmp_path: Path, is_damaged: bool) -> None:
    file = tmp_path / "masthead.db"
    url = f"sqlite:///{file}"
    migrate(url)
    backup = await make_backup(url, tmp_path / "backups", version="1.0")
    file.unlink()
    (tmp_path / "masthead.db-wal").write_bytes(b"of the old file")
    if is_damaged:
        file.write_bytes(b"this is no database any more" * 100)
        with pytest.raises(DatabaseError, match="damaged data"):
            await restore(backup, url)
    done = await restore(backup, url, may_replace=True)
    assert ("The file is damaged" in done.unread_erasures) is is_damaged
    assert bool(done.kept) is is_damaged
    assert logs_kept(tmp_path) == [b"of the old file"]
    async with accepted(url):
        pass


@pytest.fixture
def held_open(tmp_path: Path) -> Iterator[Path]:
    """A damaged file that another process has open, as SQLite has."""
    file = tmp_path / "masthead.db"
    file.write_bytes(b"damaged while it was open" * 100)
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(file)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        other.stdout.readline()
        yield file
        other.communicate(b"\n")


async def test_a_file_that_another_process_has_open_is_not_replaced(
    held_open: Path, tmp_path: Path
) -> None:
    url = f"sqlite:///{tmp_path / 'sound.db'}"
    migrate(url)
    backup = await make_backup(url, tmp_path / "backups", version="1.0")
    with pytest.raises(DatabaseError, match="is in use"):
        await restore(backup, f"sqlite:///{held_open}", may_replace=True)
