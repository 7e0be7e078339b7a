"""The clock, the newest proof of time, and confirmation by an operator."""

from collections.abc import AsyncIterator
from datetime import UTC, date, datetime, timedelta

import pytest
import time_machine

from masthead.model.clock import ClockState
from masthead.model.errors import Invalid
from masthead.services.accounts import create_account
from masthead.services.background.clock import confirm_clock, keep_heartbeat, read_clock
from masthead.services.background.daily import redo_daily_pass, run_daily_pass
from masthead.services.check.clock import find_clock_faults
from masthead.store.background import clock
from masthead.store.engine.database import connect
from masthead.store.engine.interface import Database, Transaction
from tests.conftest import BY
from tests.support.audit import list_entries
from tests.support.databases import opened

DAY = timedelta(days=1)


@pytest.fixture
async def alone(scratch_url: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Database]:
    """A separate database, with the clock of the test on its server."""
    db = await connect(scratch_url)

    async def find_server_time(_: object) -> datetime | None:
        return None

    monkeypatch.setattr(clock, "find_server_time", find_server_time)
    yield db
    await db.close()


async def make(db: Database, name: str = "acme") -> int:
    account = await create_account(
        db, name=name, subdomain=name, currency="EUR", owner="a@b.test", by=BY
    )
    return account.id


async def restart_machine(db: Database) -> None:
    async def work(tx: Transaction) -> None:
        await tx.execute("UPDATE heartbeat SET boot_id = 'another'", {})

    await db.write(work)


async def faults(db: Database) -> list[tuple[str, str]]:
    return [(fault.account, fault.invariant) async for fault in find_clock_faults(db)]


async def test_a_new_database_trusts_the_clock(alone: Database) -> None:
    assert (await read_clock(alone)).is_trusted
    await make(alone)
    assert (await read_clock(alone)).is_trusted
    assert await faults(alone) == []


async def test_without_a_heartbeat_the_newest_daily_pass_is_the_proof(alone: Database) -> None:
    await make(alone)
    with time_machine.travel(datetime.now(UTC) + 3 * DAY):
        reading = await read_clock(alone)
        assert reading.state is ClockState.UNPROVEN
        assert "was restarted" in reading.reason


async def test_without_a_heartbeat_a_future_daily_pass_proves_nothing(alone: Database) -> None:
    await run_daily_pass(alone, await make(alone), date(2100, 1, 1), by=BY)
    assert (await read_clock(alone)).is_trusted


async def test_a_clock_that_jumps_is_not_trusted_until_it_is_correct_again(alone: Database) -> None:
    await keep_heartbeat(alone, datetime.now(UTC))
    with time_machine.travel(datetime.now(UTC) + 400 * DAY):
        reading = await read_clock(alone)
        assert reading.state is ClockState.AHEAD
        assert "this machine's uptime shows" in reading.reason
        assert await faults(alone) == [("all accounts", "the clock is right")]
    with time_machine.travel(datetime.now(UTC) - 3 * DAY):
        reading = await read_clock(alone)
        assert reading.state is ClockState.BEHIND
        assert "which is later" in reading.reason
    assert (await read_clock(alone)).is_trusted
    assert await faults(alone) == []


async def test_time_that_is_confirmed_by_the_uptime_is_trusted(
    alone: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    await keep_heartbeat(alone, datetime.now(UTC))
    week = 7 * DAY // timedelta(milliseconds=1)
    monkeypatch.setattr(clock, "read_uptime", lambda: clock_before() + week)
    with time_machine.travel(datetime.now(UTC) + 7 * DAY):
        assert (await read_clock(alone)).is_trusted
    await restart_machine(alone)
    with time_machine.travel(datetime.now(UTC) + 7 * DAY):
        assert (await read_clock(alone)).state is ClockState.UNPROVEN
        assert await faults(alone) == []  # nothing contradicts it


clock_before = clock.read_uptime


async def test_the_confirmation_of_the_clock_by_an_operator_is_recorded(alone: Database) -> None:
    account_id = await make(alone)
    seen_at = datetime.now(UTC)
    await keep_heartbeat(alone, seen_at)
    with time_machine.travel(seen_at + 3 * DAY):
        confirmed = await confirm_clock(alone, by=BY)
        assert (await read_clock(alone)).is_trusted
        entries = await list_entries(alone, account_id, "account", str(account_id))
        assert entries[-1]["action"] == "account.confirm_clock"
        assert entries[-1]["after"] == {
            "confirmed_at": confirmed.isoformat().replace("+00:00", "Z")
        }
        await confirm_clock(alone, by=BY)
        again = await list_entries(alone, account_id, "account", str(account_id))
        assert again == entries


async def test_a_clock_that_contradicts_the_database_server_cannot_be_confirmed(
    alone: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def find_server_time(_: object) -> datetime | None:
        return datetime.now(UTC) - 3 * DAY

    monkeypatch.setattr(clock, "find_server_time", find_server_time)
    reading = await read_clock(alone)
    assert reading.state is ClockState.APART
    assert "the database server's clock says" in reading.reason
    with pytest.raises(Invalid, match="Correct the clock that is wrong"):
        await confirm_clock(alone, by=BY)


async def test_the_clock_of_the_server_is_the_clock_of_postgresql(
    scratch_url: str, backend: str
) -> None:
    async with opened(scratch_url) as db:
        server = await clock.find_server_time(db)
    if backend == "sqlite":
        assert server is None
    else:
        assert server is not None
        assert abs(server - datetime.now(UTC)) < timedelta(minutes=1)


async def test_check_finds_the_effects_of_a_wrong_clock_until_they_are_reverted(
    alone: Database,
) -> None:
    account_id = await make(alone)
    with time_machine.travel(datetime.now(UTC) + 400 * DAY):
        await run_daily_pass(alone, account_id, datetime.now(UTC).date(), by=BY)
        await redo_daily_pass(alone, account_id, datetime.now(UTC).date(), by=BY)
        await make(alone, "rival")

        async def take(tx: Transaction) -> None:
            row = {"name": "x", "holder": "y", "until_at": datetime.now(UTC), "until_tick": 0}
            await tx.insert_rows("lease", [row])

        await alone.write(take)
    found = await faults(alone)
    assert set(found) == {
        ("all accounts", "no lease ends in the future"),
        ("acme", "no daily pass is in the future"),
        ("rival", "no daily pass is in the future"),
        ("rival", "no audit entry is in the future"),
    }
    await alone.write(lambda tx: tx.execute_many("DELETE FROM lease", [{}]))
    for id in (account_id, account_id + 1):
        await redo_daily_pass(alone, id, datetime.now(UTC).date(), by=BY)
    assert await faults(alone) == []
