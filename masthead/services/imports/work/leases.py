"""The process that works on a batch holds its lease. Batches of commands that died have failed."""

import uuid
from datetime import timedelta

from masthead.model.events.types import PublicEventType
from masthead.model.imports.batches import BatchStatus, ImportBatch
from masthead.store import accounts
from masthead.store.background import leases
from masthead.store.engine.interface import Database, Transaction
from masthead.store.events.write import NewEvent, add_events
from masthead.store.imports import batches as store

LEASE = timedelta(seconds=60)
ABANDONED = (
    "The import stopped before the end of the file. Import the same file again for the other rows, "
    "or undo this import."
)
UNDO_ABANDONED = (
    "The undo stopped before its end. Undo this import again to take back the other rows."
)


class LeaseLost(Exception):
    """Another process works on the batch, or has done so."""


def new_holder() -> str:
    """A name for this process as the holder of a lease."""
    return uuid.uuid4().hex


async def hold(tx: Transaction, id: str, holder: str) -> None:
    """Hold the lease of a batch for another minute. Raises: LeaseLost."""
    if not await take(tx, id, holder):
        raise LeaseLost


async def take(tx: Transaction, id: str, holder: str) -> bool:
    """Take the lease of a batch; returns whether no other process holds it."""
    return await leases.take_lease(tx, name=f"import {id}", holder=holder, duration=LEASE)


async def release(tx: Transaction, id: str, holder: str) -> None:
    """Let another process work on the batch."""
    await leases.release_lease(tx, name=f"import {id}", holder=holder)


async def end_abandoned(db: Database, account_id: int) -> None:
    """Mark the batches of commands that died as failed, so that they can be undone."""

    async def work(tx: Transaction) -> None:
        await accounts.lock_account(tx, account_id)
        for batch in await store.list_of_commands(tx, account_id):
            holder = new_holder()
            if await take(tx, batch.id, holder):
                failed = {"status": BatchStatus.FAILED.value, "error": _error_of(batch)}
                await store.update_batch(tx, account_id, batch.id, failed)
                await record_failed(tx, account_id, batch)
                await release(tx, batch.id, holder)

    if await store.list_of_commands(db, account_id):
        await db.write(work, account_id=account_id)


def _error_of(batch: ImportBatch) -> str:
    return UNDO_ABANDONED if batch.status is BatchStatus.UNDOING else ABANDONED


async def record_failed(tx: Transaction, account_id: int, batch: ImportBatch) -> None:
    """Write the event that an import or its undo has failed; a rehearsal has none."""
    if batch.number is not None:
        failed = NewEvent(PublicEventType.IMPORT_FAILED, batch.id)
        await add_events(tx, account_id, batch.undone_by or batch.by, [failed])
