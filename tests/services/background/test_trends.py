"""Trends count what was active by the dates of the data, not by when rows were written."""

from datetime import UTC, date, timedelta
from typing import Any

import pytest

from masthead.model.clock import now
from masthead.model.reports.trends import TrendPoint, month_ends
from masthead.services.background.trends import refresh_trend
from masthead.store.engine.interface import Transaction
from masthead.store.reports import trends
from tests.conftest import Cast
from tests.support.days import count_trend, pass_on
from tests.support.factories import (
    import_row,
    make_issue,
    make_issues,
    make_membership,
    make_subscription,
)

SENT = {"start_issue": "1", "length": "2", "sent_issues": "1|2"}
MEMBER = {"type": "membership", "interval_months": "12", "start_issue": "", "length": ""}
# an import, the last day before it counts, and its first and last day; None: it has no end
CASES: dict[str, tuple[dict[str, str], str, str, str | None]] = {
    "active": ({"start_issue": "1", "length": "4"}, "2026-01-14", "2026-01-15", None),
    "renewals stopped": (
        {
            "start_issue": "1",
            "length": "4",
            "is_recurring": "true",
            "status": "Active - Renewals stopped",
        },
        "2026-01-14",
        "2026-01-15",
        None,
    ),
    "past due": (
        {"start_issue": "1", "length": "4", "is_recurring": "true", "status": "Past due"},
        "2026-01-14",
        "2026-01-15",
        None,
    ),
    "complete until its last copy went out": (
        {**SENT, "sent_dates": "2026-02-01|2026-04-01"},
        "2026-01-14",
        "2026-01-15",
        "2026-03-31",
    ),
    "complete until its last issue's release": (SENT, "2026-01-14", "2026-01-15", "2026-04-30"),
    "cancelled as imported, until its last copy went out": (
        {
            "start_issue": "1",
            "length": "4",
            "sent_issues": "1",
            "sent_dates": "2026-03-01",
            "status": "Cancelled",
        },
        "2026-01-14",
        "2026-01-15",
        "2026-02-28",
    ),
    "a membership until its last day": (
        {**MEMBER, "period_start": "2025-02-01", "period_end": "2026-01-31"},
        "2026-01-14",
        "2026-01-15",
        "2026-01-31",
    ),
}


async def active(cast: Cast, *days: date) -> list[tuple[int, int]]:
    """The number of active subscriptions and subscribers at the end of each day."""
    async with cast.db.read(aside=True) as connection:
        points = await trends.count_active(connection, cast.account_id, days, UTC)
    assert [point.trend_date for point in points] == list(days)
    return [(point.active_subscriptions, point.active_subscribers) for point in points]


@pytest.mark.parametrize("case", CASES)
async def test_a_subscription_counts_from_its_order_until_its_end(acme: Cast, case: str) -> None:
    columns, before, first, last = CASES[case]
    await make_issue(acme, 1, release_date_actual="2026-03-01")
    await make_issue(acme, 2, release_date_actual="2026-05-01")
    await import_row(acme, **columns)
    await pass_on(acme, now().date().isoformat())
    days = [date.fromisoformat(day) for day in (before, first, last or "9999-01-01")]
    assert await active(acme, *days) == [(0, 0), (1, 1), (1, 1)]
    if last:
        assert await active(acme, date.fromordinal(days[2].toordinal() + 1)) == [(0, 0)]


async def test_a_completed_subscription_without_an_end_date_never_counts(acme: Cast) -> None:
    await make_issues(acme, 1, 2)
    await import_row(acme, **SENT)
    assert await active(acme, date(2026, 1, 15), date(2026, 1, 16)) == [(0, 0), (0, 0)]


async def test_a_cancelled_subscription_counts_until_the_day_of_its_cancellation(
    acme: Cast,
) -> None:
    await make_issue(acme)
    made = await make_subscription(acme)
    await acme.post(f"/v1/subscriptions/{made['id']}/cancel/", {"mode": "cancel"})
    today = now().date()
    assert await active(acme, date.fromordinal(today.toordinal() - 1), today) == [(1, 1), (0, 0)]


async def test_a_subscriber_with_two_subscriptions_counts_once(acme: Cast) -> None:
    await make_issue(acme)
    for _ in range(2):
        await make_subscription(acme, email="ada@example.test")
    await make_subscription(acme)
    assert await active(acme, date(2026, 2, 1)) == [(3, 2)]


async def test_an_empty_account_has_no_active_subscriptions(acme: Cast) -> None:
    assert await active(acme, date(2026, 2, 1)) == [(0, 0)]


async def test_other_accounts_do_not_count(acme: Cast, rival: Cast) -> None:
    await make_membership(rival)
    assert await active(acme, date(2026, 2, 1)) == [(0, 0)]


async def test_the_numbers_of_today_match_those_of_the_api(acme: Cast) -> None:
    await make_issue(acme)
    await make_subscription(acme, email="ada@example.test")
    gone = await make_subscription(acme)
    await acme.post(f"/v1/subscriptions/{gone['id']}/cancel/", {"mode": "cancel"})
    states = await trends.count_live(acme.db, acme.account_id)
    subscribers = await trends.count_active_subscribers(acme.db, acme.account_id)
    assert states == {"Active": 1, "Active - Renewals stopped": 0, "Past due": 0}
    day = now().date()
    assert trends.today_of(states, subscribers, day) == TrendPoint(day, 1, 1)


async def test_a_refresh_stores_two_years_of_months_and_replaces_the_previous_ones(
    acme: Cast,
) -> None:
    await make_issue(acme)
    await make_subscription(acme)
    for today in (date(2026, 2, 10), date(2026, 3, 10)):
        await count_trend(acme, today)
    points = await trends.list_trend(acme.db, acme.account_id)
    assert [point.trend_date for point in points] == month_ends(date(2026, 3, 10))
    assert [point.active_subscriptions for point in points][-3:] == [0, 1, 1]


async def state(cast: Cast) -> dict[str, Any]:
    row = await cast.db.fetch_one(
        "SELECT writes, trend_writes, trend_at FROM account_state WHERE account_id = :id",
        {"id": cast.account_id},
    )
    assert row is not None
    return dict(row)


async def test_an_account_is_due_if_its_trend_is_missing_old_or_outdated(acme: Cast) -> None:
    moment = now()

    async def is_due(*, settled: int = -60) -> bool:
        until = moment + timedelta(seconds=settled)
        return acme.account_id in await trends.list_due(acme.db, settled=until)

    assert await is_due()
    await refresh_trend(acme.db, acme.account_id)
    stored = await state(acme)
    assert stored["trend_writes"] == stored["writes"]
    assert not await is_due()
    assert not await is_due(settled=60)  # nothing was written since then
    await make_issue(acme)
    assert not await is_due()
    assert await is_due(settled=60)
    await refresh_trend(acme.db, acme.account_id)
    await pass_on(acme, (moment.date() + timedelta(days=1)).isoformat())
    assert await is_due()


async def test_an_empty_trend_can_be_stored(acme: Cast) -> None:
    async def work(tx: Transaction) -> None:
        await trends.replace_trend(tx, acme.account_id, [], writes=0, day=date(2026, 1, 1))

    await acme.db.write(work)
    assert await trends.list_trend(acme.db, acme.account_id) == []
