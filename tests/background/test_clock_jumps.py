"""The clock jumps while masthead runs: nothing changes, and all continues when it is right."""

from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
import time_machine
from structlog.testing import capture_logs

from masthead.background import clock
from masthead.model.clock import Verdict
from masthead.services.identity import sessions
from masthead.services.maintenance import clock as service
from masthead.services.maintenance.check import check
from masthead.services.maintenance.check_clock import find_clock_faults
from masthead.store.background import clock as store
from masthead.store.identity.sign_in import insert_session
from tests.conftest import BY
from tests.support.factories import make_membership
from tests.support.stage import Stage, open_stage

AHEAD = timedelta(days=400)


@pytest.fixture
async def stage(scratch_url: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Stage]:
    """A separate service, whose database server, if any, has its clock."""

    async def find_server_time(_: object) -> datetime | None:
        return None

    monkeypatch.setattr(store, "find_server_time", find_server_time)
    async with open_stage(scratch_url) as opened:
        yield opened


@contextmanager
def jump(by: timedelta) -> Iterator[None]:
    """Set the clock during the block."""
    with time_machine.travel(datetime.now(UTC) + by):
        yield


async def daily_date(stage: Stage) -> date:
    row = await stage.cast.db.fetch_one("SELECT daily_date FROM account_state", {})
    assert row is not None
    day: date = row["daily_date"]
    return day


async def status(stage: Stage, member: dict[str, Any]) -> str:
    shown = (await stage.cast.get(f"/v1/subscriptions/{member['id']}/")).json()
    return str(shown["status"])


async def faults(stage: Stage) -> list[object]:
    db = stage.cast.db
    return [
        *[fault async for fault in check(db)],
        *[fault async for fault in find_clock_faults(db)],
    ]


async def make_ending(stage: Stage) -> dict[str, Any]:
    """A membership that ends within 400 days."""
    member = await make_membership(stage.cast, is_recurring="true")
    end = datetime.now(UTC).date() + timedelta(days=100)
    await stage.execute("UPDATE period SET period_end = :end", end=end)
    return member


async def test_a_clock_far_ahead_changes_nothing_and_is_logged_once(stage: Stage) -> None:
    member = await make_ending(stage)
    worker = stage.background()
    await worker.work_once()
    today = await daily_date(stage)
    with capture_logs() as logs, jump(AHEAD):
        for _ in range(3):
            await worker.work_once()
    (entry,) = [each for each in logs if each["log_level"] == "error"]
    assert entry["event"] == "clock not trusted: the daily pass waits"
    assert "masthead daily --confirm" in entry["do"]
    assert (await daily_date(stage), await status(stage, member)) == (today, "Active")
    with capture_logs() as logs:
        await worker.work_once()
    assert "clock trusted again" in [each["event"] for each in logs]
    await stage.background().work_once()
    assert await faults(stage) == []


async def test_without_the_guard_it_makes_changes_that_can_be_reverted(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The control: this is what the guard prevents."""
    member = await make_ending(stage)
    worker = stage.background()
    await worker.work_once()
    monkeypatch.setattr(service, "judge", lambda *_, **__: Verdict.TRUSTED)
    with jump(AHEAD):
        await worker.work_once()
    assert await status(stage, member) == "Past due"
    assert await faults(stage) != []


async def test_a_restart_while_the_clock_is_ahead_changes_nothing(stage: Stage) -> None:
    member = await make_ending(stage)
    await stage.background().work_once()
    await stage.execute("DELETE FROM lease")
    with jump(AHEAD), capture_logs() as logs:
        await stage.background().work_once()
    assert [each["event"] for each in logs if each["log_level"] == "error"]
    assert await status(stage, member) == "Active"


async def test_after_confirmation_the_new_date_counts(stage: Stage) -> None:
    member = await make_ending(stage)
    worker = stage.background()
    await worker.work_once()
    with jump(AHEAD):
        await worker.work_once()
        await service.confirm_clock(stage.cast.db, by=BY)
        await worker.work_once()
        assert await status(stage, member) == "Past due"
        assert await daily_date(stage) == datetime.now(UTC).date()


async def test_a_clock_set_back_changes_nothing_and_emails_are_sent(stage: Stage) -> None:
    worker = stage.background()
    await worker.work_once()
    today = await daily_date(stage)
    await stage.welcome()
    with jump(-timedelta(hours=1)):
        await worker.work_once()
        assert len(stage.mailbox.letters) == 1
    with jump(-timedelta(days=3)):
        await stage.welcome("bob@example.test")
        await worker.work_once()
        assert len(stage.mailbox.letters) == 2
    assert await daily_date(stage) == today
    await worker.work_once()
    assert await faults(stage) == []


async def test_an_email_put_off_while_the_clock_was_ahead_is_not_put_off_for_a_year(
    stage: Stage,
) -> None:
    await stage.welcome()
    stage.mailbox.answers["DATA"] = "451 later"
    worker = stage.background()
    with jump(AHEAD):
        await worker.work_once()
    stage.mailbox.answers.clear()
    await worker.work_once()
    assert len(stage.mailbox.letters) == 1


async def test_sessions_are_kept_while_the_clock_is_ahead(stage: Stage) -> None:
    async def count() -> int:
        return len(await stage.cast.db.fetch_all("SELECT digest FROM web_session", {}))

    user = await stage.cast.db.fetch_one("SELECT id FROM app_user", {})
    assert user is not None
    await stage.cast.db.write(lambda tx: insert_session(tx, "0" * 64, user["id"], ""))
    worker = stage.background()
    with jump(AHEAD):
        await stage.background().work_once()
        await worker.work_once()
    assert await count() == 1
    assert await sessions.list_sessions(stage.cast.db, user["id"])


async def test_a_session_from_a_clock_that_was_ahead_does_not_last_for_a_year(stage: Stage) -> None:
    user = await stage.cast.db.fetch_one("SELECT id FROM app_user", {})
    assert user is not None
    with jump(AHEAD):
        await stage.cast.db.write(lambda tx: insert_session(tx, "0" * 64, user["id"], ""))
    await stage.background().work_once()
    assert await sessions.list_sessions(stage.cast.db, user["id"]) == []


async def test_the_heartbeat_is_kept_every_minute(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def seen_at() -> datetime:
        row = await stage.cast.db.fetch_one("SELECT seen_at FROM heartbeat", {})
        assert row is not None
        moment: datetime = row["seen_at"]
        return moment

    worker = stage.background()
    await worker.work_once()
    first = await seen_at()
    await worker.work_once()
    assert await seen_at() == first
    monkeypatch.setattr(clock, "HEARTBEAT_SECONDS", 0.0)
    await worker.work_once()
    assert await seen_at() > first


async def test_a_pass_ends_when_the_lease_is_lost(stage: Stage) -> None:
    yesterday = (datetime.now(UTC) - timedelta(days=1)).date()
    await stage.execute("UPDATE account_state SET daily_date = :day", day=yesterday)
    worker = stage.background()
    await worker._jobs["daily pass"].run_once()  # without the lease
    assert await daily_date(stage) == yesterday
