"""Delete uploaded files: those that were not imported with their rehearsals."""

from contextlib import nullcontext
from datetime import datetime
from functools import partial

from msgspec import structs

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.errors import Invalid
from masthead.model.imports.batches import CHANGEABLE, ImportBatch
from masthead.model.translations import gettext as _
from masthead.services.background.guard import Guard
from masthead.services.imports.batches import get_changeable
from masthead.services.transactions import with_locked_account
from masthead.store import accounts
from masthead.store.accounts import Account
from masthead.store.audit import trail
from masthead.store.engine.citus.present import read_present
from masthead.store.engine.interface import Database, Transaction
from masthead.store.imports import batch_rows, batches as store, files

DELETED_AT_ONCE = 10_000  # rows
UNUSED_AT_ONCE = 10_000  # uploads


async def delete_upload(db: Database, account_id: int, id: str, *, by: Actor) -> None:
    """Delete an uploaded file that was not imported, and its rehearsal. Raises: NotFound, Invalid.

    Rows are deleted in several transactions, the file and the batch in the last one.
    """

    async def delete_some(tx: Transaction) -> int:
        await accounts.lock_account(tx, account_id)
        batch = await get_changeable(tx, account_id, id, CHANGEABLE)
        if batch.number is not None:
            message = _("Import {number} has run, so it stays in the list. Undo it instead.")
            raise Invalid(message.format(number=batch.number))
        deleted = await batch_rows.delete_rows(tx, account_id, id, limit=DELETED_AT_ONCE)
        if not deleted:
            await files.delete_files(tx, account_id, [id])
            await store.delete_batches(tx, account_id, [id])
            entry = NewEntry(EntryType.IMPORT_BATCH_DELETE, id, {"file": batch.name}, None)
            await trail.record(tx, account_id, by, [entry])
        return deleted

    while await db.write(delete_some, account_id=account_id, is_long=True):
        pass


async def delete_unused(db: Database, before: datetime, *, guard: Guard = nullcontext) -> None:
    """Delete the uploads from before a moment that were never imported, with their files.

    guard: the context in which the upload of an account is deleted.
    """
    by = Actor(kind="command", id="cleanup")
    unused = partial(store.list_unused, before=before, limit=UNUSED_AT_ONCE)
    found, _is_whole = await read_present(db, unused)
    for each in found:
        with guard(each.account_id):
            await delete_upload(db, each.account_id, each.id, by=by)


async def delete_used(db: Database, before: datetime, *, guard: Guard = nullcontext) -> None:
    """Delete the files that were imported before a moment; their imports stay.

    guard: the context in which the file of an account is deleted.
    """
    used = partial(store.list_used, before=before, limit=UNUSED_AT_ONCE)
    found, _is_whole = await read_present(db, used)
    for each in found:
        with guard(each.account_id):
            await _forget(db, each.account_id, each.id)


@with_locked_account
async def _forget(tx: Transaction, account: Account, id: str) -> None:
    await forget_file(tx, account.id, await store.get_batch(tx, account.id, id))


async def forget_file(tx: Transaction, account_id: int, batch: ImportBatch) -> None:
    """Delete the file of an import, and what was corrected in it. Queries: two."""
    decisions = structs.replace(batch.decisions, corrections={})
    await store.update_batch(tx, account_id, batch.id, {"decisions": decisions})
    await files.delete_files(tx, account_id, [batch.id])
