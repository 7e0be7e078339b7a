"""Imports and undos of commands that died: they are marked as failed, so that all can see it."""

from masthead.model.imports.batches import BatchStatus, ImportBatch
from masthead.services.imports.work.run_batch import ABANDONED, new_holder, release, take
from masthead.store import accounts
from masthead.store.engine.interface import Database, Transaction
from masthead.store.imports import batches as store

UNDO_ABANDONED = (
    "The undo stopped before its end. Undo this import again to take back the other rows."
)


async def end_abandoned(db: Database, account_id: int) -> None:
    """Mark the batches of commands that died as failed, so that they can be undone."""

    async def work(tx: Transaction) -> None:
        await accounts.lock_account(tx, account_id)
        for batch in await store.list_of_commands(tx, account_id):
            holder = new_holder()
            if await take(tx, batch.id, holder):
                failed = {"status": BatchStatus.FAILED.value, "error": _error_of(batch)}
                await store.update_batch(tx, account_id, batch.id, failed)
                await release(tx, batch.id, holder)

    if await store.list_of_commands(db, account_id):
        await db.write(work, account_id=account_id)


def _error_of(batch: ImportBatch) -> str:
    return UNDO_ABANDONED if batch.status is BatchStatus.UNDOING else ABANDONED
