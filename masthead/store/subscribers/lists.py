"""Subscribers in the order of their names, those with given ids, and what only pages show."""

from datetime import datetime

import msgspec
from msgspec import Struct

from masthead.model.pagination import JsonRows, Page, PageRequest
from masthead.model.resources import Subscriber
from masthead.store import name_order
from masthead.store.engine.interface import Connection, Ids
from masthead.store.engine.rows import fetch_all
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


class SubscriberRow(Struct, frozen=True):
    """What the API does not tell of a subscriber. country: of their own address, if they have one.

    created_at: of the record.
    """

    id: str
    country: str | None
    created_at: datetime


async def find_rows(db: Connection, account_id: int, ids: Ids) -> dict[str, SubscriberRow]:
    """Subscribers by id. Queries: one."""
    sql = """
        SELECT id, country, created_at
        FROM subscriber
        WHERE account_id = :account_id AND id IN (:ids...)
    """
    found = await fetch_all(db, sql, {"account_id": account_id, "ids": ids}, into=SubscriberRow)
    return {each.id: each for each in found}
