"""Trends are worked out in the background: when they are missing, once a day, and after writes."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest
from structlog.testing import capture_logs

from masthead.background import trends as background
from masthead.model.clock import now
from masthead.model.reports.trends import month_ends
from masthead.store.reports import trends
from tests.conftest import make_account
from tests.support.factories import make_subscription
from tests.support.stage import Stage, open_stage

LONG_AGO = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
async def stage(scratch_url: str) -> AsyncIterator[Stage]:
    """A service of the test's own, and a mail server."""
    async with open_stage(scratch_url) as opened:
        yield opened


async def last_month(stage: Stage) -> int:
    """How many were active at the end of last month, as it was worked out."""
    points = await trends.list_trend(stage.cast.db, stage.cast.account_id)
    return points[-1].active_subscriptions


async def test_every_account_gets_its_trend(stage: Stage) -> None:
    rival = await make_account(stage.cast.client, stage.cast.db, "Rival")
    await make_subscription(stage.cast)
    await stage.background().work_once()
    assert await last_month(stage) == 1
    points = await trends.list_trend(rival.db, rival.account_id)
    assert [point.trend_date for point in points] == month_ends(now().date())


async def test_what_was_written_since_shows_after_a_while(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background, "TREND_SHARE", 0)
    worker = stage.background()
    await worker.work_once()
    await make_subscription(stage.cast)
    await worker.work_once()
    assert await last_month(stage) == 0
    monkeypatch.setattr(background, "TREND_SECONDS", -1.0)
    await worker.work_once()
    assert await last_month(stage) == 1


async def test_trends_take_a_small_share_of_the_time(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background, "TREND_SECONDS", -1.0)
    monkeypatch.setattr(background, "TREND_SHARE", 1_000_000)
    worker = stage.background()
    await worker.work_once()
    await make_subscription(stage.cast)
    await worker.work_once()
    assert await last_month(stage) == 0


async def test_a_new_day_is_followed_whatever_was_written(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background, "TREND_SHARE", 0)
    worker = stage.background()
    await worker.work_once()
    await make_subscription(stage.cast)
    await stage.execute("UPDATE account_state SET trend_at = :then", then=LONG_AGO)
    await worker.work_once()
    assert await last_month(stage) == 1


async def test_a_trend_that_fails_is_logged_and_tried_again_later(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background, "AGAIN_SECONDS", 0.1)
    await stage.execute("ALTER TABLE trend RENAME TO mislaid")
    worker = stage.background()
    with capture_logs() as logs:
        await worker.work_once()
        await worker.work_once()
    (told,) = [entry for entry in logs if entry["event"] == "trend cannot be worked out"]
    assert told["account"] == stage.cast.account_id
    await stage.execute("ALTER TABLE mislaid RENAME TO trend")
    await asyncio.sleep(0.2)
    await worker.work_once()
    assert await last_month(stage) == 0
