"""Update the search index of subscribers and subscriptions in the transaction of a change."""

from collections import defaultdict
from collections.abc import Collection, Sequence

from msgspec import structs

from masthead.model.search import SearchTexts, join_rows, searchable_rows
from masthead.store import accounts
from masthead.store.engine.interface import Connection, Database, Row, Transaction
from masthead.store.search import text_index as store
from masthead.store.subscribers import records as subscriber_store
from masthead.store.subscriptions import periods, records as subscriptions

BATCH = 50  # rows that are written again together


async def rewrite_search(
    tx: Transaction,
    account_id: int,
    subscriber_ids: Collection[str],
    *,
    new: Sequence[SearchTexts] = (),
) -> None:
    """Write the search texts of subscribers and all their subscriptions again.

    new: rows of other subscribers, which this transaction adds.
    Queries: five, and a few more for changed texts, for any number of subscribers.
    """
    changed = list[SearchTexts]()
    if subscriber_ids:
        rows = await expected_rows(tx, account_id, subscriber_ids)
        stored = await store.list_texts(tx, account_id, [row.n for row in rows])
        changed = [row for row in rows if row != stored.get(row.n)]
        older = [row.n for row in changed if row.n in stored and row.owners == stored[row.n].owners]
        await store.delete_texts(tx, account_id, older)
    await store.insert_texts(tx, account_id, [*new, *changed])


async def refresh_search(db: Database, account_id: int, after: int) -> int | None:
    """Write a batch of search texts again that an earlier version wrote, with other folding.

    after: the last number of the batch before, at first 0. Returns the last number of this batch,
    or None if there are no more.
    """
    async with db.read(aside=True) as connection:
        rows = await store.list_outdated(connection, account_id, after=after, limit=BATCH)
    if not rows:
        return None

    async def work(tx: Transaction) -> None:
        await accounts.lock_account(tx, account_id)
        await rewrite_search(tx, account_id, set(rows.values()))

    await db.write(work, account_id=account_id, is_durable=False)
    return max(rows)


async def expected_rows(
    db: Connection, account_id: int, subscriber_ids: Collection[str]
) -> list[SearchTexts]:
    """The search texts that subscribers and all their subscriptions should have. Queries: four.

    A subscriber shares a row with their first subscription, also after it moved to another one,
    whose rows are then among them.
    """
    names = await subscriber_store.list_searchable_columns(db, account_id, subscriber_ids)
    everything = await subscriptions.list_rows_of_subscribers(db, account_id, subscriber_ids)
    orders = await periods.list_periods(db, account_id, [row.id for row in everything])
    owned = defaultdict[str, list[tuple[Row, list[Row]]]](list)
    for row in everything:
        owned[row.subscriber_id].append(
            (structs.asdict(row), [structs.asdict(each) for each in orders[row.id]])
        )
    rows = [
        row for id, subscriber in names.items() for row in searchable_rows(subscriber, owned[id])
    ]
    sharing = await store.list_sharing(db, account_id, [row.n for row in rows])
    if sharing - set(subscriber_ids):
        return await expected_rows(db, account_id, sharing | set(subscriber_ids))
    return join_rows(rows)
