"""Correct the refused rows of an import on its page: which can be, and what becomes of them.

Before it runs, their cells replace those of its file. Afterwards the file is gone, and they become
one: that which `rejects` writes, with the typed cells.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing

from msgspec import Struct, structs

from masthead.model.debits.imported import without_iban
from masthead.model.imports.batches import BatchStatus, ImportBatch, ImportRow, RowOutcome
from masthead.model.imports.fitting import column_key
from masthead.model.imports.targets import REPORT
from masthead.model.pagination import PageRequest
from masthead.model.types.clean_text import one_line
from masthead.services.imports.work.rejects import Rejects, RejectsWriter
from masthead.store.engine.interface import Connection
from masthead.store.imports import batch_rows

MOST_ROWS = 50
MOST_CELLS = 900  # a form has at most 1,000 fields
MOST_CHARACTERS = 80_000  # a form has at most 1 MiB, and an escaped character up to 12 bytes
CORRECTABLE = (BatchStatus.REHEARSED, BatchStatus.IMPORTED)


class RefusedCell(Struct, frozen=True):
    """A cell of a refused row. number: of its line in the order, from 0. place: in that line.

    name: of its field in a form. column: empty if it has none, because the line is too long. text:
    as a page shows it: on one line, and without the middle of IBANs.
    """

    name: str
    number: int
    place: int
    column: str
    text: str


def may_be_correctable(batch: ImportBatch) -> bool:
    """Whether refused rows can be corrected on a page, unless they have too many cells."""
    return batch.status in CORRECTABLE and 0 < batch.counts.rejected <= MOST_ROWS


async def list_correctable(db: Connection, account_id: int, batch: ImportBatch) -> list[ImportRow]:
    """The refused rows, each line once; none if they cannot be corrected on a page. Queries: one.

    Several orders of one line are one row, with the reasons of all of them.
    """
    if not may_be_correctable(batch):
        return []
    page = await batch_rows.list_rows(
        db, account_id, batch.id, RowOutcome.REFUSED, PageRequest(MOST_ROWS, None, b"")
    )
    found = dict[int, ImportRow]()
    for row in page.items:
        reasons = [*found[row.line].reasons, *row.reasons] if row.line in found else row.reasons
        found[row.line] = structs.replace(row, reasons=reasons)
    cells = [cell for row in found.values() for cell in cells_of(batch, row)]
    is_small = len(cells) <= MOST_CELLS and sum(len(it.text) for it in cells) <= MOST_CHARACTERS
    return [*found.values()] if is_small and not page.has_more else []


def cells_of(batch: ImportBatch, row: ImportRow) -> Iterator[RefusedCell]:
    """The cells of a row that are read; all of a line that has more cells than columns."""
    columns = batch.layout.columns
    read = {column_key(name) for name in batch.plan.mapping.named()}
    for number, cells in enumerate(row.cells):
        for place in range(max(len(cells), len(columns))):
            column = columns[place] if place < len(columns) else ""
            is_read = not read or column_key(column) in read or len(cells) > len(columns)
            if is_read and column not in REPORT:
                text = one_line(without_iban(cells[place])) if place < len(cells) else ""
                yield RefusedCell(f"cell-{row.line}-{number}-{place}", number, place, column, text)


def correct(batch: ImportBatch, row: ImportRow, typed: Mapping[str, str]) -> ImportRow:
    """The row with the typed cells, by their names. A cell that was not changed stays as it is.

    Raises: KeyError if a cell is missing.
    """
    width = len(batch.layout.columns)
    lines = [[*cells, *[""] * (width - len(cells))] for cells in row.cells]
    for cell in changed_cells(batch, row, typed):
        lines[cell.number][cell.place] = one_line(typed[cell.name])
    return structs.replace(row, cells=[_without_end(cells, width) for cells in lines])


def changed_cells(
    batch: ImportBatch, row: ImportRow, typed: Mapping[str, str]
) -> list[RefusedCell]:
    """The cells of a row for which something else was typed. Raises: KeyError if one is missing."""
    return [cell for cell in cells_of(batch, row) if one_line(typed[cell.name]) != cell.text]


def _without_end(cells: list[str], width: int) -> list[str]:
    """A line without the empty cells after its last column."""
    return cells if any(cells[width:]) else cells[:width]


def write_file(columns: Sequence[str], rows: Sequence[ImportRow], writer: RejectsWriter) -> bytes:
    """The file of refused rows. columns: of the original file."""
    with closing(Rejects(columns, writer)) as rejects:
        return b"".join([rejects.head(), *map(rejects.add, rows), rejects.end()])
