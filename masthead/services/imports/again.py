"""Import a file again after its import was undone."""

from masthead.model.actors import Actor
from masthead.model.imports.batches import BatchStatus, Decisions
from masthead.services.imports.batches import get_changeable
from masthead.services.imports.delete import forget_file
from masthead.services.imports.work.stored_files import deleted_error
from masthead.services.transactions import with_locked_account
from masthead.store.accounts import Account
from masthead.store.engine.interface import Transaction
from masthead.store.imports import batches as store, files


@with_locked_account
async def import_again(tx: Transaction, account: Account, id: str, *, by: Actor) -> str:
    """Rehearse the file of an undone import as a new one; returns its id.

    It is read as before, with the corrected cells. Raises: NotFound; Invalid if the import is not
    undone, or if its file was deleted.
    """
    batch = await get_changeable(tx, account.id, id, (BatchStatus.UNDONE,))
    if not await files.is_stored(tx, account.id, id):
        raise deleted_error()
    again = await store.insert_batch(
        tx,
        account.id,
        name=batch.name,
        sha256=batch.sha256,
        size=batch.bytes,
        status=BatchStatus.REHEARSING,
        by=by,
    )
    decided = batch.decisions
    columns: dict[str, object] = {
        "source_id": batch.source_id,
        "plan": batch.plan,
        "layout": batch.layout,
        "decisions": Decisions(
            attach=decided.attach,
            sent_through=decided.sent_through,
            corrects=decided.corrects,
            corrections=decided.corrections,
        ),
    }
    await store.update_batch(tx, account.id, again, columns)
    await files.move_file(tx, account.id, id, again)
    await forget_file(tx, account.id, batch)
    return again
