"""The ids of the rows of a list that a user chose."""

from collections.abc import Collection

import msgspec

from masthead.model.ids import LAST_ID
from masthead.model.queries import SubscriptionQuery
from masthead.store.engine.interface import Connection
from masthead.store.subscribers.records import SUBSCRIBERS
from masthead.store.subscriptions.filters import SUBSCRIPTIONS, filters_of

_decode = msgspec.json.Decoder(list[str]).decode


async def list_subscriber_ids(db: Connection, account_id: int, limit: int) -> list[str]:
    """The newest subscribers, without merged ones. Queries: one."""
    page, parameters = SUBSCRIBERS.page(
        {"is_live": True}, after=LAST_ID, fetch=limit, columns="u.id", most=limit
    )
    rows = await db.fetch_all(
        f"SELECT u.id FROM {page} AS u",  # noqa: S608 - the constants of the list
        {**parameters, "account_id": account_id},
    )
    return [row["id"] for row in rows]


async def list_kept(db: Connection, account_id: int, ids: Collection[str]) -> list[str]:
    """The subscribers that exist, some perhaps twice; for merged ones, those that were kept.

    Queries: one, with one row, which takes half as long as one for each.
    """
    row = await db.fetch_one(
        """
        SELECT json_group_array(coalesce(merged_into, id)) AS ids
        FROM subscriber
        WHERE account_id = :account_id AND id IN (:ids...)
        """,
        {"account_id": account_id, "ids": list(ids)},
    )
    assert row is not None
    return _decode(row["ids"] or "[]")


async def list_subscription_ids(
    db: Connection, account_id: int, query: SubscriptionQuery, limit: int
) -> list[str]:
    """The newest subscriptions that match the filters; ignores `search`; read aside. Queries: one.

    Index: as for `store.subscriptions.records.list_subscriptions`.
    """
    page, parameters = SUBSCRIPTIONS.page(
        filters_of(query), after=LAST_ID, fetch=limit, columns="s.id", most=limit
    )
    rows = await db.fetch_all(
        f"SELECT s.id FROM {page} AS s",  # noqa: S608 - the constants of the list
        {**parameters, "account_id": account_id},
    )
    return [row["id"] for row in rows]


async def find_owners(db: Connection, account_id: int, ids: Collection[str]) -> dict[str, str]:
    """The subscribers of those subscriptions that exist, by the id of each. Queries: one."""
    rows = await db.fetch_all(
        """
        SELECT id, subscriber_id
        FROM subscription
        WHERE account_id = :account_id AND id IN (:ids...)
        """,
        {"account_id": account_id, "ids": list(ids)},
    )
    return {row["id"]: row["subscriber_id"] for row in rows}


async def list_running(
    db: Connection, account_id: int, subscriber_ids: Collection[str]
) -> list[str]:
    """The subscriptions of subscribers that are not over. Index: subscription_by_subscriber."""
    return await _list_running(db, account_id, "subscriber_id", subscriber_ids)


async def list_running_of(db: Connection, account_id: int, ids: Collection[str]) -> list[str]:
    """Those of some subscriptions that are not over. Queries: one."""
    return await _list_running(db, account_id, "id", ids)


async def _list_running(
    db: Connection, account_id: int, column: str, ids: Collection[str]
) -> list[str]:
    rows = await db.fetch_all(
        f"""
        SELECT id
        FROM subscription
        WHERE account_id = :account_id
          AND {column} IN (:ids...)
          AND (status NOT IN ('Cancelled', 'Complete')) IS TRUE
        ORDER BY id
        """,  # noqa: S608 - names of columns
        {"account_id": account_id, "ids": list(ids)},
    )
    return [row["id"] for row in rows]


async def list_paid_by(
    db: Connection, account_id: int, subscriber_ids: Collection[str]
) -> list[str]:
    """The subscriptions that subscribers have or gave. Queries: one.

    Index: subscription_by_subscriber and subscription_by_gifter.
    """
    rows = await db.fetch_all(
        """
        SELECT id
        FROM subscription
        WHERE account_id = :account_id AND subscriber_id IN (:ids...)
        UNION
        SELECT id
        FROM subscription
        WHERE account_id = :account_id AND gifter_id IN (:ids...)
        """,
        {"account_id": account_id, "ids": list(subscriber_ids)},
    )
    return [row["id"] for row in rows]
