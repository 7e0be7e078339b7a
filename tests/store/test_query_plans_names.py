"""Lists in the order of names are read by the indexes made for them, on 100,000 rows."""

import re

import pytest

from masthead.model.pagination import PageRequest
from masthead.model.queries import SubscriptionQuery
from masthead.model.types.enums import SubscriptionStatus
from masthead.store.subscribers import lists as subscribers
from masthead.store.subscriptions import lists as subscriptions
from tests.store.conftest import execute
from tests.store.many_rows import analyze, fill, id_of
from tests.store.test_query_plans_subscriber import Planned
from tests.support.databases import opened

pytestmark = pytest.mark.slow

WRONG = re.compile(r"TEMP B-TREE|\bSort  |^SCAN (?!listed|page|stored)|Seq Scan on", re.MULTILINE)


async def faulty(url: str, *queries: SubscriptionQuery) -> list[str]:
    """The plans of pages that are sorted, or read without the index on names.

    queries: filters that more match than are sorted.
    """
    plans = list[str]()
    async with opened(url) as db, db.read(aside=True) as connection:
        for is_ascending in (True, False):
            for place in (0, 20_000):
                after = id_of("U", place) if place else None
                page = PageRequest(50, after, b"", is_ascending)
                planned = Planned(connection)
                found = await subscribers.list_by_name(planned, 1, page)
                assert len(found.items) == 50
                plans.append(next(each for each in planned.plans if "ORDER BY" in each))
                after = id_of("B", place) if place else None
                page = PageRequest(50, after, b"", is_ascending)
                for query in (SubscriptionQuery(), *queries):
                    planned = Planned(connection)
                    await subscriptions.list_by_name(planned, 1, query, page)
                    plans.append(next(each for each in planned.plans if "ORDER BY (" in each))
    return [each for each in plans if WRONG.search(each) or "_by_name" not in each]


async def test_pages_in_the_order_of_names_are_read_by_their_indexes(scratch_url: str) -> None:
    async with opened(scratch_url) as db:
        await fill(db)
        assert not await faulty(scratch_url)
        await analyze(db)
        assert not await faulty(
            scratch_url, SubscriptionQuery(status=SubscriptionStatus.ACTIVE, is_gift=False)
        )
        await execute(db, "DROP INDEX subscriber_by_name")
        assert await faulty(scratch_url)  # positive control
