"""Imports on the pages: upload a file, choose how it is read, and ask for the work on it.

The background job does that work: a rehearsal, a run or an undo.
"""

from collections.abc import Callable, Collection, Mapping
from pathlib import Path

from msgspec import structs

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.clock import now
from masthead.model.errors import Invalid, excerpt
from masthead.model.events.types import PublicEventType
from masthead.model.imports.batches import CHANGEABLE, BatchStatus, Counts, Decisions, ImportBatch
from masthead.model.imports.mapping import ADD_ZEROS
from masthead.model.imports.plan import ImportPlan
from masthead.model.imports.tabular_data import Corrections, FileLayout
from masthead.model.orders.references import require_open
from masthead.model.translations import gettext as _, gettext_noop
from masthead.model.types.clean_text import one_line
from masthead.services.child_process import run_in_file_thread
from masthead.services.imports.uploads import measure, parts_of, require_space
from masthead.services.imports.work.leases import record_failed
from masthead.services.imports.work.sent_through import find_chosen
from masthead.services.transactions import with_locked_account
from masthead.store import accounts, sources
from masthead.store.accounts import Account
from masthead.store.audit import trail
from masthead.store.engine.interface import Database, Transaction
from masthead.store.events.write import NewEvent, add_events
from masthead.store.imports import batches as store, files

_BUSY = gettext_noop("masthead is working on this import. Wait until it is done, and try again.")
# What a sentence below says about a batch
_STATUSES = [gettext_noop("uploaded"), gettext_noop("rehearsed"), gettext_noop("imported")]
_STATUSES += [gettext_noop("undone"), gettext_noop("failed")]


async def upload_file(
    db: Database, account_id: int, name: str, content: bytes | Path, *, by: Actor
) -> str:
    """Keep a file until it is imported; returns the id of its batch. Raises: Invalid.

    content: a large file is one on the disk, which a thread reads; bytes can be stored in a
    transaction of the caller.
    """
    is_small = isinstance(content, bytes)
    sha256, size = measure(content) if is_small else await run_in_file_thread(measure, content)
    if not size:
        raise Invalid(_("The file is empty. Choose a file with orders."), field="file")

    async def work(tx: Transaction) -> str:
        await accounts.lock_account(tx, account_id)
        await require_space(tx, account_id, size)
        id = await store.insert_batch(
            tx,
            account_id,
            name=excerpt(one_line(name) or "file"),
            sha256=sha256,
            size=size,
            status=BatchStatus.UPLOADED,
            by=by,
        )
        for part, bytes in enumerate(parts_of(content)):
            await files.insert_part(tx, account_id, id, part, bytes)
        return id

    return await db.write(work, account_id=account_id, is_long=True)


async def choose_plan(
    db: Database,
    account_id: int,
    id: str,
    *,
    source_id: str | None,
    plan: ImportPlan,
    layout: FileLayout | None = None,
    corrects: str = "",
) -> None:
    """Store how the file is read, and the source of its orders. An earlier rehearsal is over.

    layout: how the file was read, if it was. corrects: the id of the import whose refused rows it
    corrects, if that is not known yet. Raises: NotFound, Invalid.
    """

    def change(batch: ImportBatch) -> Mapping[str, object]:
        decisions = Decisions(corrects=corrects or batch.decisions.corrects)
        if layout is None or layout.has_same_cells(batch.layout):
            decisions = structs.replace(decisions, corrections=batch.decisions.corrections)
        return {
            "status": BatchStatus.UPLOADED.value,
            "source_id": source_id,
            "plan": plan,
            "layout": layout or batch.layout,
            "decisions": decisions,
            "counts": Counts(),
            "reasons": [],
            "error": None,
        }

    await _change(db, account_id, id, CHANGEABLE, change)


async def decide_duplicates(db: Database, account_id: int, id: str, decisions: Decisions) -> None:
    """Store what is decided about likely duplicates. Raises: NotFound, Invalid."""
    await _change(
        db, account_id, id, (BatchStatus.REHEARSED,), lambda batch: {"decisions": decisions}
    )


async def add_zeros(db: Database, account_id: int, id: str) -> None:
    """Add the lost zeros to postcodes, and rehearse the import again. Raises: NotFound, Invalid."""

    def change(batch: ImportBatch) -> Mapping[str, object]:
        mapping = structs.replace(batch.plan.mapping, postcodes=ADD_ZEROS)
        plan = structs.replace(batch.plan, mapping=mapping)
        return {**_restarted(BatchStatus.REHEARSING)(batch), "plan": plan}

    await _change(db, account_id, id, (BatchStatus.REHEARSED,), change)


async def correct_rows(
    db: Database, account_id: int, id: str, corrections: Corrections | None
) -> None:
    """Correct rows, besides those of before, and rehearse the import again.

    corrections: None for the cells of the file, in all rows. Raises: NotFound, Invalid.
    """

    def change(batch: ImportBatch) -> Mapping[str, object]:
        corrected = {} if corrections is None else {**batch.decisions.corrections, **corrections}
        decisions = structs.replace(batch.decisions, corrections=corrected)
        return {**_restarted(BatchStatus.REHEARSING)(batch), "decisions": decisions}

    await _change(db, account_id, id, (BatchStatus.REHEARSED,), change)


async def request_rehearsal(db: Database, account_id: int, id: str) -> None:
    """Let the background job rehearse an import. Raises: NotFound, Invalid."""
    await _change(db, account_id, id, CHANGEABLE, _restarted(BatchStatus.REHEARSING))


@with_locked_account
async def request_run(
    tx: Transaction, account: Account, id: str, *, sent_through: int | str | None = None, by: Actor
) -> int:
    """Let the background job import a file; returns the number of the batch.

    sent_through: the last issue that is out whose copies count as sent, `released` or `none`; None
    for what the rehearsal has found. A run that goes on keeps its own.
    Raises: NotFound, Invalid.
    """
    batch = await get_changeable(tx, account.id, id, CHANGEABLE)
    if batch.source_id is None:
        raise Invalid(_("Choose the source of the orders first."), field="source")
    if batch.is_half_undone:
        message = _("The undo of this import stopped. Undo it again, and then upload the file.")
        raise Invalid(message)
    source = await sources.find_source(tx, account.id, batch.source_id)
    require_open(source, batch.source_id)
    if batch.number is not None:  # it failed, and goes on where it stopped
        columns: dict[str, object] = {"status": BatchStatus.RUNNING.value, "error": None}
        await store.update_batch(tx, account.id, id, columns)
        await add_events(tx, account.id, by, [NewEvent(PublicEventType.IMPORT_STARTED, id)])
        return batch.number
    number = await store.next_number(tx, account.id)
    decisions = batch.decisions
    if sent_through is not None:
        sent = await find_chosen(tx, account.id, sent_through)
        decisions = structs.replace(decisions, sent_through=sent.number)
    columns = {
        **_restarted(BatchStatus.RUNNING)(batch),
        "number": number,
        "decisions": decisions,
        "actor_kind": by.kind,
        "actor_id": by.id,
    }
    await store.update_batch(tx, account.id, id, columns)
    running = structs.replace(batch, number=number, decisions=decisions)
    await record_run(tx, account.id, running, by=by)
    return number


def _restarted(status: BatchStatus) -> Callable[[ImportBatch], Mapping[str, object]]:
    return lambda batch: {
        "status": status.value,
        "counts": Counts(),
        "reasons": [],
        "error": None,
        "started_at": None,
        "finished_at": None,
    }


async def record_run(tx: Transaction, account_id: int, batch: ImportBatch, *, by: Actor) -> None:
    """Record in the audit trail that a batch runs."""
    after = {"number": batch.number, "file": batch.name, "sha256": batch.sha256}
    if batch.decisions.sent_through:
        after["sent_through"] = batch.decisions.sent_through
    entry = NewEntry(EntryType.IMPORT_BATCH_RUN, batch.id, None, after)
    await trail.record(tx, account_id, by, [entry])


async def request_undo(
    db: Database, account_id: int, id: str, *, keep_touched: bool, by: Actor
) -> None:
    """Let the background job take back what an import made.

    keep_touched: whether rows that were touched since stay; otherwise they stop the undo, and
    nothing is taken back. Raises: NotFound, Invalid.
    """

    def change(batch: ImportBatch) -> Mapping[str, object]:
        if not batch.can_be_undone:
            raise Invalid(_("Nothing of this import can be taken back: no order of it is left."))
        had_failed = batch.status is BatchStatus.FAILED
        if batch.is_half_undone:
            had_failed = batch.decisions.had_failed
        asked = {"keep_touched": keep_touched, "had_failed": had_failed}
        return {
            "status": BatchStatus.UNDOING.value,
            "decisions": structs.replace(batch.decisions, **asked),
            "error": None,
            "undone_by_kind": by.kind,
            "undone_by_id": by.id,
        }

    await _change(db, account_id, id, (BatchStatus.IMPORTED, BatchStatus.FAILED), change)


@with_locked_account
async def _change(
    tx: Transaction,
    account: Account,
    id: str,
    statuses: Collection[BatchStatus],
    change: Callable[[ImportBatch], Mapping[str, object]],
) -> None:
    """Change columns of a batch that has one of these statuses. Raises: NotFound, Invalid."""
    batch = await get_changeable(tx, account.id, id, statuses)
    await store.update_batch(tx, account.id, id, change(batch))


async def get_changeable(
    tx: Transaction, account_id: int, id: str, statuses: Collection[BatchStatus]
) -> ImportBatch:
    """A batch with one of these statuses. Raises: NotFound, Invalid."""
    batch = await store.get_batch(tx, account_id, id)
    if batch.is_working:
        raise Invalid(_(_BUSY))
    if batch.status not in statuses:
        message = _("This import is {status}, so this cannot be done any more.")
        raise Invalid(message.format(status=_(batch.status.value)))
    return batch


@with_locked_account
async def fail_batch(tx: Transaction, account: Account, id: str, error: str) -> None:
    """Record that the work on a batch failed. error: shown on its page."""
    batch = await store.get_batch(tx, account.id, id)
    if batch.is_working:
        columns = {"status": BatchStatus.FAILED.value, "error": error, "finished_at": now()}
        await store.update_batch(tx, account.id, id, columns)
        await record_failed(tx, account.id, batch)
