"""Subscriptions: lists of their ready documents, and the columns of their own."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from masthead.model.errors import NotFound
from masthead.model.inputs import SubscriptionQuery
from masthead.model.pagination import PageRequest, join_page
from masthead.model.resources import SubscriptionState
from masthead.model.types.enums import SubscriptionStatus
from masthead.store.engine.interface import Connection, Database, Row, Transaction
from masthead.store.pagination import Listing
from masthead.store.read_model.subscription_json import (
    NAMED,
    Ready,
    fetch_documents,
    read_documents,
)
from masthead.store.search import text_index

_ONE = "(SELECT id FROM subscription WHERE account_id = :account_id AND id = :id)"

SUBSCRIPTIONS = Listing(
    table="subscription",
    name="s",
    conditions={
        "subscriber": "s.subscriber_id = :subscriber",
        "country": "s.country = :country",
        "source": "s.source_id = :source",
        "is_gift": "s.is_gift = :is_gift",
        "status": "s.status = :status",  # of the desk alone: its query has it, the API's has not
    },
    few=("subscriber", "status"),
    last="is_gift",
    values=("s.is_gift = true", "s.is_gift = false"),
)


async def list_subscriptions(
    db: Database, account_id: int, query: SubscriptionQuery, page: PageRequest
) -> bytes:
    """Subscriptions of an account, newest first, whatever is searched for: a page as JSON.

    Queries: one if all are ready.
    """
    asked = SUBSCRIPTIONS.asked(query)
    ids = SUBSCRIPTIONS.page(asked, "s.id")
    parameters = {**asked, "before": page.before_id, "fetch": page.fetch}
    if SUBSCRIPTIONS.may_take_long(asked):
        async with db.read(aside=True) as snapshot:
            ready = await read_documents(snapshot, account_id, ids, parameters)
    else:
        ready = await fetch_documents(db, account_id, ids, parameters)
    return _page_of(ready, page)


async def search_subscriptions(
    db: Connection,
    account_id: int,
    terms: Sequence[str],
    query: SubscriptionQuery,
    page: PageRequest,
) -> bytes:
    """Subscriptions in which every term is found, newest first; read aside. Queries: some."""
    asked = SUBSCRIPTIONS.asked(query)
    ids = await text_index.find(
        db,
        account_id,
        text_index.SUBSCRIPTIONS,
        terms,
        before=page.before_id,
        limit=page.fetch,
        listing=SUBSCRIPTIONS,
        asked=asked,
    )
    return _page_of(await read_documents(db, account_id, NAMED, {"ids": ids}), page)


def _page_of(ready: Ready, page: PageRequest) -> bytes:
    """The page as JSON, made of documents that nobody has decoded."""
    shown = ready.documents
    if len(ready.ids) > page.limit:
        shown = shown[: shown.rindex(b"\n")]
    return join_page(shown.replace(b"\n", b","), ready.ids, page)


async def get_subscription(db: Database, account_id: int, id: str) -> bytes:
    """A subscription in full, by id, as JSON. Queries: one if it is ready. Raises: NotFound."""
    ready = await fetch_documents(db, account_id, _ONE, {"id": id})
    if not ready.ids:
        raise NotFound("subscription", id)
    return ready.documents


async def get_status(db: Connection, account_id: int, id: str) -> SubscriptionState:
    """The status alone. Index: the primary key. Raises: NotFound."""
    row = await db.fetch_one(
        "SELECT status FROM subscription WHERE account_id = :account_id AND id = :id",
        {"account_id": account_id, "id": id},
    )
    if row is None:
        raise NotFound("subscription", id)
    return SubscriptionState(status=SubscriptionStatus(row["status"]))


async def has_any(db: Connection, account_id: int) -> bool:
    """Whether the account has a subscription, whatever its state."""
    row = await db.fetch_one(
        "SELECT id FROM subscription WHERE account_id = :account_id LIMIT 1",
        {"account_id": account_id},
    )
    return row is not None


async def find_facts(
    db: Connection, account_id: int, ids: Collection[str]
) -> dict[str, dict[str, Any]]:
    """The subscriptions' own columns, by id. Queries: one."""
    rows = await db.fetch_all(
        "SELECT * FROM subscription WHERE account_id = :account_id AND id IN (:ids...)",
        {"account_id": account_id, "ids": list(ids)},
    )
    return {row["id"]: dict(row) for row in rows}


async def insert_subscriptions(tx: Transaction, account_id: int, rows: Sequence[Row]) -> None:
    """Add subscriptions. rows: by column name. Queries: one, however many rows."""
    await tx.insert_rows("subscription", [{**row, "account_id": account_id} for row in rows])


async def update_subscription(
    tx: Transaction, account_id: int, id: str, columns: Mapping[str, object]
) -> None:
    """Set the columns that are named."""
    named = ", ".join(f"{name} = :{name}" for name in columns)
    await tx.execute(
        f"UPDATE subscription SET {named}"  # noqa: S608 - names are fields of our structs
        " WHERE account_id = :account_id AND id = :id",
        {**columns, "account_id": account_id, "id": id},
    )


async def update_status(
    tx: Transaction, account_id: int, ids: Collection[str], status: SubscriptionStatus
) -> None:
    """Give subscriptions a status. Queries: one."""
    await tx.execute(
        "UPDATE subscription SET status = :status"
        " WHERE account_id = :account_id AND id IN (:ids...)",
        {"account_id": account_id, "ids": list(ids), "status": status},
    )


async def extend_subscriptions(
    tx: Transaction, account_id: int, rows: Collection[Mapping[str, object]]
) -> None:
    """Write down renewals. rows: id, status, last_issue, total_length."""
    await tx.execute_many(
        "UPDATE subscription SET status = :status, last_issue = :last_issue,"
        " total_length = :total_length"
        " WHERE account_id = :account_id AND id = :id",
        [{**row, "account_id": account_id} for row in rows],
    )


async def list_of_subscribers(
    db: Connection, account_id: int, subscriber_ids: Collection[str]
) -> list[Row]:
    """All subscriptions of subscribers, own columns, oldest first. Queries: one."""
    return await db.fetch_all(
        "SELECT * FROM subscription WHERE account_id = :account_id"
        " AND subscriber_id IN (:subscribers...) ORDER BY subscriber_id, id",
        {"account_id": account_id, "subscribers": list(subscriber_ids)},
    )


async def list_newest_of(
    db: Connection, account_id: int, subscriber_id: str, limit: int
) -> list[Row]:
    """What the newest subscriptions of a subscriber are, newest first. Queries: one."""
    return await db.fetch_all(
        "SELECT id, type, status, is_recurring FROM subscription"
        " WHERE account_id = :account_id AND subscriber_id = :subscriber"
        " ORDER BY id DESC LIMIT :limit",
        {"account_id": account_id, "subscriber": subscriber_id, "limit": limit},
    )
