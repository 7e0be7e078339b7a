"""Undo a merge of two subscribers: what is still there moves back."""

from msgspec import Struct

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.clock import now
from masthead.model.errors import Invalid
from masthead.model.subscribers.merges import UNDO_DAYS, Merge, MovedRecords
from masthead.model.translations import gettext as _
from masthead.model.types.email_addresses import written_key
from masthead.services.privacy.guard import require_not_erased
from masthead.services.subscribers.correct import exchange_emails
from masthead.services.subscribers.merge import move_records, moves_of, update_derived
from masthead.services.transactions import with_locked_account
from masthead.store.accounts import Account
from masthead.store.audit import trail
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.subscribers import corrections as records, merges as store
from masthead.store.subscribers.corrections import StoredSubscriber

NOT_UNDONE = "merge_not_undone"  # the code if a merge is undone already, or too old


class UndoPreview(Struct, frozen=True):
    """The effects of undoing a merge.

    moved: the records of the merge that no later merge moved again. going: the subscriptions that
    move back. staying: those that stay, because they were ordered since. exchanges_emails: whether
    each subscriber gets back the address that they had, because they were exchanged since.
    """

    merge: Merge
    moved: MovedRecords
    kept: StoredSubscriber
    merged: StoredSubscriber
    going: list[str]
    staying: list[str]
    exchanges_emails: bool


async def preview_undo(db: Connection, account_id: int, id: str) -> UndoPreview:
    """The effects of undoing a merge now. Queries: five. Raises: NotFound, Invalid."""
    merge = await store.get_merge(db, account_id, id)
    merged = await records.get_subscriber(db, account_id, merge.merged_id)
    _require_undoable(merge, merged)
    kept = await records.get_subscriber(db, account_id, merged.merged_into or "")
    owned = await records.list_subscription_ids(db, account_id, kept.id)
    moved = merge.moved
    for later in await store.list_later(db, account_id, kept.id, id):
        if later.merged_id in merge.moved.subscribers:  # came back meanwhile, and was merged again
            moved = moved.without(later)
    moving = set(moved.subscriptions)
    newest = merge.id if merge.moved.newest is None else merge.moved.newest
    return UndoPreview(
        merge=merge,
        moved=moved,
        kept=kept,
        merged=merged,
        going=[each for each in owned if each in moving],
        staying=[each for each in owned if each > newest and each not in moving],
        exchanges_emails=_were_exchanged(merge, kept),
    )


def _require_undoable(merge: Merge, merged: StoredSubscriber) -> None:
    """Raises: Invalid unless a merge can be undone."""
    if merge.undone_at is not None or merged.merged_into is None:
        raise Invalid(_("This merge is already undone."), code=NOT_UNDONE)
    if not merge.can_be_undone(now()):
        raise Invalid(
            _("This merge is more than {days} days old, so it cannot be undone.").format(
                days=UNDO_DAYS
            ),
            code=NOT_UNDONE,
        )


def _were_exchanged(merge: Merge, kept: StoredSubscriber) -> bool:
    """Whether the subscriber that stayed has the address of the merged one now."""
    return written_key(kept.email) == written_key(merge.moved.email)


@with_locked_account
async def undo_merge(tx: Transaction, account: Account, id: str, *, by: Actor) -> str:
    """Undo a merge; returns the id of the subscriber that is back.

    What was ordered since the merge stays with the subscriber that stayed. If that one was merged
    itself since then, the records move back from where they are now.
    Raises: NotFound, Invalid `merge_not_undone`.
    """
    found = await preview_undo(tx, account.id, id)
    kept_id, merged_id, moved = found.kept.id, found.merged.id, found.moved
    await require_not_erased(tx, account.id, [kept_id, merged_id])
    sharing = await move_records(tx, account, moved, from_id=kept_id, to_id=merged_id)
    await records.update_subscriber(tx, account.id, merged_id, {"merged_into": None})
    if found.exchanges_emails:
        await exchange_emails(tx, account.id, found.kept, found.merged)
    if moved.is_unsubscribed and found.kept.unsubscribed_at == found.merged.unsubscribed_at:
        await records.update_subscriber(tx, account.id, kept_id, {"unsubscribed_at": None})
    await store.update_undone(tx, account.id, id, by=by)
    owned = await records.list_subscription_ids(tx, account.id, kept_id)
    await update_derived(tx, account, sharing, [*found.going, *owned], moved.gifts)
    after = {"merged": merged_id, "subscriptions": found.going}
    entries = [
        NewEntry(EntryType.SUBSCRIBER_UNDO_MERGE, kept_id, after, None),
        NewEntry(EntryType.SUBSCRIBER_UNDO_MERGE, merged_id, {"merged_into": kept_id}, None),
        *moves_of(found.going, from_id=kept_id, to_id=merged_id),
    ]
    await trail.record(tx, account.id, by, entries)
    return merged_id
