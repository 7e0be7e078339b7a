"""Likely duplicates of an import: existing subscribers with the same name and address.

All subscribers are compared at once, because an import may have as many rows.
"""

import asyncio
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache

from msgspec import structs

from masthead.model.imports.batches import Decisions
from masthead.model.imports.rows.prepared import PreparedRow
from masthead.model.orders.known_subscribers import name_key, postcode_key, street_key
from masthead.model.orders.order import Order
from masthead.store.engine.interface import Connection, Database
from masthead.store.imports.batch_rows import list_of_subscriptions
from masthead.store.imports.kept_subscribers import KeptSubscribers
from masthead.store.orders.known_subscribers import ComparedPerson, list_all_compared
from masthead.store.subscribers import records as subscriber_store

READ = 2_000  # rows read at a time


class LikelySubscribers:
    """The existing subscribers by name with postcode, and by name with street.

    Memory: constant; on the disk, about 150 bytes for each subscription.
    """

    def __init__(self) -> None:
        self._kept = KeptSubscribers()
        self._name_key = lru_cache(maxsize=20_000)(name_key)

    @classmethod
    async def load(
        cls, db: Database, account_id: int, *, batch_id: str | None = None
    ) -> "LikelySubscribers":
        """Read all subscribers of an account, in one snapshot.

        batch_id: of an import that goes on; what it has made so far is not compared.
        """
        found, after = cls(), ""
        async with db.read(is_long=True) as connection:
            while rows := await list_all_compared(connection, account_id, after=after, limit=READ):
                after = rows[-1].id
                own = await _made_by(connection, account_id, batch_id, rows) if batch_id else set()
                others = [row for row in rows if row.id not in own]
                found._kept.add(
                    [(key, row.subscriber_id) for row in others for key in found._of(row)]
                )
        await asyncio.to_thread(found._kept.complete)
        return found

    def find(self, orders: Collection[Order]) -> list[str | None]:
        """For each order, the id of an existing subscriber who is likely that of the order."""
        keys = [list(self._of(order)) for order in orders]
        known = self._kept.find({key for each in keys for key in each})
        return [next((known[key] for key in each if key in known), None) for each in keys]

    def _of(self, person: ComparedPerson | Order) -> Iterator[int]:
        """The keys of a subscription or of an order."""
        name = self._name_key(person.first_name, person.last_name)
        name = name or self._name_key(person.company)
        return _keys(name, person.postcode, person.address1, person.country)


async def _made_by(
    db: Connection, account_id: int, batch_id: str, rows: Sequence[ComparedPerson]
) -> set[str]:
    """The subscriptions that an import has made so far. Queries: one."""
    ids = {row.id for row in rows}
    found = await list_of_subscriptions(db, account_id, batch_id, ids)
    made = {each.subscription_id for each in found if each.made and each.made.subscription}
    return {id for id in made if id}


def _keys(
    name: str, postcode: str | None, address1: str | None, country: str | None
) -> Iterator[int]:
    """The hashes of what likely duplicates have in common."""
    if name and (code := postcode_key(postcode)):
        yield hash((name, code, country))
    if name and (street := street_key(address1)):
        yield hash((name, street, country))


async def attach_known(
    db: Connection,
    account_id: int,
    rows: list[PreparedRow],
    decisions: Decisions,
    likely: LikelySubscribers | None,
) -> list[PreparedRow]:
    """The rows, of which some go to existing subscribers, as was decided. Queries: one at most.

    likely: if rows without a decision go to existing subscribers.
    """
    if not decisions.decided and likely is None:
        return rows
    wanted: dict[int, str] = {}  # the subscriber, by place
    asked: dict[int, str] = {}  # the same for rows without a decision, unless the email is known
    orders = {place: row.order for place, row in enumerate(rows) if row.order}
    existing = dict(zip(orders, likely.find(orders.values()), strict=True)) if likely else {}
    for place, row in enumerate(rows):
        if row.order is None or row.order.renews or row.order.subscriber_id:
            continue
        decision = decisions.decided.get(row.lines[0].number)
        if decision:
            wanted[place] = decision
        elif decision is None and (id := existing.get(place)):
            asked[place] = id
    keys = {key for place in asked if (key := _email_key(rows[place]))}
    known = await subscriber_store.find_by_email(db, account_id, keys) if keys else {}
    wanted |= {place: id for place, id in asked.items() if _email_key(rows[place]) not in known}
    return [
        structs.replace(row, order=structs.replace(row.order, subscriber_id=wanted[place]))
        if place in wanted and row.order
        else row
        for place, row in enumerate(rows)
    ]


def _email_key(row: PreparedRow) -> str | None:
    assert row.order is not None
    return row.order.email_key
