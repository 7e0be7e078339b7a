"""Subscriptions in the order of their recipients' names, and those with given ids, as JSON."""

from masthead.model.ids import LAST_ID
from masthead.model.pagination import PageRequest
from masthead.model.queries import SubscriptionQuery
from masthead.store import name_order
from masthead.store.engine.interface import Connection, Ids
from masthead.store.read_model.subscription_json import SubscriptionsJson, read_json_by_ids
from masthead.store.subscriptions.filters import SUBSCRIPTIONS, filters_of

MOST_SORTED = 2_000  # that match the filters; if there are more, the index soon has a page of them
_ALL = "FROM subscription s WHERE s.account_id = :account_id AND s.id <> ''"


async def list_by_name(
    db: Connection, account_id: int, query: SubscriptionQuery, page: PageRequest
) -> bytes:
    """A page of subscriptions as JSON, by the last names of their recipients; ignores `search`.

    page: its keys are ids, as in other lists. Index: subscription_by_name. Read aside. Queries:
    four, and those of `read_json`.
    """
    filters = filters_of(query)
    table, parameters = _ALL, dict[str, object]()
    if filters:
        matching, parameters = SUBSCRIPTIONS.page(
            filters, after=LAST_ID, fetch=MOST_SORTED + 1, columns="s.*", most=MOST_SORTED + 1
        )
        table = f"FROM {matching} AS s WHERE s.account_id = :account_id"
        row = await db.fetch_one(
            f"SELECT count(*) AS count {table}", {**parameters, "account_id": account_id}
        )
        if row is not None and row["count"] > MOST_SORTED:
            table, parameters = f"{_ALL} {SUBSCRIPTIONS.others(filters)}", filters
    key = name_order.RECIPIENT_KEY[db.dialect]
    ids = await name_order.list_ids(db, account_id, table, key, page, parameters)
    found = (await read_json_by_ids(db, account_id, ids)).by_key()
    return SubscriptionsJson.of({id: found[id] for id in ids}).page(page)


async def list_by_ids(db: Connection, account_id: int, ids: Ids, page: PageRequest) -> bytes:
    """The subscriptions with these ids as JSON, newest first: at most a page of them."""
    return (await read_json_by_ids(db, account_id, ids)).page(page)
