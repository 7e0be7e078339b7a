"""Undo an import: take back what it made, 1,000 rows at a time, the last ones first.

Rows that were touched since stay, or stop the undo before anything is taken back. decision 0043.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

from msgspec import structs

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.clock import now
from masthead.model.events.types import PublicEventType
from masthead.model.imports.batches import BatchStatus, Counts, ImportBatch, ImportRow, RowOutcome
from masthead.model.imports.plan import Problem
from masthead.model.subscriptions.stored import StoredSubscription
from masthead.model.types.enums import SubscriptionStatus
from masthead.services.imports.work.leases import UNDO_ABANDONED, LeaseLost, hold, release
from masthead.services.imports.work.missing_issues import delete_unused
from masthead.services.imports.work.touched import find_touched
from masthead.services.imports.work.undo_preview import NAMED, describe_stop, preview_undo
from masthead.services.search_index import expected_rows
from masthead.services.subscriptions.status_updates import update_statuses
from masthead.store import accounts
from masthead.store.accounts import Account
from masthead.store.audit import trail
from masthead.store.debits import mandates
from masthead.store.engine.interface import Database, Transaction
from masthead.store.events.write import NewEvent, add_events
from masthead.store.imports import batch_rows, batches as store, undo as undo_store
from masthead.store.issues import missing_copies as issue_copies
from masthead.store.read_model import subscription_json
from masthead.store.search import text_index
from masthead.store.subscribers import records as subscriber_store
from masthead.store.subscriptions import periods, records as subscriptions, subscription_copies

PART = 1_000  # rows that are taken back together


async def undo_batch(
    db: Database,
    account_id: int,
    batch: ImportBatch,
    *,
    holder: str,
    on_progress: Callable[[Counts], None] = lambda counts: None,
) -> ImportBatch:
    """Take back what a batch made, or go on with it; returns the batch. Raises: LeaseLost."""
    if not batch.decisions.keep_touched and not batch.counts.undone:
        async with db.read(is_long=True) as connection:
            preview = await preview_undo(connection, account_id, batch, named=NAMED)
        if preview.count:
            return await _stop(db, account_id, batch, describe_stop(preview), holder)
    is_done = False
    while not is_done:

        async def work(tx: Transaction) -> tuple[Counts, bool]:
            account = await accounts.lock_account(tx, account_id)
            current = await _hold(tx, account_id, batch, holder)
            rows = await batch_rows.list_newest_first(tx, account_id, batch.id, limit=PART)
            if not rows:
                await _finish(tx, account_id, current, holder)
                return current.counts, True
            counts = await _undo_part(tx, account, current, rows)
            columns: dict[str, object] = {"counts": counts}
            columns |= {"status": BatchStatus.UNDOING.value, "error": None}  # if given up wrongly
            await store.update_batch(tx, account_id, batch.id, columns)
            return counts, False

        counts, is_done = await db.write(work, account_id=account_id, is_long=True)
        on_progress(counts)
    return await store.get_batch(db, account_id, batch.id)


async def _hold(tx: Transaction, account_id: int, batch: ImportBatch, holder: str) -> ImportBatch:
    """Hold the lease of a batch; returns it. Raises: LeaseLost if its undo is over."""
    await hold(tx, batch.id, holder)
    current = await store.get_batch(tx, account_id, batch.id)
    is_given_up = current.is_half_undone and current.error == UNDO_ABANDONED
    if current.status is not BatchStatus.UNDOING and not is_given_up:
        raise LeaseLost
    return current


async def _stop(
    db: Database, account_id: int, batch: ImportBatch, error: str, holder: str
) -> ImportBatch:
    """Leave everything as it is, and say why."""

    async def work(tx: Transaction) -> None:
        await accounts.lock_account(tx, account_id)
        await _hold(tx, account_id, batch, holder)
        before = BatchStatus.FAILED if batch.decisions.had_failed else BatchStatus.IMPORTED
        columns = {
            "status": before.value,
            "error": error,
            "undone_by_kind": None,
            "undone_by_id": None,
        }
        await store.update_batch(tx, account_id, batch.id, columns)
        await release(tx, batch.id, holder)

    await db.write(work, account_id=account_id)
    return await store.get_batch(db, account_id, batch.id)


async def _finish(tx: Transaction, account_id: int, batch: ImportBatch, holder: str) -> None:
    """Record that all of a batch is taken back."""
    by = batch.undone_by or batch.by
    stay = await delete_unused(tx, account_id, batch.issues, batch.number or 0, by=by)
    columns = {
        "status": BatchStatus.UNDONE.value,
        "issues": stay,
        "undone_at": now(),
        "error": None,
    }
    await store.update_batch(tx, account_id, batch.id, columns)
    counts = {"undone": batch.counts.undone, "kept": batch.counts.kept}
    after = {"number": batch.number, "file": batch.name, **counts}
    entry = NewEntry(EntryType.IMPORT_BATCH_UNDO, batch.id, None, after)
    await trail.record(tx, account_id, by, [entry])
    await release(tx, batch.id, holder)


async def _undo_part(
    tx: Transaction, account: Account, batch: ImportBatch, rows: Sequence[ImportRow]
) -> Counts:
    """Take back the rows of a part that were not touched; returns the new counts."""
    touched = await find_touched(tx, account.id, batch.id, batch.number or 0, rows)
    taken = [row for row in rows if row.subscription_id not in touched]
    if taken:
        await _take_back(tx, account, batch, taken)
    outcomes: dict[tuple[int, int], tuple[RowOutcome, Sequence[Problem]]] = {}
    for row in rows:
        what = touched.get(row.subscription_id or "")
        reasons = [Problem("", row.order_id or "", ", ".join(what))] if what else []
        outcome = RowOutcome.KEPT if what else RowOutcome.UNDONE
        outcomes[row.line, row.part] = outcome, reasons
    await batch_rows.update_outcomes(tx, account.id, batch.id, outcomes)
    return structs.replace(
        batch.counts,
        undone=batch.counts.undone + len(taken),
        kept=batch.counts.kept + len(rows) - len(taken),
    )


async def _take_back(
    tx: Transaction, account: Account, batch: ImportBatch, rows: Sequence[ImportRow]
) -> None:
    """Delete the periods of rows, and what is then empty; recount the rest.

    Queries: about thirty, and some for each subscription that the import renewed and cancelled.
    """
    by = batch.undone_by or batch.by
    taken = defaultdict[str, list[ImportRow]](list)  # by subscription, the last row first
    for row in rows:
        taken[row.subscription_id or ""].append(row)
    columns = await subscriptions.find_rows(tx, account.id, list(taken))
    owners = {row.subscriber_id for row in columns.values()}
    numbers = await undo_store.list_search_numbers(tx, account.id, owners)
    await text_index.delete_texts(tx, account.id, numbers)
    await undo_store.delete_periods(
        tx, account.id, list(taken), [row.period_id for row in rows if row.period_id]
    )
    left = await periods.list_periods(tx, account.id, list(taken))
    renewed = [id for id in taken if id in left]
    empty = [id for id in taken if id not in left]
    await undo_store.delete_subscriptions(tx, account.id, empty)
    if renewed:
        await _restore(tx, account, batch, columns, {id: taken[id] for id in renewed}, by)
    await mandates.delete_untouched(
        tx, account.id, [row.made.mandate for row in rows if row.made and row.made.mandate]
    )
    gone = await _delete_people(tx, account, rows)
    deleted = [NewEvent(PublicEventType.SUBSCRIPTION_DELETED, id) for id in empty]
    deleted += [NewEvent(PublicEventType.SUBSCRIBER_DELETED, id) for id in sorted(gone)]
    await add_events(tx, account.id, by, deleted)
    stay = sorted(owners - gone)
    await text_index.insert_texts(tx, account.id, await expected_rows(tx, account.id, stay))
    if stay:
        await subscriber_store.update_stats(tx, account.id, stay, currency=account.currency)


async def _restore(
    tx: Transaction,
    account: Account,
    batch: ImportBatch,
    columns: Mapping[str, StoredSubscription],
    taken: Mapping[str, list[ImportRow]],
    by: Actor,
) -> None:
    """Let subscriptions be as before they were renewed."""
    was = {id: _status_before(rows) for id, rows in taken.items()}
    for status in dict.fromkeys(was.values()):
        ids = [id for id in was if was[id] is status]
        await subscriptions.update_status(tx, account.id, ids, status)
    entries = []
    for id, rows in taken.items():
        if any(row.made and row.made.cancelled for row in rows):
            await undo_store.delete_open_cancellation(tx, account.id, id)
            await subscription_copies.restore_cancelled(tx, account.id, id)
            await issue_copies.insert_missing_of_subscription(tx, account.id, id)
        after = {
            "status": was[id],
            "order_id": ", ".join(row.order_id or "" for row in rows),
            "import_number": batch.number,
        }
        before = {"status": columns[id].status}
        entries.append(NewEntry(EntryType.SUBSCRIPTION_TAKE_BACK, id, before, after))
    ids = list(taken)
    await undo_store.recount_subscriptions(tx, account.id, ids)
    await issue_copies.update_membership_lengths(tx, account.id, ids)
    await subscription_json.mark_outdated(tx, account.id, ids)
    await trail.record(tx, account.id, by, entries)
    await update_statuses(tx, account, ids, by=by)


def _status_before(rows: Sequence[ImportRow]) -> SubscriptionStatus:
    """The status of a subscription before these rows renewed it."""
    first = min(rows, key=lambda row: row.period_id or 0)
    assert first.made is not None
    return SubscriptionStatus(first.made.status)


async def _delete_people(tx: Transaction, account: Account, rows: Sequence[ImportRow]) -> set[str]:
    """Delete the subscribers whom rows made, and of whom nothing else is left; returns them."""
    made = {row.subscriber_id for row in rows if row.made and row.made.subscriber}
    made |= {id for row in rows if row.made for id in (row.made.giver, row.made.payer)}
    wanted = {id for id in made if id}
    for what in ("subscription", "gift", "note", "merge", "erasure", "payer"):
        wanted -= await undo_store.find_about(tx, account.id, what, wanted)
    numbers = await undo_store.list_search_numbers(tx, account.id, wanted)
    await text_index.delete_texts(tx, account.id, numbers)
    await undo_store.delete_subscribers(tx, account.id, sorted(wanted))
    return wanted
