"""Events are listed and deleted by indexes, among many of their account."""
# ruff: noqa: S608 - the constants of this file

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from itertools import product
from typing import Any

from masthead.model.events.types import PublicEventType
from masthead.store.engine.database import connect
from masthead.store.engine.interface import Database, Transaction
from masthead.store.events import log
from tests.store.conftest import execute
from tests.store.many_rows import analyze
from tests.store.test_query_plans_subscriber import Planned
from tests.store.test_query_plans_subscribers import PlannedWrites

ROWS = 20_000
_MOMENT = "'2026-01-01T00:00:00.000000+00:00'"
_UP = f"WITH RECURSIVE up(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM up WHERE n < {ROWS})"
FILL = (
    "INSERT INTO account (id, name, subdomain, currency, is_active, welcome_subject,"
    " welcome_text, created_at)"
    f" VALUES (1, 'Many', 'many', 'EUR', true, '', '', {_MOMENT})",
    "INSERT INTO account_state (account_id, writes, last_copy, last_period, last_entry,"
    f" last_event, daily_date) VALUES (1, 0, 0, 0, 0, {ROWS}, '2026-01-01')",
    # one in ten is `copy.sent`, and one in a thousand is about the same record
    "INSERT INTO event (account_id, number, type, record_id, happened_at, actor_kind, actor_id)"
    f" {_UP} SELECT 1, n, CASE WHEN n % 10 = 0 THEN 'copy.sent' ELSE 'subscription.updated' END,"
    f" CASE WHEN n % 1000 = 0 THEN 'MANY' ELSE 'R' || CAST(n AS text) END, {_MOMENT}, 'key', 'K'"
    " FROM up",
)
TYPES = (None, PublicEventType.COPY_SENT, PublicEventType.ISSUE_DELETED)
RECORDS = (None, "MANY", "R7", "NONE")
INDEXES = {
    (False, False): r"event_pk|PRIMARY KEY|sqlite_autoindex_event_1",
    (True, False): "event_by_type",
    (False, True): "event_by_record",
    (True, True): "event_by_record",
}
WRONG = re.compile(r"TEMP B-TREE|\bSort  |Bitmap|Seq Scan on event\b|^SCAN event\b", re.MULTILINE)


class PlannedReader(Planned):
    """A connection that is its own snapshot."""

    @asynccontextmanager
    async def read(self) -> AsyncIterator["PlannedReader"]:
        """This connection."""
        yield self


async def wrong_plans(db: Database) -> list[str]:
    """The plans of pages that are not read by the index for their filters."""
    wrong = []
    for type, record, after in product(TYPES, RECORDS, (0, ROWS // 2, ROWS - 20)):
        async with db.read(aside=True) as connection:
            planned: Any = PlannedReader(connection)
            span, _rows = await log.list_events(
                planned, 1, after=after, fetch=50, type=type, record=record
            )
        assert span.newest == ROWS
        of_span, of_page = planned.plans
        index = INDEXES[type is not None, record is not None]
        if WRONG.search(of_span) or WRONG.search(of_page) or not re.search(index, of_page):
            wrong.append(f"{type} of {record} after {after}: {of_span}\n{of_page}")
    return wrong


async def test_events_are_read_and_deleted_by_indexes(scratch_url: str) -> None:
    db = await connect(scratch_url)
    for statement in FILL:
        await execute(db, statement)
    await analyze(db)
    assert await wrong_plans(db) == []
    planned = PlannedWrites(db)
    before = datetime(2026, 6, 1, tzinfo=UTC)

    async def work(tx: Transaction) -> None:
        assert await log.delete_old_events(tx, 1, before) == log.DELETED_AT_ONCE

    await planned.write(work)
    plans = "\n".join(planned.plans)
    assert not re.search(r"Seq Scan on event\b|^SCAN event\b(?!.*INDEX)", plans, re.MULTILINE)
    for index in ("event_by_type", "event_by_record"):  # positive control
        await execute(db, f"DROP INDEX {index}")
    again = await connect(scratch_url)  # SQLite keeps its plans
    assert await wrong_plans(again)
    await again.close()
    await db.close()
