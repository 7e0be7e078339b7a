"""Power failure at any moment of an import, on SQLite.

Only the last transaction of an import waits for the disk. After a power failure, the import goes on
with the rows that are there, and none is lost once it has said that it is complete.
"""

import shutil
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from msgspec import structs

from masthead.model.imports.batches import ImportBatch
from masthead.services.imports.work import run_batch as run
from masthead.services.imports.work.leases import new_holder
from masthead.services.imports.work.run_batch import run_batch
from masthead.settings import Settings
from masthead.store.engine.database import connect
from masthead.store.engine.migrate import migrate
from masthead.store.engine.sqlite import checkpoints, connection as sqlite_connection
from tests.conftest import BY, Cast, make_account, serving
from tests.faults.support.disk import watched_disk
from tests.faults.support.power import Outcome, Recorder, every_prefix
from tests.faults.test_power_loss import (
    NAME,
    ONE_IN,
    THOROUGH,
    Found,
    a_few,
    disk,
    list_faults,
    look_into,
    states,
)
from tests.services.imports.support import begin, reading_of, row
from tests.support.factories import make_issues

__all__ = ["disk"]
pytestmark = [pytest.mark.faults, pytest.mark.slow]

ROWS = [row(f"R{number}") for number in range(6)]
IN_A_TRANSACTION = 2  # rows; only the last transaction waits for the disk
COMMAND = structs.replace(BY, kind="command", id="import")


@dataclass
class Imported:
    """An import on a recorded disk. at: when it was acknowledged."""

    recorder: Recorder
    cast: Cast
    at: int

    def lost(self, outcome: Outcome, path: Path) -> list[str]:
        """What a cut has destroyed. Raises: apsw.Error, AssertionError if the file is damaged."""
        count = len(look_into(path))
        if outcome.cut >= self.at and count < len(ROWS):
            return [f"{len(ROWS) - count} acknowledged rows"]
        return [] if count % IN_A_TRANSACTION == 0 else ["a part of a transaction"]


async def go_on(cast: Cast) -> ImportBatch:
    """Import the rows, or go on with their import."""
    reading, holder = await reading_of(cast, *ROWS), new_holder()
    batch = await begin(cast, reading, holder=holder, by=COMMAND)
    return await run_batch(cast.db, cast.account_id, batch, reading, holder=holder)


async def record_import(folder: Path) -> Imported:
    """Import rows on a recorded disk."""
    url = f"sqlite:///{folder / NAME}"
    migrate(url)
    async with serving(Settings(database_url=url)) as (app, client):
        cast = await make_account(client, app.state.db, "Acme")
        await make_issues(cast, 1, 2)
    recorder = Recorder(folder)
    with watched_disk(folder, recorder):
        db = await connect(url)
        await go_on(replace(cast, db=db))
        at = recorder.position()
        await db.close()
    return Imported(recorder, cast, at)


async def repeat_import(cast: Cast, path: Path) -> list[str]:
    """Import the same file again, after a minute; returns the faults that are left."""
    db = await connect(f"sqlite:///{path}")
    try:
        await db.write(lambda tx: tx.execute("DELETE FROM lease", {}))
        counts = (await go_on(replace(cast, db=db))).counts
        assert (counts.read, counts.imported + counts.skipped) == (len(ROWS), len(ROWS))
    finally:
        await db.close()
    assert len(look_into(path)) == len(ROWS)
    return await list_faults(path)


async def test_after_a_power_failure_an_import_goes_on(
    disk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "BATCH", IN_A_TRANSACTION)
    done, scratch, found = await record_import(disk), tmp_path / "after", Found()
    for number, outcome in enumerate(a_few(states(done.recorder), ONE_IN)):
        outcome.state.write_to(scratch)
        found.lost += done.lost(outcome, scratch / NAME)
        if number % THOROUGH == 0:
            found.damaged += await repeat_import(done.cast, scratch / NAME)
        found.states += 1
        shutil.rmtree(scratch)
    assert (found.lost, found.damaged) == ([], [])
    assert found.states > 10


async def test_if_no_transaction_waits_for_the_disk_an_acknowledged_import_is_lost(
    disk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "BATCH", IN_A_TRANSACTION)
    monkeypatch.setattr(sqlite_connection, "SYNCHRONOUS", sqlite_connection.NOT_YET_DURABLE)
    monkeypatch.setattr(checkpoints, "DELAY_SECONDS", 3600.0)  # a checkpoint would wait for it
    monkeypatch.setattr(checkpoints, "LOG_BYTES", 10**9)
    done, scratch = await record_import(disk), tmp_path / "after"
    for outcome in every_prefix(done.recorder):
        if outcome.cut >= done.at:
            outcome.state.write_to(scratch)
            lost = done.lost(outcome, scratch / NAME)
            shutil.rmtree(scratch)
            if lost:
                return
    pytest.fail("no row was lost")
