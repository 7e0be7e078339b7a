"""Import rows in batches by the same rules as the API, or rehearse it.

Imports of users are recorded by `services.imports.work.run_batch`; these functions keep no record.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from itertools import islice

from msgspec import Struct

from masthead.model.errors import Invalid
from masthead.model.imports.batches import Counts, RowOutcome
from masthead.model.imports.tabular_data import Line
from masthead.model.orders.import_rows import order_of_cells
from masthead.services.imports.prepare import PreparedRow
from masthead.services.imports.work.place_rows import Import, PlacedRow, place_rows
from masthead.services.imports.work.rehearse import Rehearsal
from masthead.services.imports.work.tally import Tally
from masthead.store.engine.interface import Database, Transaction
from masthead.store.imports.kept_orders import KeptOrders

BATCH = 1_000  # rows that are written together
FEW = 25  # the same while other accounts write, which wait for it on SQLite

__all__ = ["BATCH", "Import", "OrderLine", "Reject", "Summary", "import_lines", "try_lines"]


class OrderLine(Struct, frozen=True):
    """A row with an order in our own format: its number, and its cells by column."""

    number: int
    cells: Mapping[str, str]


class Reject(Struct, frozen=True):
    """A rejected row, with the cell that causes the error."""

    line: OrderLine
    column: str
    value: str
    reason: str


class Summary(Struct):
    """The numbers of rows by result. skipped: rows whose order exists already."""

    read: int = 0
    imported: int = 0
    skipped: int = 0
    rejected: int = 0


Place = Callable[[list[PreparedRow]], Awaitable[list[PlacedRow]]]


async def place_in_batches(db: Database, rows: Iterator[PreparedRow], place: Place) -> None:
    """Place all rows in batches. While one is written, another thread prepares the next one.

    The first batches are small, and so are all others while other accounts write, too.
    """
    count = FEW

    async def place_all(batch: list[PreparedRow]) -> None:
        nonlocal count
        while batch:
            await place(batch[:count])
            batch = batch[count:]
            count = FEW if db.is_shared() else min(2 * count, BATCH)

    batch = await asyncio.to_thread(next_batch, rows)
    while batch:
        placing = asyncio.ensure_future(place_all(batch))
        try:
            batch = await asyncio.to_thread(next_batch, rows)
        finally:
            await placing


def next_batch(rows: Iterator[PreparedRow]) -> list[PreparedRow]:
    """The next rows; empty at the end of the file."""
    return list(islice(rows, BATCH))


async def import_lines(
    db: Database,
    lines: Iterable[OrderLine],
    how: Import,
    *,
    on_reject: Callable[[Reject], None] = lambda reject: None,
    on_progress: Callable[[Summary], None] = lambda summary: None,
) -> Summary:
    """Import rows in transactions of up to 1,000 rows. Raises: Invalid `invalid_source`."""

    async def place(rows: list[PreparedRow]) -> list[PlacedRow]:
        async def work(tx: Transaction) -> list[PlacedRow]:
            return (await place_rows(tx, rows, how)).rows

        return await db.write(work, account_id=how.account_id, is_long=True)

    return await _summarize(db, lines, how, place, on_reject, on_progress)


async def try_lines(
    db: Database,
    lines: Iterable[OrderLine],
    how: Import,
    *,
    on_reject: Callable[[Reject], None] = lambda reject: None,
    on_progress: Callable[[Summary], None] = lambda summary: None,
) -> Summary:
    """Rehearse an import; nothing is changed. Raises: Invalid `invalid_source`."""
    with KeptOrders() as kept:
        place = Rehearsal(db, how, kept).place
        return await _summarize(db, lines, how, place, on_reject, on_progress)


async def _summarize(
    db: Database,
    lines: Iterable[OrderLine],
    how: Import,
    place: Place,
    on_reject: Callable[[Reject], None],
    on_progress: Callable[[Summary], None],
) -> Summary:
    tally = Tally(Counts(), [])

    async def count(rows: list[PreparedRow]) -> list[PlacedRow]:
        nonlocal tally
        placed = await place(rows)
        tally = tally.plus(placed)
        for row, result in zip(rows, placed, strict=True):
            if result.stored.outcome is RowOutcome.REFUSED:
                problem = result.stored.reasons[0]
                line = OrderLine(row.lines[0].number, row.fields)
                on_reject(Reject(line, problem.column, problem.value, problem.text))
        on_progress(_summary(tally.counts))
        return placed

    await place_in_batches(db, (_prepared(line, how) for line in lines), count)
    return _summary(tally.counts)


def _summary(counts: Counts) -> Summary:
    return Summary(counts.read, counts.imported, counts.skipped, counts.rejected)


def _prepared(line: OrderLine, how: Import) -> PreparedRow:
    """A row in our own format. Takes about 20 µs."""
    source = Line(line.number, list(line.cells.values()))
    row = PreparedRow(lines=[source], fields=dict(line.cells))
    try:
        row.order = order_of_cells(line.cells, how.defaults)
    except Invalid as refusal:
        row.reasons = [row.problem_of(refusal)]
    return row
