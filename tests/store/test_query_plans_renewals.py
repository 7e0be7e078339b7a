"""Renewal lists, the lists of the renewal rates and histories are read by indexes."""

import re
from datetime import UTC, date

import pytest

from masthead.model.pagination import PageRequest
from masthead.model.renewals.lapsed import RenewalList, RenewalListQuery, RenewalStage
from masthead.model.renewals.rates import EndedQuery, Renewed
from masthead.services.history import entries as history
from masthead.store.issues import records as issues
from masthead.store.letters import planned as planned_letters
from masthead.store.renewals import lapsed, lists as renewal_lists, rates
from masthead.store.reports import trends
from tests.store.conftest import execute
from tests.store.many_rows import analyze, fill, id_of
from tests.store.test_query_plans_subscriber import RECORD, Planned
from tests.support.databases import opened

pytestmark = pytest.mark.slow

# Lists by status read only subscriptions with that status
FULL_READ = re.compile(
    r"^SCAN (audit|copy|period|subscriber|subscription|claim)\b(?!.*COVERING)"
    r"|^SEARCH \w+ USING (COVERING )?INDEX \w+ \(account_id=\?\)"
    r"|Seq Scan on (audit|copy|period|subscriber|subscription)\b",
    re.MULTILINE,
)
# The trend counts all, by an index of the account or without one
READ_ONCE = re.compile(
    r"^SCAN subscription$|SEARCH subscription USING INDEX subscription_by_source \(account_id=\?\)",
    re.MULTILINE,
)
TODAY = date(2026, 1, 1)
PAGE = PageRequest(limit=50, after=None, binding=b"")
MARKED = (
    "INSERT INTO audit (account_id, id, happened_at, actor_kind, actor_id, action, subject_type,"
    " subject_id, after) SELECT 1, 1000000 + row_number() OVER (ORDER BY c.issue_number, c.id),"
    " s.created_at, 'command', 'import', 'copy.mark_sent', 'copy', CAST(c.id AS text),"
    ' \'{"status":"Sent"}\' FROM copy c JOIN subscription s ON s.account_id = c.account_id'
    " AND s.id = c.subscription_id WHERE c.account_id = 1 AND c.status = 'Sent'"
)


async def full_reads(url: str) -> list[str]:
    """The plans that read a large table completely."""
    async with opened(url) as db, db.read(aside=True) as connection:
        planned = Planned(connection)
        for kind in RenewalList:
            query = RenewalListQuery(ago=2, country="DE", has_letter=False)
            found = await renewal_lists.list_renewals(
                planned, 1, kind, query, PAGE, current=40, today=TODAY
            )
            assert found.items or kind in (RenewalList.STOPPED, RenewalList.PAST_DUE)
            await renewal_lists.count_renewals(
                planned, 1, kind, RenewalListQuery(), current=40, today=TODAY
            )
        candidates = await planned_letters.list_ready(
            planned, 1, RenewalStage.LAST, issue_number=40, today=TODAY
        )
        assert candidates
        assert await lapsed.find_open(planned, 1, [candidates[0].period_id])
        # For a thirtieth of all subscriptions, PostgreSQL may choose to read the table once
        counting = planned if planned.dialect == "sqlite" else connection
        assert await rates.count_rates(counting, 1, first=40, last=40)
        if planned.dialect == "sqlite":  # PostgreSQL looks up each row, or joins whole tables
            await trends.count_active(planned, 1, [TODAY], UTC)
            planned.plans[-1] = READ_ONCE.sub("", planned.plans[-1])
        for renewed in (None, *Renewed):
            await rates.list_ended(counting, 1, EndedQuery(issue=40, renewed=renewed), PAGE)
        issue = (await issues.list_issues(planned, 1, PageRequest(1, "31", b""))).items[0]
        assert (await history.history_of_issue(planned, 1, issue)).groups
        assert (await history.history_of_subscription(planned, 1, id_of("B", 20))).groups
        assert (await history.history_of_subscriber(planned, 1, id_of("U", 1))).groups
    return [plan for plan in planned.plans if FULL_READ.search(plan)]


async def test_lists_of_renewals_and_histories_do_not_read_a_large_table_completely(
    scratch_url: str,
) -> None:
    async with opened(scratch_url) as db:
        await fill(db)
        await execute(db, RECORD)
        await execute(db, MARKED)
        if db.dialect == "sqlite":  # masthead collects no statistics; PostgreSQL does so by itself
            assert await full_reads(scratch_url) == []
        await analyze(db)
        assert await full_reads(scratch_url) == []
        if db.dialect == "postgres":  # positive control; SQLite would use another index
            await execute(db, "DROP INDEX audit_by_subject")
            assert await full_reads(scratch_url)
