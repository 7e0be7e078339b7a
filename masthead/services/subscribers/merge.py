"""Merge two subscribers: one stays and gets everything of the other one, whose id leads there."""

from collections.abc import Collection

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.errors import Invalid
from masthead.model.subscribers.corrections import MERGED_MEANWHILE
from masthead.model.subscribers.merges import MovedRecords
from masthead.model.translations import gettext as _
from masthead.services.privacy.guard import require_not_erased
from masthead.services.search_index import expected_rows, rewrite_search
from masthead.services.transactions import with_locked_account
from masthead.store.accounts import Account
from masthead.store.audit import trail
from masthead.store.billing.merges import list_billed, move_billed
from masthead.store.engine.interface import Transaction
from masthead.store.read_model import subscription_json
from masthead.store.search import text_index
from masthead.store.subscribers import (
    corrections as records,
    merges as store,
    records as subscriber_store,
)
from masthead.store.subscribers.corrections import StoredSubscriber


@with_locked_account
async def merge_subscribers(
    tx: Transaction, account: Account, *, kept_id: str, merged_id: str, by: Actor
) -> str:
    """Merge a subscriber into another one; returns the id of the merge.

    Subscriptions, gifts, copies, claims, delivery reports, planned addresses, letters, notes,
    invoices and payments move. The lines of dispatch runs stay as they were frozen. The id and the
    email of the merged subscriber lead to the one that stays; so do those of subscribers merged
    into them before.
    Queries: about 40, for any number of subscriptions.
    Raises: NotFound, Invalid (`merged_meanwhile` if one of them is merged already).
    """
    kept = await records.get_subscriber(tx, account.id, kept_id)
    merged = await records.get_subscriber(tx, account.id, merged_id)
    if kept_id == merged_id:
        raise Invalid(_("A subscriber cannot be merged with itself. Choose another one."))
    for subscriber in (kept, merged):
        await _require_live(tx, account.id, subscriber)
    await require_not_erased(tx, account.id, [kept_id, merged_id])
    moved = await _list_moved(tx, account.id, kept, merged)
    sharing = await move_records(tx, account, moved, from_id=merged_id, to_id=kept_id)
    await records.update_subscriber(tx, account.id, merged_id, {"merged_into": kept_id})
    if moved.is_unsubscribed:
        columns = {"unsubscribed_at": merged.unsubscribed_at}
        await records.update_subscriber(tx, account.id, kept_id, columns)
    await update_derived(tx, account, sharing, moved.subscriptions, moved.gifts)
    id = await store.insert_merge(
        tx, account.id, kept_id=kept_id, merged_id=merged_id, moved=moved, by=by
    )
    entries = [
        NewEntry(
            EntryType.SUBSCRIBER_MERGE,
            kept_id,
            None,
            {
                "merged": merged_id,
                "full_name": merged.full_name,
                "email": merged.email,
                "subscriptions": moved.subscriptions,
            },
        ),
        NewEntry(EntryType.SUBSCRIBER_MERGE, merged_id, None, {"merged_into": kept_id}),
        *moves_of(moved.subscriptions, from_id=merged_id, to_id=kept_id),
    ]
    await trail.record(tx, account.id, by, entries)
    return id


async def _require_live(tx: Transaction, account_id: int, subscriber: StoredSubscriber) -> None:
    """Raises: Invalid `merged_meanwhile`, with the id of the subscriber that stays, if merged."""
    if subscriber.merged_into is None:
        return
    kept = await records.get_subscriber(tx, account_id, subscriber.merged_into)
    raise Invalid(
        _("{name} is already merged into {kept}. Nothing was changed.").format(
            name=subscriber.full_name, kept=kept.full_name
        ),
        code=MERGED_MEANWHILE,
        value=kept.id,
    )


async def _list_moved(
    tx: Transaction, account_id: int, kept: StoredSubscriber, merged: StoredSubscriber
) -> MovedRecords:
    """What a merge moves. Queries: six, or nine for a payer."""
    id = merged.id
    subscriptions = await records.list_subscription_ids(tx, account_id, id)
    others = await records.list_subscription_ids(tx, account_id, kept.id)
    return MovedRecords(
        subscriptions=subscriptions,
        newest=max(subscriptions + others, default=""),
        gifts=list(await records.list_gifts(tx, account_id, id)),
        notes=await store.list_other_ids(tx, account_id, "subscriber_note", id),
        subscribers=await store.list_other_ids(tx, account_id, "subscriber", id),
        billed=await list_billed(tx, account_id, id),
        email=merged.email,
        is_unsubscribed=merged.unsubscribed_at is not None and kept.unsubscribed_at is None,
    )


async def move_records(
    tx: Transaction, account: Account, moved: MovedRecords, *, from_id: str, to_id: str
) -> set[str]:
    """Move records from a subscriber to another one, those of them that the subscriber still has.

    Also removes both subscribers from the search index, before their rows change. Returns them, and
    who shares rows of the index with them: `update_derived` is to write them again.
    """
    id, ends = account.id, {"from_id": from_id, "to_id": to_id}
    sharing = await remove_texts(tx, id, (from_id, to_id))
    await store.move_subscriptions(tx, id, moved.subscriptions, **ends)
    await store.move_others(tx, id, "subscription", moved.gifts, **ends)
    await store.move_others(tx, id, "subscriber_note", moved.notes, **ends)
    await move_billed(tx, id, moved.billed, **ends)
    await store.move_others(tx, id, "subscriber", moved.subscribers, **ends)
    return sharing


async def remove_texts(tx: Transaction, account_id: int, ids: Collection[str]) -> set[str]:
    """Remove subscribers and their subscriptions from the search index; returns whom it removed.

    A subscriber shares a row with their first subscription, so rows have other owners afterwards.
    Those who share a row with them, after an earlier move, are removed, too.
    """
    rows = await expected_rows(tx, account_id, ids)
    stored = await text_index.list_texts(tx, account_id, [row.n for row in rows])
    await text_index.delete_texts(tx, account_id, list(stored))
    return {*ids, *(row.subscriber_id for row in rows if row.subscriber_id)}


async def update_derived(
    tx: Transaction,
    account: Account,
    subscribers: Collection[str],
    subscriptions: Collection[str],
    gifts: Collection[str],
) -> None:
    """Recount subscribers, and update their search texts and the read model of subscriptions."""
    ids = list(subscribers)
    await subscriber_store.update_stats(tx, account.id, ids, currency=account.currency)
    await rewrite_search(tx, account.id, ids)
    await subscription_json.mark_outdated(tx, account.id, sorted({*subscriptions, *gifts}))


def moves_of(ids: Collection[str], *, from_id: str, to_id: str) -> list[NewEntry]:
    """The entries about subscriptions that moved from a subscriber to another one."""
    before, after = {"subscriber": from_id}, {"subscriber": to_id}
    return [NewEntry(EntryType.SUBSCRIPTION_MOVE, id, before, after) for id in ids]
