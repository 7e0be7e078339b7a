"""Subscriptions: lists of their JSON from the read model, and their own columns."""

from collections.abc import Collection, Mapping, Sequence

from masthead.model.errors import NotFound
from masthead.model.ids import LAST_ID
from masthead.model.pagination import PageRequest
from masthead.model.queries import SubscriptionFilters
from masthead.model.resources import SubscriptionState
from masthead.model.subscriptions.stored import StoredSubscription
from masthead.model.types.enums import SubscriptionStatus
from masthead.model.types.full_names import Named
from masthead.store.engine.interface import Connection, Database, Ids, Reader, Row, Transaction
from masthead.store.engine.rows import fetch_all
from masthead.store.read_model.stored_pages import fetch_stored_page
from masthead.store.read_model.subscription_json import (
    fetch_json,
    fetch_json_by_id,
    read_json,
    read_json_by_ids,
)
from masthead.store.search import text_index
from masthead.store.subscriptions.filters import SUBSCRIPTIONS, filters_of
from masthead.store.update_statement import update_row


async def list_subscriptions(
    db: Reader,
    account_id: int,
    query: SubscriptionFilters,
    page: PageRequest,
    *,
    one_of_each_group: bool = False,
) -> bytes:
    """A page of subscriptions as JSON, in the order of the page; ignores `search`.

    one_of_each_group: of several copies for one address, only the first subscription.
    Queries: one if the read model has them all up to date; two if, without filters, only those of
    the page are.
    """
    filters = filters_of(query)
    if one_of_each_group:
        filters["is_first_of_group"] = True
    stored = None if filters else await fetch_stored_page(db, account_id, page)
    if stored:
        return stored.page(page)
    ids, parameters = SUBSCRIPTIONS.page(
        filters,
        after=page.after_id,
        fetch=page.fetch,
        columns="s.id",
        is_ascending=page.is_ascending,
    )
    if SUBSCRIPTIONS.may_take_long(filters):
        async with db.read(aside=True) as snapshot:
            found = await read_json(snapshot, account_id, ids, parameters)
    else:
        found = await fetch_json(db, account_id, ids, parameters)
    return found.in_order(is_ascending=page.is_ascending).page(page)


async def search_subscriptions(
    db: Connection,
    account_id: int,
    terms: Sequence[str],
    query: SubscriptionFilters,
    page: PageRequest,
) -> bytes:
    """A page of the subscriptions that match every term, as JSON, newest first; read aside."""
    ids = await text_index.find_ids(
        db,
        account_id,
        text_index.SUBSCRIPTIONS,
        terms,
        after=page.after_id,
        limit=page.fetch,
        listed=SUBSCRIPTIONS,
        filters=filters_of(query),
    )
    return (await read_json_by_ids(db, account_id, ids)).page(page)


async def get_subscription(db: Database, account_id: int, id: str) -> bytes:
    """A subscription as JSON. Queries: one if the read model is up to date. Raises: NotFound."""
    found = await fetch_json_by_id(db, account_id, id)
    if not found.keys:
        raise NotFound("subscription", id)
    return found.lines


async def get_status(db: Connection, account_id: int, id: str) -> SubscriptionState:
    """The status of a subscription. Index: the primary key. Raises: NotFound."""
    row = await db.fetch_one(
        "SELECT status FROM subscription WHERE account_id = :account_id AND id = :id",
        {"account_id": account_id, "id": id},
    )
    if row is None:
        raise NotFound("subscription", id)
    return SubscriptionState(status=SubscriptionStatus(row["status"]))


async def has_any(db: Connection, account_id: int) -> bool:
    """Whether the account has a subscription, in any status."""
    row = await db.fetch_one(
        "SELECT id FROM subscription WHERE account_id = :account_id LIMIT 1",
        {"account_id": account_id},
    )
    return row is not None


async def find_rows(
    db: Connection, account_id: int, ids: Collection[str]
) -> dict[str, StoredSubscription]:
    """Subscriptions by id. Queries: one."""
    found = await fetch_all(
        db,
        "SELECT * FROM subscription WHERE account_id = :account_id AND id IN (:ids...)",
        {"account_id": account_id, "ids": list(ids)},
        into=StoredSubscription,
    )
    return {each.id: each for each in found}


async def list_cancelled(db: Connection, account_id: int, ids: Ids) -> list[str]:
    """Those of the given subscriptions that are cancelled. Queries: one."""
    rows = await db.fetch_all(
        # IS TRUE keeps both databases from reading all cancelled subscriptions
        """
        SELECT id
        FROM subscription
        WHERE account_id = :account_id AND id IN (:ids...) AND (status = 'Cancelled') IS TRUE
        """,
        {"account_id": account_id, "ids": ids},
    )
    return [row["id"] for row in rows]


async def insert_subscriptions(tx: Transaction, account_id: int, rows: Sequence[Row]) -> None:
    """Add subscriptions. rows: by column name. Queries: one, for any number of rows."""
    await tx.insert_rows("subscription", [{**row, "account_id": account_id} for row in rows])


async def update_subscription(
    tx: Transaction, account_id: int, id: str, columns: Mapping[str, object]
) -> None:
    """Set columns of a subscription."""
    await update_row(tx, account_id, "subscription", id, **columns)


async def update_status(
    tx: Transaction, account_id: int, ids: Collection[str], status: SubscriptionStatus
) -> None:
    """Set the status of subscriptions. Queries: one."""
    await tx.execute(
        """
        UPDATE subscription
        SET status = :status
        WHERE account_id = :account_id AND id IN (:ids...)
        """,
        {"account_id": account_id, "ids": list(ids), "status": status},
    )


async def update_renewed(
    tx: Transaction, account_id: int, rows: Collection[Mapping[str, object]]
) -> None:
    """Update renewed subscriptions. rows: id, status, last_issue, total_length."""
    await tx.execute_many(
        """
        UPDATE subscription
        SET status = :status, last_issue = :last_issue, total_length = :total_length
        WHERE account_id = :account_id AND id = :id
        """,
        [{**row, "account_id": account_id} for row in rows],
    )


async def list_rows_of_subscribers(
    db: Connection, account_id: int, subscriber_ids: Collection[str]
) -> list[StoredSubscription]:
    """All subscriptions of subscribers, oldest first. Queries: one."""
    return await fetch_all(
        db,
        """
        SELECT *
        FROM subscription
        WHERE account_id = :account_id AND subscriber_id IN (:subscribers...)
        ORDER BY subscriber_id, id
        """,
        {"account_id": account_id, "subscribers": list(subscriber_ids)},
        into=StoredSubscription,
    )


async def list_newest_of_subscriber(
    db: Connection, account_id: int, subscriber_id: str, limit: int
) -> list[StoredSubscription]:
    """The newest subscriptions of a subscriber, newest first. Queries: one."""
    return await fetch_all(
        db,
        """
        SELECT *
        FROM subscription
        WHERE account_id = :account_id AND subscriber_id = :subscriber
        ORDER BY id DESC
        LIMIT :limit
        """,
        {"account_id": account_id, "subscriber": subscriber_id, "limit": limit},
        into=StoredSubscription,
    )


async def list_newest_given(
    db: Connection, account_id: int, giver_id: str, limit: int, *, before: str = LAST_ID
) -> list[str]:
    """The ids of the gifts of a giver to others, newest first. before: the id before the first one.

    Index: subscription_by_gifter.
    """
    rows = await db.fetch_all(
        """
        SELECT id
        FROM subscription
        WHERE account_id = :account_id
          AND gifter_id = :giver
          AND subscriber_id <> :giver
          AND id < :before
        ORDER BY id DESC
        LIMIT :limit
        """,
        {"account_id": account_id, "giver": giver_id, "before": before, "limit": limit},
    )
    return [row["id"] for row in rows]


class StartingSubscription(Named, frozen=True, kw_only=True):
    """A subscription that starts with an issue."""

    id: str


async def list_starting(
    db: Connection, account_id: int, number: int, *, limit: int
) -> list[StartingSubscription]:
    """The subscriptions that start with an issue. Queries: one.

    Index: subscription_by_start.
    """
    return await fetch_all(
        db,
        """
        SELECT s.id, s.first_name, s.last_name, s.company
        FROM subscription s
        WHERE s.account_id = :account_id AND s.start_issue = :number
        ORDER BY s.id
        LIMIT :limit
        """,
        {"account_id": account_id, "number": number, "limit": limit},
        into=StartingSubscription,
    )
