"""The upgrade gives existing refunds and cancelled subscriptions a row with their date."""

import asyncio
from collections.abc import Callable
from datetime import UTC, date, datetime

import pytest

from masthead.model.ids import is_id, new_id
from masthead.services.check.accounts import check
from masthead.store.engine.database import SCHEMA_VERSION
from masthead.store.engine.interface import Row, Transaction
from masthead.store.engine.migrate import migrate
from tests.store.engine.test_upgrade import OWN, ROWS, made_by
from tests.support.databases import opened

EARLY, LATE = datetime(2026, 1, 15, 23, 30, tzinfo=UTC), datetime(2026, 3, 2, 0, 30, tzinfo=UTC)
CREATED_DAY, CANCELLED_DAY = date(2026, 1, 15), date(2026, 3, 2)
IMPORTED, BY_KEY = sorted(new_id(1) for _ in range(2))


def subscription(id: str, n: int) -> Row:
    """A cancelled subscription of Ada."""
    row = {name: value for name, value in ROWS["subscription"].items() if name != "search_text"}
    return {**row, "id": id, "n": n, "status": "Cancelled", "created_at": EARLY}


def period(id: int, of: str, **more: object) -> Row:
    """An order of a subscription, with two issues."""
    row = {**ROWS["period"], "id": id, "subscription_id": of, "order_id": f"100{id}"}
    return {**row, "is_complete": True, "created_at": EARLY, **more}


def cancel_entry(id: int, before: str, happened_at: datetime) -> Row:
    """An audit entry of a cancellation with a key."""
    return (
        OWN
        | {"id": id, "happened_at": happened_at, "actor_kind": "key", "actor_id": "K"}
        | {"action": "subscription.cancel", "subject_type": "subscription", "subject_id": BY_KEY}
        | {"before": before, "after": '{"status":"Cancelled"}'}
    )


async def fill(url: str) -> None:
    """Create subscriptions with refunds, one cancelled by a key, one imported as cancelled."""
    subscriber = {name: of for name, of in ROWS["subscriber"].items() if name != "search_text"}

    async def work(tx: Transaction) -> None:
        for table in ("account", "account_state", "app_user", "account_user", "source"):
            await tx.insert_rows(table, [ROWS[table]])
        await tx.insert_rows("product", [{**ROWS["product"], "is_active": True}])
        await tx.insert_rows("issue", [ROWS["issue"], {**ROWS["issue"], "id": "I2", "number": 2}])
        await tx.insert_rows("subscriber", [{**subscriber, "n": 4294967297}])
        for n, id in enumerate((IMPORTED, BY_KEY), 4294967298):
            await tx.insert_rows("subscription", [subscription(id, n)])
        more = {"first_issue": 3, "last_issue": 4}
        for row in (
            period(1, IMPORTED, refunded=500),
            period(2, BY_KEY),
            period(3, BY_KEY, refunded=4200, order_date=None, **more),
        ):
            await tx.insert_rows("period", [row])
        entries = [("Past due", EARLY), ("Active - Renewals stopped", LATE)]
        for number, (status, moment) in enumerate(entries, 1):
            await tx.insert_rows(
                "audit", [cancel_entry(number, f'{{"status":"{status}"}}', moment)]
            )

    async with opened(url) as db:
        await db.write(work)


async def test_refunds_and_cancellations_of_version_0008_get_rows_with_their_dates(
    empty_database: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    url = await asyncio.to_thread(made_by, "0008", empty_database, monkeypatch)
    await fill(url)
    assert await asyncio.to_thread(migrate, url) == ("0008", SCHEMA_VERSION)
    async with opened(url) as db:
        refunds = await db.fetch_all("SELECT * FROM refund ORDER BY period_id", {})
        assert [
            (row["subscription_id"], row["period_id"], row["refund_date"], row["amount"])
            for row in refunds
        ] == [(IMPORTED, 1, date(2026, 1, 15), 500), (BY_KEY, 3, CREATED_DAY, 4200)]
        cancelled = await db.fetch_all("SELECT * FROM cancellation ORDER BY subscription_id", {})
        assert [
            (row["subscription_id"], row["cancelled_date"], row["status_before"], row["actor_id"])
            for row in cancelled
        ] == [
            (IMPORTED, CREATED_DAY, "Active", "migrate"),
            (BY_KEY, CANCELLED_DAY, "Active - Renewals stopped", "K"),
        ]
        assert all(is_id(row["id"]) for row in (*refunds, *cancelled))
        assert {row["account_id"] for row in (*refunds, *cancelled)} == {1}
        assert {row["reopened_date"] for row in cancelled} == {None}
        about = ("refund", "cancel")
        found = [fault.invariant async for fault in check(db)]
        assert [each for each in found if any(word in each for word in about)] == []
