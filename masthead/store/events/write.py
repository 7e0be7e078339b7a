"""Write events at the end of the transaction of their change.

Each has its record as the transaction leaves it, because others never see what is between. Records
are rendered together: the statements are as many for one event as for 10,000. decision 0062.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence

import msgspec
from msgspec import Struct

from masthead.model.actors import Actor
from masthead.model.clock import account_now
from masthead.model.events.types import PublicEventType
from masthead.model.resources import Subscription
from masthead.model.types.enums import SubscriptionStatus
from masthead.store.engine.interface import Row, Transaction
from masthead.store.events.records import render_records
from masthead.store.read_model.subscription_query import get_subscription

_encode = msgspec.json.Encoder().encode


class NewEvent(Struct, frozen=True, gc=False):
    """An event to write. data: the JSON of its record; None to render it at the end."""

    type: PublicEventType
    record_id: str
    data: bytes | None = None


class _Added(Struct, frozen=True, gc=False):
    """Events of one actor."""

    account_id: int
    by: Actor
    events: Sequence[NewEvent]


async def add_events(
    tx: Transaction, account_id: int, by: Actor, events: Iterable[NewEvent]
) -> None:
    """Let the transaction write events at its end, which takes two statements, and at most three
    for each type of record.
    """
    if added := list(events):
        tx.ending.add(tx, _write, [_Added(account_id, by, added)])


async def get_written(tx: Transaction, account_id: int, id: str) -> Subscription:
    """A subscription as the transaction leaves it, which its events use. Queries: two or three.

    Nothing that it shows may change in the transaction afterwards. Raises: NotFound.
    """
    written = await get_subscription(tx, account_id, id)
    tx.ending.add(tx, _write, [written])
    return written


async def _write(tx: Transaction, items: Sequence[_Added | Subscription]) -> None:
    """Write the events that were added. items: also subscriptions that were read already."""
    added = [each for each in items if isinstance(each, _Added)]
    if not added:
        return
    [account_id] = {each.account_id for each in added}
    events = [(each.by, event) for each in added for event in each.events]
    events = _without_repeated(events)
    data = {each.id: _encode(each) for each in items if isinstance(each, Subscription)}
    wanted = defaultdict[str, dict[str, None]](dict)
    for _, event in events:
        if event.data is None and event.record_id not in data:
            wanted[event.type.record_type][event.record_id] = None
    for record_type, ids in wanted.items():
        data |= await render_records(tx, account_id, record_type, list(ids))
    first, moment, rows = await _reserve(tx, account_id, len(events)), account_now(), list[Row]()
    for number, (by, event) in enumerate(events, first):
        json = event.data or data.get(event.record_id)
        rows.append(
            {
                "account_id": account_id,
                "number": number,
                "type": _type_of(event.type, json).value,
                "record_id": event.record_id,
                "happened_at": moment,
                "actor_kind": by.kind,
                "actor_id": by.id,
                "data": None if json is None else json.decode(),
            }
        )
    await tx.insert_rows("event", rows)


def _without_repeated(events: Sequence[tuple[Actor, NewEvent]]) -> list[tuple[Actor, NewEvent]]:
    """The events, but only one for what is open of an invoice, which changes in steps."""
    known, kept = set[str](), list[tuple[Actor, NewEvent]]()
    for by, event in events:
        if event.type is PublicEventType.INVOICE_UPDATED:
            if event.record_id in known:
                continue
            known.add(event.record_id)
        kept.append((by, event))
    return kept


async def _reserve(tx: Transaction, account_id: int, count: int) -> int:
    """Reserve numbers; returns the first one. The row stays locked until the commit."""
    row = await tx.fetch_one(
        """
        UPDATE account_state
        SET last_event = last_event + :count
        WHERE account_id = :account_id
        RETURNING last_event
        """,
        {"account_id": account_id, "count": count},
    )
    assert row is not None
    return int(row["last_event"]) - count + 1


_PAST_DUE = f'"status":"{SubscriptionStatus.PAST_DUE}"'.encode()


def _type_of(type: PublicEventType, json: bytes | None) -> PublicEventType:
    """The type of an event; that of a status that time has changed depends on its record."""
    if type is PublicEventType.SUBSCRIPTION_COMPLETED and json is not None and _PAST_DUE in json:
        return PublicEventType.SUBSCRIPTION_PAST_DUE
    return type
