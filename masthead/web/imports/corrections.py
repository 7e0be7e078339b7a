"""Correct the refused rows of an import on their page.

Before it runs, it is rehearsed again with them. Afterwards they are uploaded like a corrected file.
"""

from collections.abc import Mapping, Sequence
from http import HTTPStatus

from msgspec import Struct
from starlette.responses import Response

from masthead.model.imports.batches import BatchStatus, ImportBatch, ImportRow
from masthead.model.translations import gettext as _
from masthead.model.types.text import short_text
from masthead.services.imports import batches as service
from masthead.services.imports.work.corrections import (
    RefusedCell,
    cells_of,
    changed_cells,
    correct,
    list_correctable,
)
from masthead.store.engine.interface import Database
from masthead.store.imports import batches as store
from masthead.web.imports.corrected_file import upload_corrected
from masthead.web.imports.typed_names import typed_name
from masthead.web.kit.context import PageContext
from masthead.web.kit.form_handling import process_form, save_form
from masthead.web.kit.forms import MAX_FIELD, BaseForm, incomplete

Outcomes = Sequence[tuple[str, str, int]]


class CellField(Struct, frozen=True):
    """A cell to correct. reasons: why the row is refused because of it."""

    name: str
    label: str
    value: str
    reasons: Sequence[str] = ()


class RowFields(Struct, frozen=True):
    """A row to correct. who: whose order it is. reasons: those that are about none of its cells."""

    line: int
    who: str
    reasons: Sequence[str]
    refused: Sequence[CellField]
    others: Sequence[CellField]


def render_correction(
    context: PageContext,
    batch: ImportBatch,
    rows: Sequence[ImportRow],
    outcomes: Outcomes = (),
    *,
    form: BaseForm | None = None,
    status: HTTPStatus = HTTPStatus.OK,
) -> Response:
    """The page on which refused rows are corrected. form: one that has errors."""
    typed = _typed(context)
    return context.render(
        "imports/correct.html",
        status=status,
        batch=batch,
        outcomes=outcomes,
        rows=[_fields_of(batch, row, typed) for row in rows],
        form=form or BaseForm(),
    )


def _typed(context: PageContext) -> dict[str, str]:
    """The fields that were sent."""
    if not context.is_post:
        return {}
    return {name: text for name, text in context.fields.multi_items() if isinstance(text, str)}


def _fields_of(batch: ImportBatch, row: ImportRow, typed: Mapping[str, str]) -> RowFields:
    cells = [*cells_of(batch, row)]
    columns = {cell.column for cell in cells}
    fields = [_field_of(row, cell, typed) for cell in cells]
    return RowFields(
        row.line,
        typed_name(
            ((each.column, each.text) for each in cells_of(batch, row) if not each.number),
            batch.plan.mapping,
        ),
        [each.text for each in row.reasons if each.column not in columns],
        [field for field in fields if field.reasons],
        [field for field in fields if not field.reasons],
    )


def _field_of(row: ImportRow, cell: RefusedCell, typed: Mapping[str, str]) -> CellField:
    label = cell.column or _("Cell {number}").format(number=cell.place + 1)
    if cell.number:  # a further line of the order
        label = f"{label} ({cell.number + 1})"
    reasons = [each.text for each in row.reasons if each.column and each.column == cell.column]
    return CellField(cell.name, label, typed.get(cell.name, cell.text), reasons)


async def use_corrected(context: PageContext) -> Response:
    """Rehearse an import with its corrected rows, or these rows as a file. Raises: NotFound."""
    batch = await store.get_batch(context.db, context.account_id, context.path["id"])
    rows = await list_correctable(context.db, context.account_id, batch)
    if not rows:
        return context.redirect(context.url("imports", batch.id))
    form = BaseForm(context.form_data)

    async def save() -> Response:
        typed = _typed(context)
        corrected = _correct(batch, rows, typed)
        if batch.status is not BatchStatus.REHEARSED:
            return await upload_corrected(context, batch, corrected, form)
        changed = {
            after.line: after.cells
            for before, after in zip(rows, corrected, strict=True)
            if changed_cells(batch, before, typed)
        }

        async def keep(_form: BaseForm, db: Database) -> Response:
            await service.correct_rows(db, context.account_id, batch.id, changed)
            return context.redirect(context.url("imports", batch.id))

        return await save_form(context, form, keep)

    async def show(status: HTTPStatus) -> Response:
        return render_correction(context, batch, rows, form=form, status=status)

    return await process_form(context, form, save, show)


def _correct(
    batch: ImportBatch, rows: Sequence[ImportRow], typed: Mapping[str, str]
) -> list[ImportRow]:
    """The rows with what was typed. Raises: Invalid if a cell is missing or too long."""
    try:
        corrected = [correct(batch, row, typed) for row in rows]
    except KeyError:  # another rehearsal has other rows
        raise incomplete() from None
    for row in rows:
        for cell in cells_of(batch, row):
            short_text(cell.column, typed[cell.name], MAX_FIELD)
    return corrected
