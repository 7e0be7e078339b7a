"""The work that pages ask for: a rehearsal, a run or an undo of a batch, from its uploaded file."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from msgspec import structs

from masthead.model.clock import now
from masthead.model.errors import Invalid
from masthead.model.imports.batches import (
    BatchStatus,
    Counts,
    Decisions,
    ImportBatch,
    ImportRow,
    RowOutcome,
)
from masthead.model.imports.rows.prepared import PreparedRow
from masthead.model.orders.order import OrderDefaults
from masthead.model.translations import gettext as _, in_language
from masthead.services.imports.batches import fail_batch
from masthead.services.imports.facts import load_facts
from masthead.services.imports.reading import FileReading, read_table
from masthead.services.imports.work.leases import LeaseLost, hold, new_holder, release
from masthead.services.imports.work.placed import PlacedRow
from masthead.services.imports.work.run_batch import check_choices, import_of, rehearse, run_batch
from masthead.services.imports.work.sent_through import propose_sent, read_as_decided
from masthead.services.imports.work.stored_files import copy_stored
from masthead.services.imports.work.undo import undo_batch
from masthead.store import accounts, users
from masthead.store.engine.interface import Database, Transaction
from masthead.store.imports import batch_rows, batches as store

DELETED_AT_ONCE = 10_000  # rows
PROGRESS_SECONDS = 0.5
_PLAIN = (RowOutcome.IMPORTED,)
_WITH_CELLS = (RowOutcome.IMPORTED, RowOutcome.SKIPPED)  # so that pages say whose rows they are


async def work_on(db: Database, account_id: int, id: str, *, placeholder_domain: str) -> None:
    """Do what a batch waits for, or go on with it. A file that cannot be read fails the batch.

    What it says is in the language of the user who uploaded the file.
    """
    batch = await store.get_batch(db, account_id, id)
    with in_language(await _locale_of(db, account_id, batch)):
        await _work_on(db, account_id, batch, placeholder_domain)


async def _locale_of(db: Database, account_id: int, batch: ImportBatch) -> str:
    """The locale of who uploaded a file, or else of the account."""
    own = None
    if batch.actor_kind == "user":
        own = await users.find_locale(db, account_id, batch.actor_id)
    return own or await accounts.get_locale(db, account_id)


async def _work_on(
    db: Database, account_id: int, batch: ImportBatch, placeholder_domain: str
) -> None:
    holder = new_holder()
    try:
        if batch.status is BatchStatus.UNDOING:
            await undo_batch(db, account_id, batch, holder=holder)
        elif batch.is_working:
            async with stored_file(db, account_id, batch) as path:
                defaults = OrderDefaults(
                    (await accounts.get_account(db, account_id)).currency, placeholder_domain
                )
                reading = await _read(db, account_id, batch, path, defaults)
                await _work(db, account_id, batch, reading, holder)
    except Invalid as refusal:
        await fail_batch(db, account_id, batch.id, str(refusal))
    except LeaseLost:
        return


async def _work(
    db: Database, account_id: int, batch: ImportBatch, reading: FileReading, holder: str
) -> None:
    if batch.started_at is None or batch.status is BatchStatus.REHEARSING:
        await _begin(db, account_id, batch, reading, holder)
        batch = await store.get_batch(db, account_id, batch.id)
    if batch.status is BatchStatus.RUNNING:
        await run_batch(db, account_id, batch, reading, holder=holder)
    else:
        await _rehearse(db, account_id, batch, reading, holder)


@asynccontextmanager
async def stored_file(db: Database, account_id: int, batch: ImportBatch) -> AsyncIterator[Path]:
    """The uploaded file of a batch as a private temporary file, which is deleted afterwards."""
    file = await copy_stored(db, account_id, batch)
    try:
        yield file.path
    finally:
        await asyncio.to_thread(file.delete)


async def _read(
    db: Database, account_id: int, batch: ImportBatch, path: Path, defaults: OrderDefaults
) -> FileReading:
    """The file by the plan of the batch."""
    facts = await load_facts(db, account_id, defaults)
    return await asyncio.to_thread(
        read_table,
        path,
        name=batch.name,
        layout=batch.layout,
        plan=batch.plan,
        facts=facts,
        corrections=batch.decisions.corrections,
    )


async def _hold(tx: Transaction, account_id: int, batch: ImportBatch, holder: str) -> None:
    """Hold the lease of a batch that is still to be worked on as before. Raises: LeaseLost."""
    await accounts.lock_account(tx, account_id)
    await hold(tx, batch.id, holder)
    current = await store.get_batch(tx, account_id, batch.id)
    if (current.status, current.started_at) != (batch.status, batch.started_at):
        raise LeaseLost


async def _begin(
    db: Database, account_id: int, batch: ImportBatch, reading: FileReading, holder: str
) -> None:
    """Delete the rows of an earlier rehearsal, in parts, and note that the work has begun.

    A rehearsal decides which copies count as sent, until a user decides otherwise.
    Raises: LeaseLost if another process has begun while this one read the file.
    """

    async def work(tx: Transaction) -> int:
        await _hold(tx, account_id, batch, holder)
        deleted = await batch_rows.delete_rows(tx, account_id, batch.id, limit=DELETED_AT_ONCE)
        if not deleted:
            if batch.source_id is not None:
                await check_choices(tx, account_id, batch.source_id, batch.plan)
            decisions = await _decisions_of(tx, account_id, batch, reading)
            columns: dict[str, object] = {"counts": Counts(), "reasons": []}
            columns |= {"started_at": now(), "layout": reading.layout, "decisions": decisions}
            await store.update_batch(tx, account_id, batch.id, columns)
        return deleted

    while await db.write(work, account_id=account_id, is_long=True):
        pass


async def _decisions_of(
    tx: Transaction, account_id: int, batch: ImportBatch, reading: FileReading
) -> Decisions:
    """The decisions about a batch, with the last issue whose copies count as sent."""
    decided = batch.decisions.sent_through
    if decided is not None and batch.status is BatchStatus.RUNNING:
        return batch.decisions
    sent = await propose_sent(tx, account_id, reading)
    return structs.replace(batch.decisions, sent_through=sent.number)


async def _rehearse(
    db: Database, account_id: int, batch: ImportBatch, reading: FileReading, holder: str
) -> None:
    """Rehearse a batch, and store the rows about which there is something to say."""
    if batch.source_id is None:
        raise Invalid(_("Choose the source of the orders first."), field="source")
    rows = list[ImportRow]()
    saving = _Saving(db, account_id, batch, holder)

    def add(row: PreparedRow, placed: PlacedRow) -> None:
        stored = placed.stored
        if stored.reasons and stored.outcome in _WITH_CELLS:
            cells = [list(line.cells) for line in row.lines]
            stored = structs.replace(stored, cells=cells)
        if stored.outcome not in _PLAIN or stored.reasons:
            rows.append(stored)

    async def save(counts: Counts) -> None:
        if rows or saving.is_due():
            await saving.save(rows, counts)
            rows.clear()

    reading = await read_as_decided(db, account_id, batch, reading)
    how = import_of(
        account_id, batch, reading.facts.defaults, await store.list_repeated(db, account_id, batch)
    )
    tally = await rehearse(db, how, reading, on_row=add, on_progress=save)

    async def finish(tx: Transaction) -> None:
        await _hold(tx, account_id, batch, holder)
        columns = {
            "status": BatchStatus.REHEARSED.value,
            "counts": tally.counts,
            "reasons": tally.reasons,
            "finished_at": now(),
        }
        await store.update_batch(tx, account_id, batch.id, columns)
        await release(tx, batch.id, holder)

    await db.write(finish, account_id=account_id)


class _Saving:
    """Stores rows and counts of a rehearsal, the counts twice a second."""

    def __init__(self, db: Database, account_id: int, batch: ImportBatch, holder: str) -> None:
        self._db, self._account_id, self._batch, self._holder = db, account_id, batch, holder
        self._saved_at = 0.0

    def is_due(self) -> bool:
        """Whether the counts were stored long ago."""
        return time.monotonic() - self._saved_at > PROGRESS_SECONDS

    async def save(self, rows: list[ImportRow], counts: Counts) -> None:
        """Store rows and counts."""

        async def work(tx: Transaction) -> None:
            id = self._batch.id
            await _hold(tx, self._account_id, self._batch, self._holder)
            await batch_rows.insert_rows(tx, self._account_id, id, rows)
            await store.update_batch(tx, self._account_id, id, {"counts": counts})

        await self._db.write(work, account_id=self._account_id, is_long=True)
        self._saved_at = time.monotonic()
