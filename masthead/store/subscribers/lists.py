"""Subscribers in the order of their names, those with given ids, and their own countries."""

from collections.abc import Sequence

import msgspec

from masthead.model.pagination import JsonRows, Page, PageRequest
from masthead.model.resources import Subscriber
from masthead.store import name_order
from masthead.store.engine.interface import Connection, Ids
from masthead.store.subscribers.subscriber_json import find_json

_NOT_MERGED = """
    FROM subscriber
    WHERE account_id = :account_id
      AND merged_into IS NULL
      AND id <> ''
"""
_decoder = msgspec.json.Decoder(Page[Subscriber])


async def list_by_name(db: Connection, account_id: int, page: PageRequest) -> Page[Subscriber]:
    """Subscribers in the order of their last names, without merged ones.

    page: its keys are ids, as in other lists. Index: subscriber_by_name. Queries: three.
    """
    key = name_order.SUBSCRIBER_KEY[db.dialect]
    ids = await name_order.list_ids(db, account_id, _NOT_MERGED, key, page)
    found = (await find_json(db, account_id, ids)).by_key()
    rows = JsonRows(ids, b"\n".join(found[id] for id in ids))
    return _decoder.decode(rows.page(page))


async def list_by_ids(
    db: Connection, account_id: int, ids: Ids, page: PageRequest
) -> Page[Subscriber]:
    """The subscribers with these ids, newest first: at most a page of them. Queries: one."""
    return _decoder.decode((await find_json(db, account_id, ids)).page(page))


async def list_own_countries(
    db: Connection, account_id: int, subscribers: Sequence[Subscriber]
) -> dict[str, str]:
    """The countries of those without a subscription, such as payers and givers, by id.

    It is that of their own address; without one, they are left out. Queries: one, or none.
    """
    ids = [each.id for each in subscribers if each.latest_country is None]
    if not ids:
        return {}
    rows = await db.fetch_all(
        """
        SELECT id, country
        FROM subscriber
        WHERE account_id = :account_id AND id IN (:ids...) AND country IS NOT NULL
        """,
        {"account_id": account_id, "ids": ids},
    )
    return {row["id"]: row["country"] for row in rows}
