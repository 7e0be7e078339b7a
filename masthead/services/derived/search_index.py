"""What subscribers and subscriptions are found by, kept right in the write that changes it."""

from collections import defaultdict
from collections.abc import Collection
from typing import Any

from masthead.model.search import searchable_rows
from masthead.store import periods, subscribers, subscriptions
from masthead.store.engine.interface import Connection, Row, Transaction
from masthead.store.search import text_index as store


async def rewrite_search(tx: Transaction, account_id: int, subscriber_ids: Collection[str]) -> None:
    """Say anew what subscribers and all their subscriptions are found by.

    Queries: four, and a few for what changes, however many subscribers.
    """
    if not subscriber_ids:
        return
    rows = await due_rows(tx, account_id, subscriber_ids)
    stored = await store.list_texts(tx, account_id, [row["n"] for row in rows])
    changed = [row for row in rows if row != stored.get(row["n"])]
    older = [row["n"] for row in changed if _owners(row) == _owners(stored.get(row["n"], {}))]
    await store.delete_texts(tx, account_id, older)
    await store.insert_texts(tx, account_id, changed)


def _owners(row: Row) -> tuple[str | None, str | None]:
    """Whom a row finds; by its number alone, somebody who was faster might lose theirs."""
    return row.get("subscriber_id"), row.get("subscription_id")


async def due_rows(
    db: Connection, account_id: int, subscriber_ids: Collection[str]
) -> list[dict[str, Any]]:
    """The rows by which subscribers and all their subscriptions are to be found. Queries: three."""
    names = await subscribers.list_searchable_columns(db, account_id, subscriber_ids)
    everything = await subscriptions.list_rows_of_subscribers(db, account_id, subscriber_ids)
    orders = await periods.list_periods(db, account_id, [row["id"] for row in everything])
    owned = defaultdict[str, list[tuple[Row, list[Row]]]](list)
    for row in everything:
        owned[row["subscriber_id"]].append((row, orders[row["id"]]))
    return [
        row for id, subscriber in names.items() for row in searchable_rows(subscriber, owned[id])
    ]
