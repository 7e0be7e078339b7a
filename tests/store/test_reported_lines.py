"""The copies of one label are found by their ids, also in a run that the database has not counted.

PostgreSQL has no statistics of new lines, and joined them in a way that read all for each.
"""

import re
from datetime import UTC, datetime

from masthead.store.engine.interface import Transaction
from masthead.store.returns.shipped import find_joined
from tests.store.test_query_plans_subscriber import Planned
from tests.support.databases import opened

LINES = 5_000  # with a few, any plan is as good
VALUES = {
    "moment": datetime(2026, 1, 1, tzinfo=UTC),
    "settings": '{"joins_copies":true}',
    "lines": LINES,
}
NEW_RUN = (
    """
    INSERT INTO account
        (id, name, subdomain, currency, is_active, welcome_subject, welcome_text, created_at)
    VALUES (1, 'Acme', 'acme', 'EUR', true, '', '', :moment)
    """,
    """
    INSERT INTO issue (account_id, id, number, name, created_at)
    VALUES (1, 'I', 1, 'Spring', :moment)
    """,
    """
    INSERT INTO dispatch
        (account_id, id, issue_id, issue_number, number, status, selection, layout, first_line,
         lines, copies, replacements, fingerprint, created_at, actor_kind, actor_id)
    VALUES
        (1, 'R', 'I', 1, 1, 'frozen', '{}', '', 1, :lines, :lines, 0, '', :moment, 'command', '')
    """,
    """
    INSERT INTO dispatch_file
        (account_id, id, dispatch_id, format, profile_id, profile_name, settings, name, status,
         attempts, progress, lines, bytes, created_at, actor_kind, actor_id)
    VALUES
        (1, 'F', 'R', 'csv', 'p', '', :settings, '', 'ready', 1, 0, :lines, 0, :moment,
         'command', '')
    """,
    # the copies of one subscriber have consecutive ids: two of each
    """
    INSERT INTO dispatch_line
        (account_id, id, dispatch_id, copy_id, claim_id, subscription_id, subscriber_id,
         issue_number, medium, country, status)
    WITH RECURSIVE up(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM up WHERE n < :lines)
    SELECT 1, n, 'R', n, '', 'B', CAST((n + 1) / 2 AS text), 1, 'Print', 'DE', 'held' FROM up
    """,
)
LOOKED_UP = re.compile(r"Index Cond: .* \(id = \(l\.id \+ 1\)\)|SEARCH dispatch_line .*\bid=\?")


async def insert_run(tx: Transaction) -> None:
    """A run of many lines, of which every two are copies for one subscriber."""
    for statement in NEW_RUN:
        await tx.execute(statement, VALUES)


async def test_the_copies_of_a_label_are_looked_up_one_by_one(scratch_url: str) -> None:
    async with opened(scratch_url) as db:
        await db.write(insert_run)
        async with db.read(aside=True) as connection:
            planned = Planned(connection)
            found = await find_joined(planned, 1, range(1, LINES + 1))
    assert found == {first: [first + 1] for first in range(1, LINES, 2)}
    _labels, *following = planned.plans
    for plan in following:  # those of groups begin with the runs of groups, of which there are few
        assert LOOKED_UP.search(plan) or "dispatch_by_group" in plan, plan
