"""The subscriber of an order is found by indexes, among 100,000 subscriptions."""

import pytest

from masthead.model.orders.known_subscribers import NamedPerson
from masthead.services.orders.subscribers import find_duplicates, find_namesakes, find_subscriber
from masthead.services.subscribers.find import find_callers
from tests.store.conftest import execute
from tests.store.many_rows import analyze, fill, id_of
from tests.store.test_query_plans_subscriber import FULL_READ, Planned
from tests.support.databases import opened

pytestmark = pytest.mark.slow

ADA = NamedPerson(
    first_name="Ada",
    last_name="Byron",
    email="ada@example.test",
    phone="+49 731 123456",
    postcode="89073",
)


STATE = (
    "INSERT INTO account_state (account_id, writes, last_copy, last_period, last_entry, daily_date)"
    " VALUES (1, 0, 0, 0, 0, '2026-01-01')"
)


async def full_reads(url: str) -> list[str]:
    """The plans that read a large table completely."""
    async with opened(url) as db, db.read(aside=True) as connection:
        planned = Planned(connection)
        await find_callers(planned, 1, "ada byron", limit=8)
        await find_callers(planned, 1, "bayron schmitt zimmermnan", limit=8)
        await find_duplicates(planned, 1, ADA)
        await find_namesakes(planned, 1, ADA)
        await find_subscriber(planned, 1, id_of("U", 1))
    assert len(planned.plans) > 5
    plans = [plan for plan in planned.plans if "FROM account a" not in plan]  # has few rows
    return [plan for plan in plans if FULL_READ.search(plan)]


async def test_the_subscriber_of_an_order_is_found_by_indexes(scratch_url: str) -> None:
    async with opened(scratch_url) as db:
        await fill(db)
        await execute(db, STATE)
        assert await full_reads(scratch_url) == []
        await analyze(db)
        assert await full_reads(scratch_url) == []
        if db.dialect == "postgres":  # positive control; SQLite would use another index
            await execute(db, "DROP INDEX subscription_by_subscriber")
            assert await full_reads(scratch_url)
