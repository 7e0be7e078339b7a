"""The work on a batch: its rehearsal and its run.

Each transaction of a run stores 1,000 rows with what became of them, and the counts. So a run that
was killed goes on with the next row. Only the last transaction waits until all of them are durable:
after a power failure, the run goes on after the last row that was stored. The process that works
on a batch holds its lease. decision 0043.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from itertools import islice

from masthead.model.actors import Actor
from masthead.model.clock import now
from masthead.model.events.types import PublicEventType
from masthead.model.imports.batches import KEPT_BYTES, BatchStatus, Counts, Decisions, ImportBatch
from masthead.model.imports.plan import ImportPlan
from masthead.model.imports.rows.prepared import PreparedRow
from masthead.model.orders.order import OrderDefaults
from masthead.model.orders.references import require_offered, require_open
from masthead.services.imports.batches import record_run
from masthead.services.imports.delete import forget_file
from masthead.services.imports.reading import FileReading
from masthead.services.imports.work.leases import ABANDONED, LeaseLost, hold, release, take
from masthead.services.imports.work.likely import LikelySubscribers, attach_known
from masthead.services.imports.work.options import Import
from masthead.services.imports.work.place_rows import place_rows
from masthead.services.imports.work.placed import PlacedRow
from masthead.services.imports.work.reader_process import prepared_rows
from masthead.services.imports.work.rehearse import Rehearsal
from masthead.services.imports.work.sent_through import find_chosen, read_as_decided
from masthead.services.imports.work.tally import Tally
from masthead.store import accounts, products, sources
from masthead.store.engine.interface import Connection, Database, Transaction
from masthead.store.events.write import NewEvent, add_events
from masthead.store.imports import batch_rows, batches as store
from masthead.store.imports.kept_orders import KeptOrders

BATCH = 1_000  # rows that are written together
FIRST_ANALYZE = 100  # rows after which the planner learns how many there are
FEW = 25  # the same while other accounts write, which wait for it on SQLite

Report = Callable[[Counts], None]
Place = Callable[[list[PreparedRow]], Awaitable[list[PlacedRow]]]
OnRow = Callable[[PreparedRow, PlacedRow], None]


# --- Begin on the command line -------------------------------------------------------------------


async def begin_run(
    db: Database,
    account_id: int,
    reading: FileReading,
    *,
    sha256: str,
    size: int,
    source_id: str,
    holder: str,
    by: Actor,
) -> ImportBatch:
    """Add a batch that a command runs, or go on with the same one that was stopped.

    Raises: Invalid if the source or the product cannot be used, or if `sent_through` is not out.
    """

    async def work(tx: Transaction) -> str:
        await accounts.lock_account(tx, account_id)
        await check_choices(tx, account_id, source_id, reading.plan)
        for batch in await store.list_same_file(tx, account_id, sha256):
            is_same = (batch.source_id, batch.plan) == (source_id, reading.plan)
            if is_same and _is_stopped(batch) and await take(tx, batch.id, holder):
                columns: dict[str, object] = {"status": BatchStatus.RUNNING.value, "error": None}
                await store.update_batch(tx, account_id, batch.id, columns)
                return batch.id
        sent = await find_chosen(tx, account_id, reading.sent_through)
        id = await store.insert_batch(
            tx,
            account_id,
            name=reading.table.name,
            sha256=sha256,
            size=size,
            status=BatchStatus.RUNNING,
            by=by,
        )
        columns = {
            "number": await store.next_number(tx, account_id),
            "source_id": source_id,
            "plan": reading.plan,
            "layout": reading.layout,
            "decisions": Decisions(sent_through=sent.number),
            "started_at": now(),
        }
        await store.update_batch(tx, account_id, id, columns)
        await hold(tx, id, holder)
        await record_run(tx, account_id, await store.get_batch(tx, account_id, id), by=by)
        return id

    id = await db.write(work, account_id=account_id)
    return await store.get_batch(db, account_id, id)


def _is_stopped(batch: ImportBatch) -> bool:
    """Whether a command stopped before the end of the file."""
    return batch.actor_kind == "command" and _is_open(batch) and not batch.counts.undone


def _is_open(batch: ImportBatch) -> bool:
    """Whether rows may be added to a batch."""
    return batch.status is BatchStatus.RUNNING or batch.error == ABANDONED


async def _hold_open(
    tx: Transaction, account_id: int, id: str, holder: str, was: Counts
) -> ImportBatch:
    """Hold the lease of a run that no other process took over or undid; returns it.

    Raises: LeaseLost.
    """
    await hold(tx, id, holder)
    current = await store.get_batch(tx, account_id, id)
    if not _is_open(current) or current.counts != was:
        raise LeaseLost
    return current


async def check_choices(db: Connection, account_id: int, source_id: str, plan: ImportPlan) -> None:
    """Raises: Invalid unless the source and the product can be used. Queries: two at most."""
    require_open(await sources.find_source(db, account_id, source_id), source_id)
    if plan.product_id is not None:
        listed = await products.list_products(db, account_id)
        require_offered(plan.product_id, {each.id for each in listed if each.is_active})


# --- Run ------------------------------------------------------------------------------------------


def import_of(
    account_id: int, batch: ImportBatch, defaults: OrderDefaults, same_file: Sequence[str]
) -> Import:
    """The options of the run of a batch."""
    assert batch.source_id is not None
    return Import(
        account_id=account_id,
        source_id=batch.source_id,
        defaults=defaults,
        by=batch.by,
        create_issues=batch.plan.create_issues,
        product_id=batch.plan.product_id,
        number=batch.number,
        batch_id=batch.id,
        same_file=same_file,
        sent_through=batch.decisions.sent_through or 0,
    )


async def run_batch(
    db: Database,
    account_id: int,
    batch: ImportBatch,
    reading: FileReading,
    *,
    holder: str,
    on_progress: Report = lambda counts: None,
) -> ImportBatch:
    """Import the rows that are not imported yet; returns the batch. Raises: Invalid, LeaseLost."""
    others = await store.list_repeated(db, account_id, batch)
    how = import_of(account_id, batch, reading.facts.defaults, others)
    reading = await read_as_decided(db, account_id, batch, reading)
    likely = None
    if batch.decisions.attach:
        begun = batch.id if batch.counts.read else None
        likely = await LikelySubscribers.load(db, account_id, batch_id=begun)
    tally = Tally(batch.counts, batch.reasons)

    async def place(rows: list[PreparedRow]) -> list[PlacedRow]:
        async def work(tx: Transaction) -> tuple[list[PlacedRow], Tally]:
            await accounts.lock_account(tx, account_id)
            was = await _hold_open(tx, account_id, batch.id, holder, tally.counts)
            decided = await attach_known(tx, account_id, rows, batch.decisions, likely)
            made = await place_rows(tx, decided, how)
            placed, done = made.rows, tally.plus(made.rows)
            await batch_rows.insert_rows(tx, account_id, batch.id, [each.stored for each in placed])
            columns: dict[str, object] = {"counts": done.counts, "reasons": done.reasons}
            if made.issues:
                columns["issues"] = sorted({*was.issues, *made.issues})
            columns |= {"status": BatchStatus.RUNNING.value, "error": None}  # if given up wrongly
            await store.update_batch(tx, account_id, batch.id, columns)
            return placed, done

        nonlocal tally
        placed, tally = await db.write(work, account_id=account_id, is_long=True, is_durable=False)
        on_progress(tally.counts)
        return placed

    rows = prepared_rows(reading, skip=batch.counts.read)
    await place_in_batches(db, rows, place, is_kept=True)

    async def finish(tx: Transaction) -> None:
        await accounts.lock_account(tx, account_id)
        await _hold_open(tx, account_id, batch.id, holder, tally.counts)
        done = {"status": BatchStatus.IMPORTED.value, "finished_at": now(), "error": None}
        await store.update_batch(tx, account_id, batch.id, done)
        if batch.bytes > KEPT_BYTES:
            await forget_file(tx, account_id, batch)
        completed = NewEvent(PublicEventType.IMPORT_COMPLETED, batch.id)
        await add_events(tx, account_id, batch.by, [completed])
        await release(tx, batch.id, holder)

    await db.write(finish, account_id=account_id, is_long=True)
    return await store.get_batch(db, account_id, batch.id)


# --- Rehearse -------------------------------------------------------------------------------------


async def rehearse(
    db: Database,
    how: Import,
    reading: FileReading,
    *,
    on_row: OnRow = lambda row, placed: None,
    on_progress: Callable[[Counts], Awaitable[None]] | None = None,
) -> Tally:
    """What a run would do; nothing is changed. Raises: Invalid."""
    tally = Tally(Counts(), [])
    with KeptOrders() as kept:
        rehearsal = Rehearsal(db, how, kept, await LikelySubscribers.load(db, how.account_id))

        async def place(rows: list[PreparedRow]) -> list[PlacedRow]:
            nonlocal tally
            placed = await rehearsal.place(rows)
            tally = tally.plus(placed)
            for row, result in zip(rows, placed, strict=True):
                on_row(row, result)
            if on_progress is not None:
                await on_progress(tally.counts)
            return placed

        await place_in_batches(db, prepared_rows(reading), place)
    return tally


# --- Both ----------------------------------------------------------------------------------------


async def place_in_batches(
    db: Database, rows: Iterator[PreparedRow], place: Place, *, is_kept: bool = False
) -> None:
    """Place all rows in batches. While one is written, another thread prepares the next one.

    The first batches are small, and so are all others while other accounts write, too.
    is_kept: whether the rows stay in the database. If so, the planner learns how much the tables
    have grown, whenever there are four times as many rows.
    """
    count, placed, analyze_at = FEW, 0, FIRST_ANALYZE

    async def place_all(batch: list[PreparedRow]) -> None:
        nonlocal count, placed, analyze_at
        while batch:
            part = batch[:count]
            await place(part)
            placed += len(part)
            if is_kept and placed >= analyze_at:
                await db.analyze_grown()
                analyze_at = 4 * placed
            batch = batch[count:]
            count = FEW if db.is_shared() else min(2 * count, BATCH)

    batch = await asyncio.to_thread(_next_batch, rows)
    while batch:
        placing = asyncio.ensure_future(place_all(batch))
        try:
            batch = await asyncio.to_thread(_next_batch, rows)
        finally:
            await placing


def _next_batch(rows: Iterator[PreparedRow]) -> list[PreparedRow]:
    """The next rows; empty at the end of the file."""
    return list(islice(rows, BATCH))
