"""Check what the merges of subscribers say that they moved."""

from collections.abc import AsyncIterator

from masthead.store.engine.interface import Connection
from masthead.store.subscribers import merges
from masthead.store.subscriptions import records as subscriptions

PAGE = 1_000


async def check_merges(db: Connection, account_id: int) -> AsyncIterator[tuple[str, str]]:
    """Broken invariants, each with the id of a merge. Queries: one for 1,000, and one for each."""
    after = ""
    while found := await merges.list_merges(db, account_id, after=after, limit=PAGE):
        after = found[-1].id
        for merge in found:
            named = {*merge.moved.subscriptions, *merge.moved.gifts}
            rows = await subscriptions.find_rows(db, account_id, named)
            if rows.keys() != named:
                yield "what a merge moved is subscriptions of its account", merge.id
            if merge.kept_id == merge.merged_id:
                yield "a merge has two subscribers", merge.id
