"""The clock jumps while masthead runs: no data changes, and work continues when it is right."""

from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
import time_machine
from structlog.testing import capture_logs

from masthead.background import clock
from masthead.model.clock import ClockState
from masthead.services.background import clock as service
from masthead.services.check.accounts import check
from masthead.services.check.clock import find_clock_faults
from masthead.services.identity import sessions
from masthead.store.background import clock as store
from masthead.store.identity.sessions import insert_session
from tests.conftest import BY
from tests.support.factories import make_membership
from tests.support.own_service import OwnService, open_own_service

AHEAD = timedelta(days=400)


@pytest.fixture
async def own(scratch_url: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[OwnService]:
    """A separate service, whose database server, if any, has its clock."""

    async def find_server_time(_: object) -> datetime | None:
        return None

    monkeypatch.setattr(store, "find_server_time", find_server_time)
    async with open_own_service(scratch_url) as opened:
        yield opened


@contextmanager
def jump(by: timedelta) -> Iterator[None]:
    """Set the clock during the block."""
    with time_machine.travel(datetime.now(UTC) + by):
        yield


async def daily_date(own: OwnService) -> date:
    row = await own.cast.db.fetch_one("SELECT daily_date FROM account_state", {})
    assert row is not None
    day: date = row["daily_date"]
    return day


async def status(own: OwnService, member: dict[str, Any]) -> str:
    shown = (await own.cast.get(f"/v1/subscriptions/{member['id']}/")).json()
    return str(shown["status"])


async def faults(own: OwnService) -> list[object]:
    db = own.cast.db
    return [
        *[fault async for fault in check(db)],
        *[fault async for fault in find_clock_faults(db)],
    ]


async def make_ending(own: OwnService) -> dict[str, Any]:
    """A membership that ends within 400 days."""
    member = await make_membership(own.cast, is_recurring="true")
    end = datetime.now(UTC).date() + timedelta(days=100)
    await own.execute("UPDATE period SET period_end = :end", end=end)
    return member


async def test_a_clock_far_ahead_changes_nothing_and_is_logged_once(own: OwnService) -> None:
    member = await make_ending(own)
    worker = own.background()
    await worker.work_once()
    today = await daily_date(own)
    with capture_logs() as logs, jump(AHEAD):
        for _ in range(3):
            await worker.work_once()
    (entry,) = [each for each in logs if each["log_level"] == "error"]
    assert entry["event"] == "clock not trusted: the daily pass waits"
    assert "masthead daily --confirm" in entry["do"]
    assert (await daily_date(own), await status(own, member)) == (today, "Active")
    with capture_logs() as logs:
        await worker.work_once()
    assert "clock trusted again" in [each["event"] for each in logs]
    await own.background().work_once()
    assert await faults(own) == []


async def test_without_the_protection_its_changes_can_be_reverted(
    own: OwnService, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The positive control: the same without the protection."""
    member = await make_ending(own)
    worker = own.background()
    await worker.work_once()
    monkeypatch.setattr(service, "clock_state", lambda *_, **__: ClockState.TRUSTED)
    with jump(AHEAD):
        await worker.work_once()
    assert await status(own, member) == "Past due"
    assert await faults(own) != []


async def test_a_restart_while_the_clock_is_ahead_changes_nothing(own: OwnService) -> None:
    member = await make_ending(own)
    await own.background().work_once()
    await own.execute("DELETE FROM lease")
    with jump(AHEAD), capture_logs() as logs:
        await own.background().work_once()
    assert [each["event"] for each in logs if each["log_level"] == "error"]
    assert await status(own, member) == "Active"


async def test_after_confirmation_the_new_date_is_used(own: OwnService) -> None:
    member = await make_ending(own)
    worker = own.background()
    await worker.work_once()
    with jump(AHEAD):
        await worker.work_once()
        await service.confirm_clock(own.cast.db, by=BY)
        await worker.work_once()
        assert await status(own, member) == "Past due"
        assert await daily_date(own) == datetime.now(UTC).date()


async def test_a_clock_set_back_changes_nothing_and_emails_are_sent(own: OwnService) -> None:
    worker = own.background()
    await worker.work_once()
    today = await daily_date(own)
    await own.welcome()
    with jump(-timedelta(hours=1)):
        await worker.work_once()
        assert len(own.mailbox.emails) == 1
    with jump(-timedelta(days=3)):
        await own.welcome("bob@example.test")
        await worker.work_once()
        assert len(own.mailbox.emails) == 2
    assert await daily_date(own) == today
    await worker.work_once()
    assert await faults(own) == []


async def test_an_email_delayed_while_the_clock_was_ahead_does_not_wait_for_a_year(
    own: OwnService,
) -> None:
    await own.welcome()
    own.mailbox.answers["DATA"] = "451 later"
    worker = own.background()
    with jump(AHEAD):
        await worker.work_once()
    own.mailbox.answers.clear()
    await worker.work_once()
    assert len(own.mailbox.emails) == 1


async def test_sessions_are_kept_while_the_clock_is_ahead(own: OwnService) -> None:
    async def count() -> int:
        return len(await own.cast.db.fetch_all("SELECT digest FROM web_session", {}))

    user = await own.cast.db.fetch_one("SELECT id FROM app_user", {})
    assert user is not None
    await own.cast.db.write(lambda tx: insert_session(tx, "0" * 64, user["id"], ""))
    worker = own.background()
    with jump(AHEAD):
        await own.background().work_once()
        await worker.work_once()
    assert await count() == 1
    assert await sessions.list_sessions(own.cast.db, user["id"])


async def test_a_session_from_a_clock_that_was_ahead_does_not_last_for_a_year(
    own: OwnService,
) -> None:
    user = await own.cast.db.fetch_one("SELECT id FROM app_user", {})
    assert user is not None
    with jump(AHEAD):
        await own.cast.db.write(lambda tx: insert_session(tx, "0" * 64, user["id"], ""))
    await own.background().work_once()
    assert await sessions.list_sessions(own.cast.db, user["id"]) == []


async def test_the_heartbeat_is_stored_every_minute(
    own: OwnService, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def seen_at() -> datetime:
        row = await own.cast.db.fetch_one("SELECT seen_at FROM heartbeat", {})
        assert row is not None
        moment: datetime = row["seen_at"]
        return moment

    worker = own.background()
    await worker.work_once()
    first = await seen_at()
    await worker.work_once()
    assert await seen_at() == first
    monkeypatch.setattr(clock, "HEARTBEAT_SECONDS", 0.0)
    await worker.work_once()
    assert await seen_at() > first


async def test_a_daily_pass_stops_when_the_lease_is_lost(own: OwnService) -> None:
    yesterday = (datetime.now(UTC) - timedelta(days=1)).date()
    await own.execute("UPDATE account_state SET daily_date = :day", day=yesterday)
    worker = own.background()
    await worker._jobs["daily pass"].run_once()  # without the lease
    assert await daily_date(own) == yesterday
