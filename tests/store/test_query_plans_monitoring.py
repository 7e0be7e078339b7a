"""The state of all accounts is read by indexes, however many rows one account has."""

import re

import pytest

from masthead.services.accounts import create_account
from masthead.store.background.monitoring import count_backlogs, find_backup_notes, sum_accounts
from tests.conftest import BY
from tests.store.conftest import execute
from tests.store.many_rows import analyze, stop_autovacuum
from tests.store.test_query_plans_subscriber import Planned
from tests.support.databases import opened

pytestmark = pytest.mark.slow

# the changes are read up to the limit, in any order
FULL_READ = re.compile(
    r"^SCAN (outbox|heartbeat)\b|Seq Scan on (outbox|subscription_change|heartbeat)\b|\bcopy\b",
    re.MULTILINE,
)
ROWS = "WITH RECURSIVE up (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM up WHERE n < 20000)"
LONG_AGO = "'2026-01-01T00:00:00.000000+00:00'"
EMAILS = f"""
    INSERT INTO outbox (
        account_id, id, message_id, recipient, subject, body, status, attempts, next_attempt_at,
        is_secret, created_at
    )
    {ROWS}
    SELECT
        1, 'E' || CAST(n AS text), 'm', 'r', 's', 'b',
        CASE WHEN n % 4 = 0 THEN 'failed' ELSE 'sent' END,
        0, {LONG_AGO}, false, {LONG_AGO}
    FROM up
"""  # noqa: S608 - constants
CHANGES = f"""
    INSERT INTO subscription_change (account_id, id, revision)
    {ROWS}
    SELECT 1, 'S' || CAST(n AS text), 1 FROM up
"""  # noqa: S608 - constants


async def test_what_waits_is_counted_by_indexes_and_up_to_a_limit(scratch_url: str) -> None:
    async with opened(scratch_url) as db:
        await stop_autovacuum(db)
        await create_account(
            db, name="A", subdomain="acme", currency="EUR", owner="ann@acme.test", by=BY
        )
        await execute(db, EMAILS)
        await execute(db, CHANGES)
        if db.dialect == "postgres":
            await analyze(db)
        found = await count_backlogs(db, most=1_000)
        assert (found.emails_failed, found.documents, found.emails_waiting) == (1_000, 1_000, 0)
        async with db.read(aside=db.dialect == "sqlite") as connection:
            planned = Planned(connection)
            await count_backlogs(planned, most=1_000)
            await sum_accounts(planned)
            await find_backup_notes(planned)
    plans = "\n".join(planned.plans)
    assert not FULL_READ.search(plans), plans
