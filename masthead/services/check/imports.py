"""Check that the counts of imports are those of their rows."""

from collections.abc import AsyncIterator
from functools import partial

from masthead.model.imports.batches import BatchStatus, ImportBatch, RowOutcome
from masthead.model.pagination import all_pages
from masthead.store.engine.interface import Connection
from masthead.store.imports import batch_rows, batches as store

_COUNTED = (BatchStatus.RUNNING, BatchStatus.IMPORTED, BatchStatus.UNDOING, BatchStatus.UNDONE)


async def check_imports(db: Connection, account_id: int) -> AsyncIterator[tuple[str, str]]:
    """Broken invariants, each with the id of a batch. Queries: one for each batch."""
    async for page in all_pages(partial(store.list_batches, db, account_id)):
        for batch in page:
            if batch.status in _COUNTED and batch.started_at is not None:
                outcomes = await batch_rows.count_outcomes(db, account_id, batch.id)
                if not _matches(batch, outcomes):
                    yield "the counts of an import match its rows", batch.id


def _matches(batch: ImportBatch, outcomes: dict[str, int]) -> bool:
    counts = batch.counts
    undone, kept = outcomes.get(RowOutcome.UNDONE, 0), outcomes.get(RowOutcome.KEPT, 0)
    found = (
        outcomes.get(RowOutcome.IMPORTED, 0) + undone + kept,
        outcomes.get(RowOutcome.SKIPPED, 0),
        outcomes.get(RowOutcome.REFUSED, 0),
        outcomes.get(RowOutcome.LEFT_OUT, 0),
        undone,
        kept,
    )
    expected = (
        counts.imported,
        counts.skipped,
        counts.rejected,
        counts.left_out,
        counts.undone,
        counts.kept,
    )
    return found == expected and counts.read == sum(expected[:4])
