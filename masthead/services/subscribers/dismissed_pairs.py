"""Remember that likely duplicates are not the same person, and undo it."""

from collections.abc import Collection

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.errors import Invalid, NotFound
from masthead.model.translations import gettext as _
from masthead.services.transactions import with_locked_account
from masthead.store.accounts import Account
from masthead.store.audit import trail
from masthead.store.engine.interface import Transaction
from masthead.store.subscribers import dismissed_pairs as store
from masthead.store.subscribers.corrections import get_subscriber
from masthead.store.subscribers.records import find_kept


@with_locked_account
async def dismiss_pair(
    tx: Transaction, account: Account, one: str, other: str, *, by: Actor
) -> None:
    """Remember that two subscribers are not the same person, in any order.

    Nothing happens if it is remembered already. Raises: NotFound, Invalid.
    """
    for id in (one, other):
        await get_subscriber(tx, account.id, id)
    kept = await find_kept(tx, account.id, [one, other])
    if kept[one] == kept[other]:
        raise Invalid(_("They are merged already, so they are one subscriber."))
    await remember_pairs(tx, account.id, kept[one], [kept[other]], by=by)


async def remember_pairs(
    tx: Transaction, account_id: int, id: str, others: Collection[str], *, by: Actor
) -> None:
    """Remember, in a transaction, that a subscriber is none of the others."""
    known = {each.pair for each in await store.list_dismissed(tx, account_id)}
    new = {store.ordered(id, other) for other in others if other != id} - known
    if new:
        await store.insert_pairs(tx, account_id, new, by=by)
        await _record(tx, account_id, EntryType.SUBSCRIBER_DISMISS_DUPLICATE, new, by=by)


@with_locked_account
async def restore_pair(
    tx: Transaction, account: Account, one: str, other: str, *, by: Actor
) -> None:
    """Forget that two subscribers are not the same person. Raises: NotFound."""
    pair = store.ordered(one, other)
    if pair not in {each.pair for each in await store.list_dismissed(tx, account.id)}:
        raise NotFound("pair", f"{one} {other}")
    await store.delete_pair(tx, account.id, *pair)
    await _record(tx, account.id, EntryType.SUBSCRIBER_RESTORE_DUPLICATE, {pair}, by=by)


async def _record(
    tx: Transaction, account_id: int, type: EntryType, pairs: Collection[store.Pair], *, by: Actor
) -> None:
    """Record pairs in the audit trail of both subscribers."""
    entries = [
        NewEntry(type, id, None, {"subscriber": other})
        for pair in sorted(pairs)
        for id, other in (pair, pair[::-1])
    ]
    await trail.record(tx, account_id, by, entries)
