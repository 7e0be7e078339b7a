"""Corrections and merges of subscribers use indexes, among 100,000 subscriptions of others."""

import json
import re
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import pytest

from masthead.model.subscribers.corrections import SubscriberCorrection
from masthead.services.subscribers.compare import compare_subscribers
from masthead.services.subscribers.correct import correct_subscriber
from masthead.services.subscribers.merge import merge_subscribers
from masthead.services.subscribers.overview import get_overview
from masthead.services.subscribers.undo_merge import preview_undo, undo_merge
from masthead.store import copies
from masthead.store.engine.interface import Database, Parameters, Transaction
from masthead.store.engine.postgres import connection as postgres_connection
from masthead.store.subscribers import records as subscriber_store
from masthead.store.subscriptions.filters import SUBSCRIPTIONS
from tests.conftest import BY
from tests.store.conftest import execute
from tests.store.many_rows import analyze, fill, id_of
from tests.store.test_query_plans_subscriber import by_table
from tests.support.databases import opened
from tests.support.watched_transaction import WatchedTransaction

pytestmark = pytest.mark.slow

OF_ACCOUNTS = r"(period_by_(order_date|currency|end)|subscription_by_(last|status))"
FULL_READ = re.compile(
    r"^SCAN (copy|period|subscriber|subscription|asked)\b(?!.*COVERING)"
    rf"|USING (COVERING )?INDEX {OF_ACCOUNTS}\b|using {OF_ACCOUNTS} on"
    r"|Seq Scan on (copy|period|subscriber|subscription)\b",
    re.MULTILINE,
)
NUMBERS = [
    f"UPDATE {table} SET n = 4294967296 + {start} + CAST(substr(id, 22, 10) AS bigint)"  # noqa: S608
    for table, start in (("subscriber", 0), ("subscription", 200_000))
]
STATE = """
    INSERT INTO account_state (account_id, writes, last_copy, last_period, last_entry, daily_date)
    VALUES (1, 0, 0, 0, 0, '2026-01-01')
"""
KEPT, MERGED = id_of("U", 1), id_of("U", 40)  # one with 250 subscriptions, one with one


class PlannedWrites:
    """A database that records the plan of every statement of its reads and writes."""

    def __init__(self, db: Database) -> None:
        self._db, self.plans = db, list[str]()

    async def write(self, work: Any, **options: Any) -> Any:
        """The result of `work`, whose transaction is explained."""
        return await self._db.write(
            lambda tx: work(ExplainedTransaction(tx, self.plans)), **options
        )


class ExplainedTransaction(WatchedTransaction):
    """A transaction that explains each statement before it runs."""

    def __init__(self, tx: Transaction, plans: list[str]) -> None:
        super().__init__(tx)
        self._plans = plans

    async def before_many(self, sql: str, rows: Sequence[Parameters]) -> None:
        """Not explained."""

    async def before(self, sql: str, parameters: Parameters) -> None:
        """Explain a statement."""
        if self.dialect == "sqlite":
            rows = await self._tx.fetch_all("EXPLAIN QUERY PLAN " + sql, parameters)
            lines = [line for row in rows for line in by_table(row["detail"], sql)]
        else:
            text, names = postgres_connection._translate(sql)
            values = ", ".join(_literal(parameters[name]) for name in names)
            await self._tx.fetch_all(f"PREPARE planned AS {text}", {})
            call = f"planned({values})" if values else "planned"
            rows = await self._tx.fetch_all(f"EXPLAIN EXECUTE {call}", {})
            await self._tx.fetch_all("DEALLOCATE planned", {})
            lines = [row["QUERY PLAN"] for row in rows]
        self._plans.append(sql + "\n" + "\n".join(lines))


def _literal(value: object) -> str:
    """A value as PostgreSQL reads it."""
    if value is None:
        return "NULL"
    if isinstance(value, bool | int):
        return str(value).lower()
    text = value if isinstance(value, str) else str(value) if _is_moment(value) else None
    return "'" + (json.dumps(value) if text is None else text).replace("'", "''") + "'"


def _is_moment(value: object) -> bool:
    return isinstance(value, datetime)


async def use_all(db: Database) -> list[str]:
    """The plans of all statements about subscribers."""
    planned: Any = PlannedWrites(db)
    await correct_subscriber(
        planned,
        1,
        KEPT,
        SubscriberCorrection(first_name="Eva", email="eva@many.test"),
        with_subscriptions=True,
        placeholder_domain="placeholder.example",
        by=BY,
    )

    async def read(tx: Transaction) -> None:
        await compare_subscribers(tx, 1, KEPT, MERGED)
        await get_overview(tx, 1, KEPT)

    await planned.write(read)
    id = await merge_subscribers(planned, 1, kept_id=KEPT, merged_id=MERGED, by=BY)

    async def read_merged(tx: Transaction) -> None:
        await preview_undo(tx, 1, id)
        await get_overview(tx, 1, KEPT)
        assert (await subscriber_store.get_subscriber(tx, 1, MERGED)).id == KEPT
        assert await subscriber_store.find_by_email(tx, 1, ["40"])
        for listed in (SUBSCRIPTIONS, copies.COPIES):
            page, bounds = listed.page({"subscriber": MERGED}, after=_LAST[listed.table], fetch=9)
            assert await tx.fetch_all(f"SELECT * FROM {page} AS p", {**bounds, "account_id": 1})  # noqa: S608

    await planned.write(read_merged)
    await undo_merge(planned, 1, id, by=BY)
    plans: list[str] = planned.plans
    return plans


_LAST: dict[str, Any] = {"subscription": "Z", "copy": 2**40}


@pytest.mark.slow
async def test_no_large_table_is_read_completely(scratch_url: str) -> None:
    async with opened(scratch_url) as db:
        await fill(db)
        for statement in (*NUMBERS, STATE):
            await execute(db, statement)
        for _round in range(2):  # before and after ANALYZE
            plans = await use_all(db)
            assert len(plans) > 80
            assert [plan for plan in plans if FULL_READ.search(plan)] == []
            await analyze(db)
            await execute(
                db, "UPDATE subscriber SET first_name = NULL WHERE first_name IS NOT NULL"
            )
        if db.dialect == "postgres":  # positive control; SQLite would use another index
            await execute(db, "DROP INDEX subscription_by_subscriber")
            assert any(FULL_READ.search(plan) for plan in await use_all(db))
