"""Trends are calculated in the background: if missing, once a day, and after writes."""

import time
from datetime import date
from types import SimpleNamespace

import pytest
from structlog.testing import capture_logs

from masthead.background import failures, trends as background
from masthead.model.clock import now
from masthead.model.reports.trends import month_ends
from masthead.store.reports import trends
from tests.conftest import make_account
from tests.support.factories import make_subscription
from tests.support.own_service import OwnService


async def last_month(own: OwnService) -> int:
    """The calculated number of active subscriptions at the end of last month."""
    points = await trends.list_trend(own.cast.db, own.cast.account_id)
    return points[-1].active_subscriptions


async def test_every_account_gets_its_trend(own: OwnService) -> None:
    rival = await make_account(own.cast.client, own.cast.db, "Rival")
    await make_subscription(own.cast)
    await own.background().work_once()
    assert await last_month(own) == 1
    points = await trends.list_trend(rival.db, rival.account_id)
    assert [point.trend_date for point in points] == month_ends(now().date())


async def test_new_writes_appear_in_the_trend_after_a_while(
    own: OwnService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background, "TREND_SHARE", 0)
    worker = own.background()
    await worker.work_once()
    await make_subscription(own.cast)
    await worker.work_once()
    assert await last_month(own) == 0
    monkeypatch.setattr(background, "TREND_SECONDS", -1.0)
    await worker.work_once()
    assert await last_month(own) == 1


async def test_calculating_trends_takes_a_small_share_of_the_time(
    own: OwnService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background, "TREND_SECONDS", -1.0)
    monkeypatch.setattr(background, "TREND_SHARE", 1_000_000)
    worker = own.background()
    await worker.work_once()
    await make_subscription(own.cast)
    await worker.work_once()
    assert await last_month(own) == 0


async def test_a_new_day_refreshes_every_trend(
    own: OwnService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background, "TREND_SHARE", 0)
    worker = own.background()
    await worker.work_once()
    await make_subscription(own.cast)
    await own.execute("UPDATE account_state SET trend_date = :day", day=date(2020, 1, 1))
    await worker.work_once()
    assert await last_month(own) == 1


async def test_a_failed_trend_is_logged_and_retried_later(
    own: OwnService, monkeypatch: pytest.MonkeyPatch
) -> None:
    later = 0.0
    clock = SimpleNamespace(monotonic=lambda: time.monotonic() + later)
    monkeypatch.setattr(failures, "time", clock)
    await own.execute("ALTER TABLE trend RENAME TO mislaid")
    worker = own.background()
    with capture_logs() as logs:
        await worker.work_once()
        await worker.work_once()
    (logged,) = [entry for entry in logs if entry["event"] == "trend cannot be calculated"]
    assert logged["account"] == own.cast.account_id
    await own.execute("ALTER TABLE mislaid RENAME TO trend")
    later = failures.RETRY_SECONDS + 1
    await worker.work_once()
    assert await last_month(own) == 0
