"""The pages about money are read by indexes, among 100,000 orders and 120,000 copies."""

import re
from collections.abc import Awaitable, Callable
from datetime import date

import pytest

from masthead.model.pagination import PageRequest
from masthead.model.revenue.takings import MonthRange
from masthead.store.billing.paid_for import count_for_others
from masthead.store.engine.interface import Connection
from masthead.store.revenue.order_states import count_orders_up_to, list_order_states
from masthead.store.revenue.orders import OrderFilter, list_orders, list_refunds
from masthead.store.revenue.subscriber_payments import sum_paid
from masthead.store.revenue.takings import list_takings
from tests.store.conftest import execute
from tests.store.many_rows import analyze, fill, id_of
from tests.store.test_query_plans_subscriber import Planned
from tests.support.databases import opened

pytestmark = pytest.mark.slow

FULL_READ = re.compile(
    r"^SCAN (copy|period|subscription|refund)\b"
    r"|Seq Scan on (copy|period|subscription|refund)\b",
    re.MULTILINE,
)
# the orders of ten years, of which a month has less than one in a hundred
DATES = (
    "UPDATE period SET source_id = (SELECT s.source_id FROM subscription s WHERE s.account_id = 1"
    " AND s.id = period.subscription_id), product_id = 'P', order_date = {day}",
    "INSERT INTO refund (account_id, id, subscription_id, period_id, refund_date, amount, reason,"
    " created_at, actor_kind, actor_id) SELECT 1, 'R' || CAST(id AS text), subscription_id, id,"
    " order_date, 100, '', created_at, 'command', 'tests' FROM period WHERE id % 2 = 0",
)
DAY = {
    "sqlite": "date('2016-01-01', '+' || (id * 37 % 3650) || ' days')",
    "postgres": "(date '2016-01-01' + CAST(id * 37 % 3650 AS integer))",
}
MONTH = MonthRange("2024-05", "2024-05")
FIRST = PageRequest(50, None, b"")


async def read_plans(url: str) -> dict[str, list[str]]:
    """The plans of all statements, by page; a new connection, because SQLite caches its plans."""
    async with opened(url) as db:
        plans = {}
        orders = OrderFilter(months=MONTH, currency="EUR")
        day = date(2024, 5, 31)
        pages: dict[str, Callable[[Connection], Awaitable[object]]] = {
            "takings": lambda it: list_takings(it, 1, MONTH),
            "orders": lambda it: list_orders(it, 1, orders, FIRST),
            "refunds": lambda it: list_refunds(it, 1, orders, FIRST),
            "states": lambda it: list_order_states(it, 1, day, after=50_000, limit=1_000),
            "count": lambda it: count_orders_up_to(it, 1, 5_000),
            "paid": lambda it: sum_paid(it, 1, [id_of("U", 1), id_of("U", 2)]),
            "for others": lambda it: count_for_others(it, 1, [id_of("U", 1), id_of("U", 2)]),
        }
        async with db.read(aside=True) as connection:
            for name, run in pages.items():
                planned = Planned(connection)
                await run(planned)
                plans[name] = planned.plans
    return plans


def full_reads(plans: dict[str, list[str]]) -> list[str]:
    """The plans that read a table completely; counting stops at its limit."""
    return [
        plan
        for name, each in plans.items()
        for plan in each
        if name != "count" and FULL_READ.search(plan)
    ]


async def test_no_page_about_money_reads_a_table_completely(scratch_url: str) -> None:
    async with opened(scratch_url) as db:
        await fill(db)
        for statement in DATES:
            await execute(db, statement.format(day=DAY[db.dialect]))
        if db.dialect == "sqlite":
            assert not full_reads(await read_plans(scratch_url))
        await analyze(db)
        plans = await read_plans(scratch_url)
        assert not full_reads(plans)
        _summed, dated, old, undated, refunds, payments = plans["takings"]
        for plan in (dated, old, undated):
            assert "period_paid_at_once" in plan or "period_by_order_date" in plan
        assert "refund_by_date" in refunds
        assert "payment_by_date" not in payments
        assert "refund_by_period" in plans["states"][0]
        if db.dialect == "sqlite":
            assert "USING COVERING INDEX period_paid_at_once" in dated
        for index in ("period_paid_at_once", "period_by_order_date", "refund_by_date"):
            await execute(db, f"DROP INDEX {index}")
        worse = await read_plans(scratch_url)
        assert worse["takings"] != plans["takings"]  # positive control
        if db.dialect == "postgres":
            assert full_reads(worse)
