"""Leases: one holder at a time, regardless of the system clock."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import time_machine

from masthead.store.background import clock, leases
from masthead.store.engine.database import connect
from masthead.store.engine.interface import Database, Transaction

DURATION = timedelta(seconds=30)


@pytest.fixture
async def alone(scratch_url: str) -> AsyncIterator[Database]:
    """A separate database for the test."""
    db = await connect(scratch_url)
    yield db
    await db.close()


async def take(db: Database, holder: str) -> bool:
    async def work(tx: Transaction) -> bool:
        return await leases.take_lease(tx, name="work", holder=holder, duration=DURATION)

    return await db.write(work)


async def is_held(db: Database) -> bool:
    return await leases.is_held(db, name="work", duration=DURATION)


async def move(db: Database, by: timedelta) -> None:
    """Postpone the end of the lease."""

    async def work(tx: Transaction) -> None:
        await tx.execute(
            "UPDATE lease SET until_tick = until_tick + :by",
            {"by": by // timedelta(milliseconds=1)},
        )

    await db.write(work)


async def test_a_lease_has_one_holder_who_can_renew_it(alone: Database) -> None:
    assert await take(alone, "ann")
    assert not await take(alone, "bob")
    assert await take(alone, "ann")


async def test_a_lease_that_ended_or_was_released_can_be_taken(alone: Database) -> None:
    assert not await is_held(alone)
    assert await take(alone, "ann")
    assert await is_held(alone)
    await move(alone, 3 * DURATION)  # as after a restart of the machine, whose uptime is shorter
    assert not await is_held(alone)
    await move(alone, -4 * DURATION - timedelta(seconds=1))
    assert not await is_held(alone)
    assert await take(alone, "bob")

    async def release(tx: Transaction) -> None:
        await leases.release_lease(tx, name="work", holder="bob")

    await alone.write(release)
    assert await take(alone, "ann")


@pytest.mark.parametrize("by", [timedelta(hours=-1), timedelta(days=400), timedelta(days=-400)])
async def test_setting_the_clock_does_not_change_the_end_of_a_lease(
    alone: Database, by: timedelta
) -> None:
    assert await take(alone, "ann")
    with time_machine.travel(datetime.now(UTC) + by):
        assert not await take(alone, "bob")
        await move(alone, -DURATION - timedelta(seconds=1))
        assert await take(alone, "bob")


async def test_a_lease_that_lasts_too_long_can_be_taken(alone: Database) -> None:
    """The database's clock went back, or the machine was restarted."""
    assert await take(alone, "ann")
    await move(alone, timedelta(hours=1))
    assert await take(alone, "bob")


async def test_a_lease_of_an_older_version_has_ended(alone: Database) -> None:
    async def work(tx: Transaction) -> None:
        row = {"name": "work", "holder": "old", "until_at": datetime(2999, 1, 1, tzinfo=UTC)}
        await tx.insert_rows("lease", [{**row, "until_tick": 0}])

    await alone.write(work)
    assert await take(alone, "ann")
    (lease,) = await leases.list_leases(alone)
    assert (lease.name, lease.holder) == ("work", "ann")


def test_the_uptime_is_known_without_the_files_of_the_system(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert clock.read_uptime() <= clock.read_uptime()
    for name in ("_UPTIME", "_BOOT_ID"):
        monkeypatch.setattr(clock, name, Path("/nowhere/at/all"))
    assert clock.read_boot_id() == ""
    assert 0 < clock.read_uptime() <= clock.read_uptime()
