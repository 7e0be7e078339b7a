"""The database of any moment, from the archive of a PostgreSQL server: `restore --at`."""

import asyncio
import io
import os
import pwd
import re
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest

from masthead.model.clock import now
from masthead.services.check.accounts import check
from masthead.services.monitoring.state import read_state
from masthead.services.moving.backups import ERASURES
from masthead.services.moving.moments import make_base_backup, restore_moment
from masthead.services.moving.restores import Restored
from masthead.services.privacy.erase import erase_subscriber
from masthead.store.engine.interface import DatabaseError
from masthead.store.engine.migrate import migrate
from masthead.store.engine.moving import base_backups, recovery
from masthead.store.engine.moving.backup_files import hash_file
from masthead.store.engine.moving.base_backups import (
    ABOUT,
    BASE,
    DATA,
    LOG,
    BaseBackup,
    find_base_backup,
    list_base_backups,
    list_missing,
    make_base_backup as copy_server,
    remove_base_backups,
)
from masthead.store.engine.moving.litestream import FILES
from masthead.store.engine.moving.recovery import open_recovered
from masthead.store.engine.moving.snapshots import connect_for_moving
from tests.conftest import BY, Cast
from tests.services.moving.conftest import filled
from tests.support.databases import opened
from tests.support.factories import PLACEHOLDER_DOMAIN, make_subscription
from tests.support.postgres import FAST, PLACE, OwnCluster, _give, _login, open_own_cluster
from tests.support.serving import ROOT
from tests.support.waiting import PATIENCE

SETTINGS = (*FAST, "shared_buffers=16MB", "wal_level=replica", "archive_mode=on")
LAST_NAMES = "SELECT last_name FROM subscription ORDER BY id"


class Archived:
    """A server that archives its log, with masthead's database, and the archive."""

    def __init__(self, cluster: OwnCluster, url: str, cast: Cast, archive: Path) -> None:
        self.cluster, self.url, self.cast, self.archive = cluster, url, cast, archive

    async def write(self, name: str) -> datetime:
        """Add a subscription; a moment after it was acknowledged, and before the next one."""
        await make_subscription(self.cast, last_name=name)
        return now()

    async def close_log(self) -> None:
        """Wait until all that was written is in the archive."""
        connection = await connect_for_moving(self.url)
        await close_log(connection, self.archive)
        await connection.close()

    async def restore(self, at: datetime, url: str = "", **options: bool) -> Restored:
        """Restore the database of a moment, by default into a new database."""
        return await restore_moment(
            str(self.archive),
            at,
            url or self.cluster.create_database(),
            version="1.0",
            may_replace=options.get("may_replace", False),
            migrate=migrate,
            placeholder_domain=PLACEHOLDER_DOMAIN,
            by=BY,
            live_url=self.url,
        )


async def close_log(connection: Any, archive: Path) -> None:
    """Wait until all that was written so far is in the archive."""
    segment = await connection.fetchval("SELECT pg_walfile_name(pg_current_wal_lsn())")
    await connection.execute("SELECT pg_switch_wal()")
    async with asyncio.timeout(PATIENCE):
        while not (archive / LOG / segment).exists():  # noqa: ASYNC110 - another process writes it
            await asyncio.sleep(0.02)


@contextmanager
def archiving() -> Iterator[tuple[OwnCluster, Path]]:
    """A server that archives its log, and the archive; they are removed after the block."""
    home = Path(tempfile.mkdtemp(prefix="masthead-archiving-", dir=PLACE))
    try:
        archive = home / "archive"
        (archive / LOG).mkdir(parents=True)
        shutil.copy(ROOT / "ops/archive-wal.sh", home)
        _give(home, _login())
        command = f"archive_command={home}/archive-wal.sh %p {archive}/{LOG}/%f"
        with open_own_cluster(home, [*SETTINGS, command]) as cluster:
            yield cluster, archive
    finally:
        shutil.rmtree(home, ignore_errors=True)


@asynccontextmanager
async def archived() -> AsyncIterator[Archived]:
    """The same, with masthead's database."""
    with archiving() as (cluster, archive):
        url = await asyncio.to_thread(cluster.create_migrated_database)
        async with filled(url, subscriptions=0) as cast:
            yield Archived(cluster, url, cast, archive)


async def names_in(url: str) -> list[str]:
    """The last names of all subscriptions of a database whose rules hold."""
    async with opened(url) as db:
        assert [fault async for fault in check(db)] == []
        return [row["last_name"] for row in await db.fetch_all(LAST_NAMES, {})]


@pytest.fixture
def only_postgres(backend: str) -> None:
    """SQLite is archived by Litestream."""
    if backend != "postgres":
        pytest.skip("SQLite is archived by Litestream")


@pytest.mark.usefixtures("only_postgres")
async def test_a_server_is_recovered_up_to_any_moment(tmp_path: Path) -> None:
    with archiving() as (cluster, archive):
        connection = await connect_for_moving(cluster.address)
        await connection.execute("CREATE TABLE written (number int)")
        before = now()
        _, base = await copy_server(cluster.address, archive)
        moments = []
        for number in range(4):
            await connection.execute("INSERT INTO written VALUES ($1)", number)
            moments.append(now())
        await close_log(connection, archive)
        await connection.close()
        folder = archive / ".recovering"
        for number in (2, 0):
            folder.mkdir()
            async with open_recovered(archive, moments[number], folder) as url:
                recovered = await connect_for_moving(url)
                rows = await recovered.fetch("SELECT number FROM written ORDER BY number")
                assert [row["number"] for row in rows] == list(range(number + 1))
                await recovered.close()
            assert not (folder / "data/postmaster.pid").exists()
            shutil.rmtree(folder)

        folder.mkdir()
        with pytest.raises(DatabaseError, match="nothing before that can be restored"):
            async with open_recovered(archive, before, folder):
                pass
        with pytest.raises(DatabaseError, match=r"^The last change that can be restored") as told:
            async with open_recovered(archive, now() + timedelta(days=365_000), folder):
                pass
        (last,) = map(datetime.fromisoformat, re.findall(r"20\S+(?=:)", str(told.value)))
        assert moments[-2] <= last <= moments[-1]
        shutil.rmtree(folder)
        folder.mkdir()
        async with open_recovered(archive, last, folder) as url:
            recovered = await connect_for_moving(url)
            assert await recovered.fetchval("SELECT max(number) FROM written") == 3
            await recovered.close()
        (archive / LOG / base.segment).unlink()
        shutil.rmtree(folder / "data")
        with pytest.raises(DatabaseError, match=r"has a hole, which begins .*cannot replay"):
            async with open_recovered(archive, moments[0], folder):
                pass


@pytest.mark.slow
@pytest.mark.usefixtures("only_postgres")
async def test_any_moment_of_a_run_of_writes_is_restored() -> None:
    async with archived() as server:
        await make_base_backup(server.url, server.archive)
        moments, names = [], [f"Name {number:02}" for number in range(12)]
        for name in names:
            moments.append(await server.write(name))
            await asyncio.sleep(0.5)
        await server.close_log()
        await server.write("Later")
        await server.close_log()
        for number in (0, 4, 5, 11):
            target = server.cluster.create_database()
            done = await server.restore(moments[number], target)
            assert (done.moment, done.broken_rule) == (moments[number], "")
            assert done.backup == str(server.archive)
            assert await names_in(target) == names[: number + 1]
        assert {path.name for path in server.archive.iterdir()} == {BASE, LOG, ERASURES}


@pytest.mark.slow
@pytest.mark.usefixtures("only_postgres")
async def test_a_moment_is_restored_as_a_backup_is() -> None:
    async with archived() as server:
        made = await make_subscription(server.cast, email="ida@fjord.test", first_name="Idun")
        await make_base_backup(server.url, server.archive)
        moment = await server.write("Ada")
        await erase_subscriber(
            server.cast.db,
            server.cast.account_id,
            made["subscriber"]["id"],
            is_cancelling=True,
            placeholder_domain=PLACEHOLDER_DOMAIN,
            by=BY,
        )
        await server.close_log()
        state = await read_state(server.cast.db)
        assert state.log_archived is not None
        assert moment - timedelta(seconds=PATIENCE) < state.log_archived <= now()
        assert state.log_not_archived is None
        with pytest.raises(DatabaseError, match="has 1 account"):
            await server.restore(moment, server.url)
        with pytest.raises(DatabaseError, match="is in use"):
            await server.restore(moment, server.url, may_replace=True)
        with pytest.raises(DatabaseError, match="is an archive of PostgreSQL"):
            await server.restore(moment, "sqlite:////tmp/masthead.db")
        target = server.cluster.create_database()
        assert (await server.restore(moment, target)).erased_again == 1
        assert len(await names_in(target)) == 2
        await make_base_backup(server.url, server.archive)
        assert remove_base_backups(server.archive, 1)[0] == 1
        assert await server.write("Bea") < now()


def fake_archive(folder: Path, *segments: str) -> Path:
    """An archive with a base backup of a day each, from its first segment on."""
    (folder / LOG).mkdir(parents=True)
    for name in (*segments, "00000002.history", f"{segments[0]}.00000028.backup"):
        (folder / LOG / name).touch()
    for day, segment in enumerate(segments[::2], 1):
        path = folder / BASE / f"2026-11-{day:02}T000000.000000Z"
        path.mkdir(parents=True)
        (path / DATA).write_bytes(b"data")
        sha256, size = hash_file(path / DATA)
        base = BaseBackup(
            database="masthead",
            role="masthead",
            major=15,
            segment=segment,
            segment_bytes=2**24,
            finished_at=datetime(2026, 11, day, tzinfo=UTC),
            bytes=size,
            sha256=sha256,
        )
        (path / ABOUT).write_bytes(msgspec.json.encode(base))
    return folder


def test_the_log_is_kept_from_the_first_base_backup_that_is_kept(tmp_path: Path) -> None:
    names = [f"0000000{1 + number // 3}00000000000000{number:02X}" for number in range(6)]
    archive = fake_archive(tmp_path / "archive", *names)
    assert [base.segment for _, base in list_base_backups(archive)] == names[::2]
    assert remove_base_backups(archive, 5) == (0, 0)
    assert remove_base_backups(archive, 2) == (1, 3)  # two files of the log, and one about it
    assert sorted(path.name for path in (archive / LOG).iterdir()) == [
        *names[2:3],
        "00000002.history",
        *names[3:],
    ]
    path, base = find_base_backup(archive, datetime(2026, 11, 2, 12, tzinfo=UTC))
    assert (path.name, base.segment) == ("2026-11-02T000000.000000Z", names[2])
    assert list_missing(archive, base) == []
    (archive / LOG / names[4]).unlink()
    assert list_missing(archive, base) == ["000000010000000000000004"]


def test_what_is_missing_or_damaged_in_an_archive_is_named(tmp_path: Path) -> None:
    noon = datetime(2026, 11, 1, 12, tzinfo=UTC)
    with pytest.raises(DatabaseError, match="has no base backup: `masthead base-backup`"):
        find_base_backup(tmp_path, noon)
    archive = fake_archive(tmp_path / "archive", "000000010000000000000001")
    with pytest.raises(DatabaseError, match="begins at 2026-11-01T00:00:00"):
        find_base_backup(archive, noon - timedelta(days=1))
    (path, _) = find_base_backup(archive, noon)
    (path / DATA).write_bytes(b"rot")
    with pytest.raises(DatabaseError, match="is damaged: its SHA-256"):
        find_base_backup(archive, noon)
    (path / ABOUT).write_text("{")
    with pytest.raises(DatabaseError, match=r"base\.json` cannot be read"):
        list_base_backups(archive)


@pytest.mark.usefixtures("only_postgres")
@pytest.mark.parametrize(
    "name,problem", [("other", "has no base backup"), (FILES, "is an archive of SQLite")]
)
async def test_a_folder_that_is_no_archive_is_not_one_of_sqlite(
    scratch_url: str, tmp_path: Path, name: str, problem: str
) -> None:
    (tmp_path / name).mkdir()
    with pytest.raises(DatabaseError, match=problem):
        await restore_moment(
            str(tmp_path),
            now(),
            scratch_url,
            version="1.0",
            may_replace=False,
            migrate=migrate,
            placeholder_domain=PLACEHOLDER_DOMAIN,
            by=BY,
        )


@pytest.mark.usefixtures("only_postgres")
async def test_a_server_that_does_not_archive_is_named(
    scratch_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(DatabaseError, match="`archive_mode` is off"):
        await make_base_backup(scratch_url, tmp_path)
    server = {"is_archiving": True, "failed": "000000010000000000000001"}
    with pytest.raises(DatabaseError, match="failed for `000000010000000000000001`"):
        base_backups._require_archiving(server)
    with pytest.raises(DatabaseError, match="Base backups are of PostgreSQL"):
        await make_base_backup("sqlite:///masthead.db", tmp_path)


def test_a_server_never_runs_as_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert not recovery._login()
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    entry = pwd.getpwuid(os.getuid())
    monkeypatch.setattr(pwd, "getpwnam", {"postgres": entry}.__getitem__)
    assert recovery._login()["user"] == entry.pw_uid
    monkeypatch.setattr(pwd, "getpwnam", dict[str, object]().__getitem__)
    with pytest.raises(DatabaseError, match="there is no user `postgres`"):
        recovery._login()


def test_a_base_backup_is_unpacked_for_its_owner_and_nowhere_else(tmp_path: Path) -> None:
    def unpack(name: str, kind: bytes = tarfile.REGTYPE) -> None:
        member = tarfile.TarInfo(name)
        member.size, member.mode, member.type = 4, 0o666, kind
        with tarfile.open(tmp_path / "base.tar", "w") as tar:
            tar.addfile(member, io.BytesIO(b"data"))
        with tarfile.open(tmp_path / "base.tar") as tar:
            recovery._unpack(tar, tar.getmembers()[0], tmp_path / "data")

    (tmp_path / "data").mkdir()
    unpack("PG_VERSION")
    assert (tmp_path / "data/PG_VERSION").read_bytes() == b"data"
    assert (tmp_path / "data/PG_VERSION").stat().st_mode & 0o777 == 0o600
    with pytest.raises(DatabaseError, match="is outside of its folder"):
        unpack("../outside")
    assert not (tmp_path / "outside").exists()
    unpack("pipe", tarfile.FIFOTYPE)  # a base backup has none
    assert not (tmp_path / "data/pipe").exists()


def test_a_base_backup_says_where_its_log_begins(tmp_path: Path) -> None:
    for text in (b"", b"LABEL: without a beginning\n"):
        label = tarfile.TarInfo("backup_label")
        label.size = len(text)
        with tarfile.open(tmp_path / "base.tar", "w") as tar:
            tar.addfile(label, io.BytesIO(text))
        with pytest.raises(DatabaseError, match="has not said where the log begins"):
            base_backups._first_segment(tmp_path / "base.tar")


async def test_the_programs_have_the_version_of_the_archive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "pg_ctl"
    program.write_text("#!/bin/sh\necho 'pg_ctl (PostgreSQL) 12.3'\n")
    program.chmod(0o700)

    async def find(_name: str, _major: int) -> Path:
        return program

    monkeypatch.setattr(recovery, "find_program", find)
    assert await recovery._find_server(12) == program
    with pytest.raises(DatabaseError, match="Install the package `postgresql-17`"):
        await recovery._find_server(17)


def test_an_archived_file_is_never_replaced_by_another(tmp_path: Path) -> None:
    def copy(text: str) -> int:
        (tmp_path / "log").write_text(text)
        (tmp_path / "log").chmod(0o600)  # as PostgreSQL's files are
        command = [ROOT / "ops/archive-wal.sh", tmp_path / "log", tmp_path / "wal"]
        return subprocess.run(command, capture_output=True, check=False).returncode

    assert [copy("first"), copy("first"), copy("second")] == [0, 0, 1]
    assert (tmp_path / "wal").read_text() == "first"
    assert (tmp_path / "wal").stat().st_mode & 0o777 == 0o640, "masthead reads it with its group"
    assert {path.name for path in tmp_path.iterdir()} == {"log", "wal"}
