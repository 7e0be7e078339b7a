"""What an undo of an import would do, and which of its rows were touched since."""

from collections.abc import Sequence
from functools import partial

from msgspec import Struct, structs

from masthead.model.imports.batches import ImportBatch, RowOutcome
from masthead.model.imports.made_order_ids import is_made
from masthead.model.pagination import all_pages
from masthead.model.translations import counted, gettext as _
from masthead.model.types.full_names import full_name
from masthead.services.imports.work.touched import find_touched
from masthead.store.engine.interface import Connection
from masthead.store.imports import batch_rows
from masthead.store.subscriptions import records as subscriptions

PART = 1_000  # rows that are read together
NAMED = 10  # touched rows that the sentence of a stopped undo names


class TouchedRow(Struct, frozen=True):
    """A row that was touched since its import, and how.

    name: that of the subscription, if the import made the order id.
    """

    line: int
    order_id: str | None
    subscription_id: str | None
    what: list[str]
    name: str = ""


class ImportUndoPreview(Struct, frozen=True):
    """What an undo would do. rows: those that can be taken back. touched: the first of `count`."""

    rows: int
    count: int
    touched: list[TouchedRow]


async def preview_undo(
    db: Connection, account_id: int, batch: ImportBatch, *, named: int = 100
) -> ImportUndoPreview:
    """What an undo would do now. Reads all rows of the batch; read aside.

    named: how many touched rows are named.
    """
    free, count, touched = 0, 0, list[TouchedRow]()
    list_page = partial(batch_rows.list_rows, db, account_id, batch.id, RowOutcome.IMPORTED)
    async for page in all_pages(list_page, limit=PART):
        found = await find_touched(db, account_id, batch.id, batch.number or 0, page)
        for row in page:
            what = found.get(row.subscription_id or "")
            if what is None:
                free += 1
                continue
            count += 1
            if len(touched) < named:
                touched.append(TouchedRow(row.line, row.order_id, row.subscription_id, what))
    return ImportUndoPreview(free, count, await _name(db, account_id, touched))


async def _name(db: Connection, account_id: int, touched: Sequence[TouchedRow]) -> list[TouchedRow]:
    """The rows, with names where the order id tells people nothing. Queries: one at most."""
    ids = {row.subscription_id or "" for row in touched if is_made(row.order_id)}
    found = await subscriptions.find_rows(db, account_id, ids) if ids else {}
    names = {
        id: full_name(row.first_name, row.last_name, row.company, "") for id, row in found.items()
    }
    return [structs.replace(row, name=names.get(row.subscription_id or "", "")) for row in touched]


def describe_stop(preview: ImportUndoPreview) -> str:
    """Why an undo stopped, with the first rows that were touched."""
    names = [
        _("line {line} ({order}: {what})").format(
            line=row.line, order=row.name or row.order_id, what=", ".join(row.what)
        )
        for row in preview.touched[:NAMED]
    ]
    if preview.count > len(names):
        names.append("…")
    return counted(
        "Nothing was taken back: {count} order was touched since the import: {rows}. Undo it "
        "again, and let the touched orders stay.",
        "Nothing was taken back: {count} orders were touched since the import: {rows}. Undo it "
        "again, and let the touched orders stay.",
        preview.count,
        rows="; ".join(names),
    )
