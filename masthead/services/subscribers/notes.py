"""Write notes on subscribers, and delete them."""

from collections.abc import Sequence

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.bulk import RowChoice
from masthead.model.errors import Invalid, NotFound
from masthead.model.subscribers.notes import SubscriberNote
from masthead.model.translations import gettext as _
from masthead.model.types.clean_text import several_lines
from masthead.model.types.text import MAX_LONG_TEXT, short_text
from masthead.services.bulk.choose import choose
from masthead.services.privacy.guard import require_not_erased
from masthead.services.subscribers.names import name_actors
from masthead.services.transactions import in_long_transaction, with_locked_account
from masthead.store import accounts
from masthead.store.accounts import Account
from masthead.store.audit import trail
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.privacy import erasures
from masthead.store.subscribers import notes as store
from masthead.store.subscribers.corrections import get_kept_id

SHOWN = 200  # notes on a page


@with_locked_account
async def add_note(
    tx: Transaction, account: Account, subscriber_id: str, text: str, *, by: Actor
) -> str:
    """Add a note on a subscriber, or on the one that they were merged into; returns its id.

    Raises: NotFound, Invalid if the text is empty or too long.
    """
    stored = _stored_text(text)
    kept_id = await get_kept_id(tx, account.id, subscriber_id)
    await require_not_erased(tx, account.id, [kept_id])
    [id] = await _write_notes(tx, account.id, [kept_id], stored, by)
    return id


@in_long_transaction
async def add_notes(
    tx: Transaction, account_id: int, choice: RowChoice, text: str, *, expected: str, by: Actor
) -> int:
    """Add the same note on the subscribers of chosen rows, all or none; returns how many got it.

    Those who were erased get none. expected: the fingerprint of the rows that the page showed.
    Takes 0.1 ms for each. Raises: Invalid, as `add_note` and `choose`.
    """
    stored = _stored_text(text)
    await accounts.lock_account(tx, account_id)
    chosen = await choose(tx, account_id, choice, expected=expected)
    erased = {*await erasures.list_erased(tx, account_id, chosen.subscriber_ids)}
    ids = sorted(id for id in chosen.subscriber_ids if id not in erased)
    await _write_notes(tx, account_id, ids, stored, by)
    return len(ids)


def _stored_text(text: str) -> str:
    """The text of a note as it is stored. Raises: Invalid."""
    stored = short_text("text", several_lines(text), MAX_LONG_TEXT)
    if not stored:
        raise Invalid(_("Type the note."), field="text")
    return stored


async def _write_notes(
    tx: Transaction, account_id: int, subscriber_ids: Sequence[str], text: str, by: Actor
) -> list[str]:
    """Add the same note on subscribers; returns the ids of the notes."""
    ids = await store.insert_notes(tx, account_id, subscriber_ids, text=text, by=by)
    added = EntryType.SUBSCRIBER_ADD_NOTE
    await trail.record_rows(tx, account_id, by, added, store.ADDED_ENTRIES, {"ids": ids})
    return ids


@with_locked_account
async def delete_note(tx: Transaction, account: Account, id: str, *, by: Actor) -> str:
    """Delete the text of a note; returns the id of its subscriber. Raises: NotFound.

    Who wrote and who deleted it, and when, is kept.
    """
    note = await store.get_note(tx, account.id, id)
    await store.update_deleted(tx, account.id, id, by=by)
    kept_id = note.subscriber_id
    entry = NewEntry(EntryType.SUBSCRIBER_DELETE_NOTE, kept_id, {"note": id}, None)
    await trail.record(tx, account.id, by, [entry])
    return kept_id


async def list_notes(db: Connection, account_id: int, subscriber_id: str) -> list[SubscriberNote]:
    """The notes on a subscriber, newest first, deleted ones too. Queries: three at most."""
    found = await store.list_notes(db, account_id, subscriber_id, limit=SHOWN)
    return await _notes_of(db, account_id, found)


async def get_note(db: Connection, account_id: int, subscriber_id: str, id: str) -> SubscriberNote:
    """A note on a subscriber that is not deleted. Queries: three. Raises: NotFound."""
    stored = await store.get_note(db, account_id, id)
    if stored.subscriber_id != subscriber_id:
        raise NotFound("note", id)
    [note] = await _notes_of(db, account_id, [stored])
    return note


async def _notes_of(
    db: Connection, account_id: int, found: Sequence[store.StoredNote]
) -> list[SubscriberNote]:
    """Notes with the names of their authors."""
    authors = [(each.actor_kind, each.actor_id) for each in found]
    deleters = [
        (each.deleted_by_kind or "", each.deleted_by_id or "") for each in found if each.deleted_at
    ]
    names = await name_actors(db, account_id, [*authors, *deleters])
    return [
        SubscriberNote(
            id=each.id,
            text=each.text,
            created_at=each.created_at,
            by=names[each.actor_kind, each.actor_id],
            deleted_at=each.deleted_at,
            deleted_by=names.get((each.deleted_by_kind or "", each.deleted_by_id or "")),
        )
        for each in found
    ]
