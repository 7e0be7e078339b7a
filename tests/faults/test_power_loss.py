"""Power failure at any moment, on SQLite.

Every acknowledged write survives, and every state can be opened. decision 0035 says
what the model of a disk assumes; see also `tests.faults.support.power`.
"""

import asyncio
import itertools
import random
import shutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import apsw
import pytest

from masthead.services.check.accounts import check
from masthead.settings import Settings
from masthead.store.engine.database import SCHEMA_VERSION, connect
from masthead.store.engine.migrate import migrate
from masthead.store.engine.sqlite import checkpoints, connection as sqlite_connection
from tests.conftest import Cast, make_account, serving
from tests.faults.support.disk import watched_disk
from tests.faults.support.power import Change, Outcome, Recorder, Sync, every_prefix, sampled
from tests.support.factories import make_issues, make_subscription
from tests.support.rounds import rounds

pytestmark = pytest.mark.faults

WRITERS = 4
IS_LONG = rounds(0) > 0
ORDERS = 10 if IS_LONG else 2  # of each writer
SAMPLES = rounds(10) * 10
ONE_IN = 1 if IS_LONG else 7  # states that are tried
THOROUGH = 20  # one in so many of these gets masthead's own check, or is migrated, too
NAME = "masthead.db"


@dataclass
class Promises:
    """The responses to clients, each with its position in the record of the disk."""

    created: dict[str, int] = field(default_factory=dict)
    noted: dict[str, int] = field(default_factory=dict)
    cancelled: dict[str, int] = field(default_factory=dict)

    def broken(self, cut: int, found: dict[str, tuple[str, str]]) -> list[str]:
        """Writes that were acknowledged before the cut and are lost."""
        lost = [f"order {id}" for id, at in self.created.items() if at <= cut and id not in found]
        for id, at in self.noted.items():
            if at <= cut and found.get(id, ("", ""))[0] != id:
                lost.append(f"notes {id}")
        for id, at in self.cancelled.items():
            if at <= cut and found.get(id, ("", ""))[1] != "Cancelled":
                lost.append(f"end {id}")
        return lost


@dataclass
class Found:
    """The results for the states after a cut."""

    states: int = 0
    lost: list[str] = field(default_factory=list)
    damaged: list[str] = field(default_factory=list)


@pytest.fixture
def disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for a database with a short log that is copied often, to cover its whole cycle."""
    monkeypatch.setattr(checkpoints, "DELAY_SECONDS", 0.05)
    monkeypatch.setattr(checkpoints, "LOG_BYTES", 100_000)
    folder = tmp_path / "disk"
    folder.mkdir()
    return folder


async def order_on(cast: Cast, recorder: Recorder, promises: Promises) -> None:
    """Create a subscription, change its notes and cancel it, several times."""
    for _ in range(ORDERS):
        id = (await make_subscription(cast, length=2))["id"]
        promises.created[id] = recorder.position()
        changed = await cast.patch(f"/v1/subscriptions/{id}/", {"notes": id})
        assert changed.status_code == 200, changed.text
        promises.noted[id] = recorder.position()
        ended = await cast.post(f"/v1/subscriptions/{id}/cancel/", {"mode": "cancel"})
        assert ended.status_code == 200, ended.text
        promises.cancelled[id] = recorder.position()


async def record_writes(folder: Path) -> tuple[Recorder, Promises]:
    """Run the service on a recorded disk; return the record and the responses to clients."""
    url = f"sqlite:///{folder / NAME}"
    migrate(url)
    recorder, promises = Recorder(folder), Promises()
    with watched_disk(folder, recorder):
        async with serving(Settings(database_url=url)) as (app, client):
            cast = await make_account(client, app.state.db, "Acme")
            await make_issues(cast, 1, 2)
            orders = (order_on(cast, recorder, promises) for _ in range(WRITERS))
            await asyncio.gather(*orders)
    return recorder, promises


def states(recorder: Recorder) -> Iterator[Outcome]:
    """The states to try; in a short run, the sample is always the same."""
    seed = random.randrange(10**9) if IS_LONG else 1
    chance = random.Random(seed)
    return itertools.chain(every_prefix(recorder), sampled(recorder, chance, SAMPLES))


def a_few(outcomes: Iterable[Outcome], one_in: int) -> Iterator[Outcome]:
    """Every n-th element."""
    return itertools.islice(outcomes, 0, None, one_in)


def look_into(path: Path) -> dict[str, tuple[str, str]]:
    """Notes and status of every subscription. Raises: apsw.Error, AssertionError if damaged."""
    connection = apsw.Connection(str(path), apsw.SQLITE_OPEN_READWRITE)
    try:
        assert connection.pragma("integrity_check") == "ok"
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        rows = connection.execute("SELECT id, notes, status FROM subscription")
        return {id: (notes, status) for id, notes, status in rows}
    finally:
        connection.close()


async def list_faults(path: Path) -> list[str]:
    """The faults that masthead itself finds in a database."""
    db = await connect(f"sqlite:///{path}")
    try:
        return [f"{fault.invariant}: {fault.id}" async for fault in check(db)]
    finally:
        await db.close()


async def try_all(outcomes: Iterable[Outcome], promises: Promises, scratch: Path) -> Found:
    """Open the states that a power cut may leave, and check them."""
    found = Found()
    for number, outcome in enumerate(outcomes):
        outcome.state.write_to(scratch)
        try:
            if number % THOROUGH == 0:
                found.damaged += await list_faults(scratch / NAME)
            found.lost += promises.broken(outcome.cut, look_into(scratch / NAME))
        except Exception as reason:  # noqa: BLE001 - each is reported at the end
            found.damaged.append(repr(reason))
        found.states += 1
        shutil.rmtree(scratch)
    return found


async def test_acknowledged_writes_survive_a_power_failure_at_any_time(
    disk: Path, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    recorder, promises = await record_writes(disk)
    kinds = {event.kind for event in recorder.events if isinstance(event, Change)}
    assert kinds == {"create", "delete", "truncate", "write"}, "not the log's whole cycle"
    found = await try_all(a_few(states(recorder), ONE_IN), promises, tmp_path / "after")
    record_property("client", "no acknowledged write is lost")
    record_property(
        "recovery",
        f"{found.states} states of the disk after {recorder.position()} calls, all consistent",
    )
    assert found.lost == []
    assert found.damaged == []
    assert found.states > 100


@pytest.mark.slow
async def test_without_syncs_a_power_failure_loses_acknowledged_writes(
    disk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_connection, "SYNCHRONOUS", "OFF")
    recorder, promises = await record_writes(disk)
    found = await try_all(a_few(states(recorder), 20), promises, tmp_path / "after")
    assert len(found.lost) > 0
    assert len(found.damaged) > 0


@pytest.mark.slow
async def test_without_syncs_of_the_directory_a_power_failure_loses_acknowledged_writes(
    disk: Path, tmp_path: Path
) -> None:
    recorder, promises = await record_writes(disk)
    nothing = Sync(inode=-1)  # keeps the positions of all others
    recorder.events = [nothing if each == Sync(None) else each for each in recorder.events]
    nameless = (each for each in every_prefix(recorder) if f"{NAME}-wal" not in each.state.names)
    found = await try_all(nameless, promises, tmp_path / "after")
    assert len(found.lost) > 0


# --- migrations -----------------------------------------------------------------------------------


def record_migration(folder: Path) -> Recorder:
    """Create a database on a disk that is recorded."""
    recorder = Recorder(folder)
    with watched_disk(folder, recorder):
        migrate(f"sqlite:///{folder / NAME}")
    return recorder


def version_of(path: Path) -> str | None:
    """The version of the schema, None without one. Raises: apsw.Error if it is damaged."""
    if not path.exists():
        return None
    connection = apsw.Connection(str(path), apsw.SQLITE_OPEN_READWRITE)
    try:
        assert connection.pragma("integrity_check") == "ok"
        if not connection.table_exists("main", "alembic_version"):
            assert connection.execute("SELECT count(*) FROM sqlite_master").get == 0, "half of it"
            return None
        version: str | None = connection.execute("SELECT version_num FROM alembic_version").get
        return version
    finally:
        connection.close()


def test_after_a_power_failure_a_migration_is_complete_or_undone(
    disk: Path, tmp_path: Path
) -> None:
    recorder = record_migration(disk)
    versions: set[str | None] = set()
    scratch = tmp_path / "after"
    for number, outcome in enumerate(a_few(states(recorder), ONE_IN)):
        outcome.state.write_to(scratch)
        version = version_of(scratch / NAME)
        assert version in (None, SCHEMA_VERSION)
        assert version == SCHEMA_VERSION or outcome.cut < recorder.position()
        versions.add(version)
        if number % THOROUGH == 0:
            migrate(f"sqlite:///{scratch / NAME}")
            assert version_of(scratch / NAME) == SCHEMA_VERSION
        shutil.rmtree(scratch)
    assert versions == {None, SCHEMA_VERSION}
