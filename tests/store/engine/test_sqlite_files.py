"""The files of a SQLite database: who can read them, and whether they were replaced."""

import asyncio
import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from masthead.model.errors import Unavailable
from masthead.store.engine.database import connect, list_exposed_files
from masthead.store.engine.interface import Database, DatabaseError, Transaction
from masthead.store.engine.migrate import migrate
from masthead.store.engine.sqlite import checkpoints, database, files as sqlite_files
from masthead.store.engine.sqlite.files import marker_of, require_new
from tests.support.waiting import PATIENCE

UMASKS = (0o000, 0o022, 0o077, 0o777)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The address of a database that does not exist yet."""
    return tmp_path / "masthead.db"


@pytest.fixture
def url(path: Path) -> str:
    """A database that has its tables."""
    migrate(f"sqlite:///{path}")
    return f"sqlite:///{path}"


@pytest.fixture(params=UMASKS, ids=oct)
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    """The umask of this process."""
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def modes(folder: Path) -> dict[str, str]:
    """The permissions of the files in a folder."""
    return {each.name: oct(each.stat().st_mode & 0o777) for each in folder.iterdir()}


async def write(db: Database) -> None:
    """Change something."""

    async def work(tx: Transaction) -> None:
        await tx.execute("CREATE TABLE IF NOT EXISTS sample (id integer)", {})
        await tx.execute("INSERT INTO sample VALUES (1)", {})

    await db.write(work)


def is_copied(path: Path) -> bool:
    """Whether a checkpoint has copied the change of `write` into the file."""
    return b"CREATE TABLE sample" in path.read_bytes()


async def read(db: Database) -> int:
    """Read something."""
    row = await db.fetch_one("SELECT count(*) AS n FROM account", {})
    assert row is not None
    return int(row["n"])


async def probe(db: Database) -> None:
    """Check whether the database is writable."""
    await db.probe_write()


# --- who can read them ----------------------------------------------------------------------------


@pytest.mark.usefixtures("umask")
async def test_only_the_owner_can_open_each_file_regardless_of_the_umask(path: Path) -> None:
    migrate(f"sqlite:///{path}")
    db = await connect(f"sqlite:///{path}")
    await write(db)
    names = ("masthead.db", "masthead.db-wal", "masthead.db-shm", ".masthead.db.created")
    assert modes(path.parent) == dict.fromkeys(names, "0o600")
    await db.close()


def test_a_database_that_others_can_open_is_listed(path: Path, url: str) -> None:
    assert list_exposed_files(url) == []
    path.chmod(0o640)
    assert list_exposed_files(url) == [(path, "0640")]
    assert list_exposed_files("postgresql://db.internal/masthead") == []


# --- only one database for one path ---------------------------------------------------------------


@pytest.mark.parametrize("left", [".masthead.db.created", "masthead.db-wal", "masthead.db-shm"])
def test_a_new_database_is_refused_if_there_are_files_of_an_earlier_one(
    path: Path, left: str
) -> None:
    require_new(path)
    path.with_name(left).write_text("x")
    with pytest.raises(DatabaseError, match="is missing, but there was one before"):
        require_new(path)
    path.touch()
    with pytest.raises(DatabaseError, match="is empty, but there was one before"):
        require_new(path)


def test_migrating_leaves_a_marker_file_with_an_explanation(path: Path, url: str) -> None:
    assert "`masthead serve`" in marker_of(path).read_text()
    migrate(url)


def test_migrating_does_not_destroy_the_log_of_a_missing_database(path: Path) -> None:
    log = path.with_name("masthead.db-wal")
    log.write_bytes(b"changes")
    with pytest.raises(DatabaseError, match=r"masthead\.db-wal` holds changes"):
        migrate(f"sqlite:///{path}")
    assert log.read_bytes() == b"changes"
    assert not path.exists()
    log.write_bytes(b"")
    migrate(f"sqlite:///{path}")


# --- files that are moved or replaced while they are open -----------------------------------------


def remove(path: Path) -> None:
    """Remove the database itself."""
    path.unlink()


def move_aside(path: Path) -> Path:
    """Rename the database."""
    return path.rename(path.with_suffix(".aside"))


def replace(path: Path) -> None:
    """Replace the database with a copy."""
    copy = path.with_suffix(".copy")
    copy.write_bytes(path.read_bytes())
    copy.rename(path)


def remove_log(path: Path) -> None:
    """Remove the log."""
    path.with_name("masthead.db-wal").unlink()


def remove_index(path: Path) -> None:
    """Remove the index of the log, which also holds the locks."""
    path.with_name("masthead.db-shm").unlink()


DAMAGES = [remove, replace, remove_log, remove_index]


@pytest.mark.parametrize("damage", DAMAGES)
async def test_nothing_is_read_or_written_after_a_file_was_replaced(
    path: Path, url: str, damage: Callable[[Path], None]
) -> None:
    db = await connect(url)
    await asyncio.gather(write(db), read(db))
    damage(path)
    time.sleep(sqlite_files.VERIFIED_SECONDS)  # noqa: ASYNC251 - the clock is what counts
    with capture_logs() as logs:
        for attempt in (write, read, write, read, probe):
            with pytest.raises(Unavailable, match="moved or replaced"):
                await attempt(db)
    moved = [line for line in logs if line["event"] == "database file moved or replaced"]
    assert len(moved) == 1, "once, not for every request"
    assert moved[0]["state"] == ("replaced" if damage is replace else "missing")
    await db.close()


async def test_a_file_that_another_program_makes_anew_is_the_same_damage(
    path: Path, url: str
) -> None:
    db = await connect(url)
    await write(db)
    remove_log(path)
    with capture_logs() as logs:
        for _ in range(2):
            with pytest.raises(Unavailable, match="moved or replaced"):
                await write(db)
            path.with_name("masthead.db-wal").touch()
    assert [line["event"] for line in logs] == ["database file moved or replaced"]
    await db.close()


async def test_the_service_continues_when_the_same_file_is_back(path: Path, url: str) -> None:
    db = await connect(url)
    await write(db)
    aside = move_aside(path)
    with pytest.raises(Unavailable):
        await write(db)
    aside.rename(path)
    with capture_logs() as logs:
        await write(db)
        assert await read(db) == 0
    assert [line["event"] for line in logs] == ["database files are back"]
    await db.close()


def test_a_check_that_began_before_a_damage_does_not_say_that_the_files_are_back(
    path: Path, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    files, found, go_on = sqlite_files.OpenFiles(path), threading.Event(), threading.Event()
    look = sqlite_files._identity

    def look_slowly(file: Path) -> sqlite_files.Identity | None:
        identity = look(file)
        if not found.is_set():
            found.set()
            assert go_on.wait(PATIENCE)
        return identity

    def verify_damaged() -> None:
        with pytest.raises(Unavailable):
            files.verify()

    monkeypatch.setattr(sqlite_files, "_identity", look_slowly)
    first, second = threading.Thread(target=files.verify), threading.Thread(target=verify_damaged)
    with capture_logs() as logs:
        first.start()
        assert found.wait(PATIENCE)
        remove(path)
        second.start()
        second.join(0.1)  # it is over only if it has not waited for the first one
        go_on.set()
        first.join()
        second.join()
        verify_damaged()
    assert [line["event"] for line in logs] == ["database file moved or replaced"]


async def test_a_write_fails_if_its_file_is_removed_during_it(path: Path, url: str) -> None:
    db = await connect(url)

    async def work(_tx: Transaction) -> None:
        move_aside(path)

    with pytest.raises(Unavailable):
        await db.write(work)
    await db.close()


async def test_the_log_of_a_linked_database_is_next_to_the_target_of_the_link(
    path: Path, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkpoints, "DELAY_SECONDS", 0.01)
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    link = folder / "link.db"
    link.symlink_to(path)
    db = await connect(f"sqlite:///{link}")
    await write(db)
    assert list(folder.iterdir()) == [link]
    async with asyncio.timeout(30):
        while not is_copied(path):  # noqa: ASYNC110 - another thread does it
            await asyncio.sleep(0.01)
    link.unlink()
    with pytest.raises(Unavailable):
        await write(db)
    await db.close()


async def test_a_database_that_is_replaced_while_it_is_opened_is_refused(
    path: Path, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    opening = sqlite_files.OpenFiles.complete

    def late(files: sqlite_files.OpenFiles) -> None:
        replace(path)
        opening(files)

    monkeypatch.setattr(sqlite_files.OpenFiles, "complete", late)
    with pytest.raises(DatabaseError, match="moved or replaced"):
        await connect(url)


# --- whether the database is writable -------------------------------------------------------------


async def test_concurrent_probes_share_one_write(
    path: Path, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    db = await connect(url)
    log = path.with_name("masthead.db-wal")
    await db.probe_write()
    size = log.stat().st_size
    assert size > 0
    await asyncio.gather(*(db.probe_write() for _ in range(10)))
    assert log.stat().st_size == size
    monkeypatch.setattr(database, "PROBE_SECONDS", 0.0)
    await asyncio.gather(*(db.probe_write() for _ in range(10)))
    assert 0 < log.stat().st_size - size < 10_000, "one page"
    await db.close()


async def test_a_write_fails_in_time_while_the_path_of_its_folder_is_a_file(tmp_path: Path) -> None:
    """Even if the size of the log cannot be read, the writer continues."""
    folder = tmp_path / "data"
    folder.mkdir()
    url = f"sqlite:///{folder / 'masthead.db'}"
    migrate(url)
    db = await connect(url)
    moved = folder.rename(tmp_path / "moved")
    folder.touch()
    for _ in range(2):
        with pytest.raises(Unavailable):
            async with asyncio.timeout(PATIENCE):
                await write(db)
    folder.unlink()
    moved.rename(folder)
    await asyncio.sleep(sqlite_files.VERIFIED_SECONDS)
    await write(db)
    await db.close()


@pytest.mark.parametrize("name", ["carol", str(os.getuid())])
async def test_a_file_of_another_user_is_named_with_its_owner(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    def owner(path: Path) -> str:
        if name.isdigit():
            raise KeyError(path)
        return name

    (path := tmp_path / "masthead.db").mkdir()  # root may open all files, but no folder as one
    with pytest.raises(DatabaseError, match=r"cannot be opened: unable to open database file\.$"):
        await connect(f"sqlite:///{path}")
    monkeypatch.setattr("os.access", lambda *_: False)
    monkeypatch.setattr(Path, "owner", owner)
    with pytest.raises(DatabaseError, match=f"it belongs to `{name}`, and this user may not read"):
        await connect(f"sqlite:///{path}")
