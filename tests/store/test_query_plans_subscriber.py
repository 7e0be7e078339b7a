"""A subscriber's page is read by indexes, among 100,000 subscriptions of other subscribers."""

import json
import re
from datetime import date

import pytest

from masthead.model.privacy.erasures import Record
from masthead.services.privacy.erase import count_kept
from masthead.services.timeline import get_timeline, list_events_of
from masthead.store.engine.interface import Connection, Parameters, Row
from masthead.store.engine.postgres import connection as postgres_connection
from masthead.store.subscribers import records as subscriber_store
from tests.store.conftest import execute
from tests.store.many_rows import analyze, fill, id_of
from tests.store.test_query_plans import explain_sqlite
from tests.support.account_scope import TABLE
from tests.support.databases import opened

pytestmark = pytest.mark.slow

LARGE = "(audit|copy|import_row|outbox|period|subscriber|subscription)"
FULL_READ = re.compile(
    rf"^SCAN {LARGE}\b(?!.*COVERING)"
    r"|^SEARCH (copy|import_row|outbox|period|subscriber|subscription) .*\(account_id=\?\)$"
    r"|^SEARCH audit (?!.*\bid=|.*subject_id=)"
    r"|using audit_(pk|by_act\w+) on audit\b.*\n(?!.*\(id = e\.id\))"
    rf"|Seq Scan on {LARGE}\b",
    re.MULTILINE,
)
RECORD = (
    "INSERT INTO audit (account_id, id, happened_at, actor_kind, actor_id, action, subject_type,"
    " subject_id, after) SELECT 1, row_number() OVER (ORDER BY id), created_at, 'command',"
    " 'import', 'subscription.create', 'subscription', id, '{\"status\":\"Active\"}'"
    " FROM subscription"
)
# An email to each subscriber, one in a hundred with a letter; a row of an import for each
# subscription
SEND = (
    "INSERT INTO outbox (account_id, id, message_id, recipient, subject, body, status, attempts,"
    " created_at, next_attempt_at, subscriber_id, letter_id) SELECT 1, id, id,"
    " email_key || '@many.test', '', '', 'sent', 1, created_at, created_at, id,"
    " CASE WHEN id LIKE '%00' THEN id END FROM subscriber"
)
IMPORT = (
    "INSERT INTO import_batch (account_id, id, name, sha256, bytes, status, options, decisions,"
    " layout, counts, reasons, created_at, actor_kind, actor_id) SELECT 1, 'B', '', '', 1, 'done',"
    " '{}', '{}', '{}', '{}', '{}', created_at, '', '' FROM account WHERE id = 1",
    "INSERT INTO import_row (account_id, batch_id, line, part, outcome, subscription_id,"
    " subscriber_id) SELECT 1, 'B', row_number() OVER (ORDER BY id), 0, 'created', id,"
    " subscriber_id FROM subscription",
)
GIVE = (
    "UPDATE subscription SET is_gift = true, gifter_email = id || '@give.test'"
    " WHERE account_id = 1 AND id LIKE '%7'"
)
COLON, CONCATENATED = r":(?=[A-Za-z_])", "' || chr(58) || '"


class Planned:
    """A connection that records the plan of every statement."""

    def __init__(self, connection: Connection) -> None:
        self._connection, self.dialect = connection, connection.dialect
        self.plans: list[str] = []

    async def fetch_all(self, sql: str, parameters: Parameters) -> list[Row]:
        """All rows, by column name."""
        if self.dialect == "sqlite":
            found = await explain_sqlite(self._connection, sql, parameters)
            lines = [line for each in found for line in by_table(each, sql)]
        else:
            lines = await explain_postgres(self._connection, sql, parameters)
        self.plans.append("\n".join([sql, *lines]))
        return await self._connection.fetch_all(sql, parameters)

    async def fetch_one(self, sql: str, parameters: Parameters) -> Row | None:
        """The first row, or None."""
        rows = await self.fetch_all(sql, parameters)
        return rows[0] if rows else None


def by_table(line: str, sql: str) -> list[str]:
    """A line of a plan of SQLite with the table instead of its alias; one for each, if several."""
    step = re.fullmatch(r"(SCAN|SEARCH) (\w+)(.*)", line)
    if not step:
        return [line]
    verb, name, rest = step.groups()
    tables = {each["table"] for each in TABLE.finditer(sql) if each["alias"] == name}
    return [f"{verb} {table}{rest}" for table in sorted(tables) or [name]]


async def explain_postgres(db: Connection, sql: str, parameters: Parameters) -> list[str]:
    """The lines of a plan for the given values."""
    text, names = postgres_connection._translate(sql)
    values = [parameters[name] for name in names]
    texts = [str(each) if isinstance(each, str | date) else json.dumps(each) for each in values]
    # a colon before a letter would begin the name of a parameter
    spelled = ", ".join(f"'{re.sub(COLON, CONCATENATED, text)}'" for text in texts)
    await db.fetch_all(f"PREPARE statement AS {text}", {})
    rows = await db.fetch_all(f"EXPLAIN EXECUTE statement{f'({spelled})' if spelled else ''}", {})
    await db.fetch_all("DEALLOCATE statement", {})
    return [row["QUERY PLAN"] for row in rows]


async def full_reads(url: str) -> list[str]:
    """The plans that read a large table completely, for a subscriber with 250 subscriptions."""
    async with opened(url) as db, db.read(aside=True) as connection:
        planned = Planned(connection)
        id = id_of("U", 1)
        await subscriber_store.get_subscriber(planned, 1, id)
        told = await get_timeline(planned, 1, id, day=date(2026, 1, 1), number=30)
        history = await list_events_of(planned, 1, id)
        kept = await count_kept(planned, 1, id, placeholder_domain="masthead.test")
    assert len(told.issues) == len(history.events) == 24
    assert kept.counts[Record.AUDIT_ENTRIES] == 251
    assert kept.counts[Record.IMPORT_ROWS] == 251
    assert kept.counts[Record.EMAILS] == 1
    assert told.answer is not None
    assert told.answer.deliveries
    return [plan for plan in planned.plans if FULL_READ.search(plan)]


async def test_the_page_of_a_subscriber_does_not_read_a_large_table_completely(
    scratch_url: str,
) -> None:
    async with opened(scratch_url) as db:
        await fill(db)
        for statement in (RECORD, SEND, *IMPORT, GIVE):
            await execute(db, statement)
        assert await full_reads(scratch_url) == []
        await analyze(db)
        assert await full_reads(scratch_url) == []
        if db.dialect == "postgres":  # positive control; SQLite would use another index
            await execute(db, "DROP INDEX subscription_by_subscriber")
            assert await full_reads(scratch_url)
