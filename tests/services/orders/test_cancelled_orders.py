"""The day on which a subscription of an import was cancelled."""

from datetime import date, timedelta

import pytest

from masthead.model.clock import account_today
from masthead.services.check.accounts import check_account
from masthead.store import accounts
from tests.conftest import Cast
from tests.support.factories import import_row, make_issues

ISSUES = {"start_issue": "1", "length": "3", "status": "Cancelled"}


async def cancelled_on(cast: Cast) -> list[date]:
    """The days of all cancellations, oldest first."""
    rows = await cast.db.fetch_all(
        "SELECT cancelled_date FROM cancellation WHERE account_id = :account ORDER BY id",
        {"account": cast.account_id},
    )
    return [row["cancelled_date"] for row in rows]


@pytest.mark.parametrize(
    "columns, day",
    [
        ({"cancelled_date": "2026-03-10"}, date(2026, 3, 10)),
        ({}, date(2026, 1, 15)),  # of the order
        ({"sent_issues": "1|2", "sent_dates": "2026-02-01|2026-03-01"}, date(2026, 3, 1)),
        ({"sent_issues": "1|2", "sent_dates": "2026-02-01|"}, date(2026, 2, 1)),
        ({"sent_issues": "1", "sent_dates": "2025-02-01"}, date(2026, 1, 15)),
    ],
    ids=["stated", "order", "sent", "sent without a date", "sent before"],
)
async def test_a_cancellation_has_the_last_day_of_its_row(
    acme: Cast, columns: dict[str, str], day: date
) -> None:
    await make_issues(acme, 1, 3)
    await import_row(acme, **ISSUES, **columns)
    assert await cancelled_on(acme) == [day]
    assert [fault async for fault in check_account(acme.db, acme.subdomain)] == []


async def test_a_cancellation_of_an_order_of_tomorrow_is_dated_today(acme: Cast) -> None:
    await make_issues(acme, 1, 3)
    await import_row(acme, **ISSUES, order_date=f"{account_today() + timedelta(days=1)}")
    account = await accounts.get_account(acme.db, acme.account_id)
    assert await cancelled_on(acme) == [account.daily_date]


async def test_a_cancelled_renewal_has_its_own_day(acme: Cast) -> None:
    await make_issues(acme, 1, 3)
    await import_row(acme, start_issue="1", length="1", order_id="X")
    await import_row(acme, renews="X", status="Cancelled", order_date="2026-02-03")
    assert await cancelled_on(acme) == [date(2026, 2, 3)]


@pytest.mark.parametrize(
    "columns, message",
    [
        ({**ISSUES, "cancelled_date": "2999-01-01"}, "which is in the future"),
        ({**ISSUES, "cancelled_date": "2026-01-14"}, "before `order_date`"),
        ({**ISSUES, "status": "", "cancelled_date": "2026-02-01"}, "for cancelled subscriptions"),
    ],
)
async def test_a_day_that_cannot_be_is_rejected(
    acme: Cast, columns: dict[str, str], message: str
) -> None:
    await make_issues(acme, 1, 3)
    with pytest.raises(AssertionError, match=message):
        await import_row(acme, **columns)
    assert await cancelled_on(acme) == []
