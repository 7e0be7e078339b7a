"""Remember that likely duplicates are not the same person, and undo it."""

from collections.abc import Collection

from masthead.model.actors import Actor
from masthead.model.audit_events import AuditEvent, EventType
from masthead.model.errors import Invalid, NotFound
from masthead.model.translations import gettext as _
from masthead.store import accounts
from masthead.store.audit import trail
from masthead.store.engine.interface import Database, Transaction
from masthead.store.subscribers import dismissed_pairs as store
from masthead.store.subscribers.corrections import get_subscriber
from masthead.store.subscribers.records import find_kept


async def dismiss_pair(db: Database, account_id: int, one: str, other: str, *, by: Actor) -> None:
    """Remember that two subscribers are not the same person, in whatever order.

    Nothing happens if it is remembered already. Raises: NotFound, Invalid.
    """

    async def work(tx: Transaction) -> None:
        await accounts.lock_account(tx, account_id)
        for id in (one, other):
            await get_subscriber(tx, account_id, id)
        kept = await find_kept(tx, account_id, [one, other])
        if kept[one] == kept[other]:
            raise Invalid(_("They are merged already, so they are one subscriber."))
        await remember_pairs(tx, account_id, kept[one], [kept[other]], by=by)

    await db.write(work, account_id=account_id)


async def remember_pairs(
    tx: Transaction, account_id: int, id: str, others: Collection[str], *, by: Actor
) -> None:
    """Remember, in a transaction, that a subscriber is none of the others."""
    known = {each.pair for each in await store.list_dismissed(tx, account_id)}
    new = {store.ordered(id, other) for other in others if other != id} - known
    if new:
        await store.insert_pairs(tx, account_id, new, by=by)
        await _record(tx, account_id, EventType.SUBSCRIBER_DISMISS_DUPLICATE, new, by=by)


async def restore_pair(db: Database, account_id: int, one: str, other: str, *, by: Actor) -> None:
    """Forget that two subscribers are not the same person. Raises: NotFound."""

    async def work(tx: Transaction) -> None:
        await accounts.lock_account(tx, account_id)
        pair = store.ordered(one, other)
        if pair not in {each.pair for each in await store.list_dismissed(tx, account_id)}:
            raise NotFound("pair", f"{one} {other}")
        await store.delete_pair(tx, account_id, *pair)
        await _record(tx, account_id, EventType.SUBSCRIBER_RESTORE_DUPLICATE, {pair}, by=by)

    await db.write(work, account_id=account_id)


async def _record(
    tx: Transaction, account_id: int, type: EventType, pairs: Collection[store.Pair], *, by: Actor
) -> None:
    """Record pairs in the audit trail of both subscribers."""
    events = [
        AuditEvent(type, id, None, {"subscriber": other})
        for pair in sorted(pairs)
        for id, other in (pair, pair[::-1])
    ]
    await trail.record(tx, account_id, by, events)
