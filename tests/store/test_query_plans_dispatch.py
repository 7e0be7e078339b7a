"""The copies that a new run would take are read by an index, among all copies."""

import pytest

from masthead.store.dispatch.candidates import count_copies
from tests.store.conftest import execute
from tests.store.many_rows import analyze, fill
from tests.store.test_query_plans_subscriber import Planned
from tests.support.databases import opened

pytestmark = pytest.mark.slow
ISSUE = 58  # its copies are not sent


async def read_plan(url: str) -> str:
    """The plan of the statement that counts the copies of an issue."""
    async with opened(url) as db, db.read(aside=True) as connection:
        planned = Planned(connection)
        found = await count_copies(planned, 1, ISSUE)
    assert {each.reason for each in found} == {"free", "Cancelled"}
    [plan] = planned.plans
    return plan


async def test_free_copies_are_read_by_their_own_index(scratch_url: str) -> None:
    async with opened(scratch_url) as db:
        await fill(db)
        await analyze(db)
        plan = await read_plan(scratch_url)
        assert "copy_free" in plan
        assert "Seq Scan on copy" not in plan
        await execute(db, "DROP INDEX copy_free")
        assert "copy_free" not in await read_plan(scratch_url)
