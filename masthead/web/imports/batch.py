"""The page of an import: its progress, the result of its rehearsal, and what it made."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from http import HTTPStatus
from typing import Annotated

from msgspec import Meta, structs
from starlette.responses import Response

from masthead.model.debits.imported import without_iban
from masthead.model.errors import NotFound
from masthead.model.imports.batches import BatchStatus, ImportBatch, ImportRow, RowOutcome
from masthead.model.imports.targets import TARGETS
from masthead.model.inputs import ListQuery
from masthead.model.translations import gettext_noop
from masthead.services.imports.work.corrections import (
    MOST_ROWS,
    list_correctable,
    may_be_correctable,
)
from masthead.services.imports.work.rejects import read_rejects, writer_of
from masthead.store import sources
from masthead.store.audit.names import find_record_names, find_user_names
from masthead.store.engine.interface import Connection
from masthead.store.imports import batch_rows, batches as store, files
from masthead.store.reports.fulfilment import count_sending
from masthead.web.imports.corrected_file import name_refused
from masthead.web.imports.corrections import render_correction
from masthead.web.imports.typed_names import name_rows
from masthead.web.kit.attachments import UTF8_CSV
from masthead.web.kit.context import PageContext
from masthead.web.kit.filters import decode_filters
from masthead.web.kit.forms import BaseForm
from masthead.web.kit.table_file import XLSX_TYPE

_REMARKS = gettext_noop("With remarks")
_WERE_HERE = gettext_noop("Here before, or twice in the file")
# The outcomes whose rows a page lists, in its order
LISTED = (
    RowOutcome.IMPORTED,
    RowOutcome.REFUSED,
    RowOutcome.SKIPPED,
    RowOutcome.LIKELY,
    RowOutcome.LEFT_OUT,
    RowOutcome.KEPT,
    RowOutcome.UNDONE,
)


class ImportRowQuery(ListQuery, kw_only=True, frozen=True):
    """What became of the rows that are listed."""

    outcome: Annotated[RowOutcome, Meta(description="what became of the rows")] = (
        RowOutcome.IMPORTED
    )


async def show_batch(context: PageContext) -> Response:
    """The page of an import, or only its progress if htmx asks for it. Raises: NotFound."""
    batch = await store.get_batch(context.db, context.account_id, context.path["id"])
    is_block = context.request.headers.get("HX-Target") == "progress"
    if batch.status is BatchStatus.UPLOADED and not is_block:
        return context.redirect(context.url("imports", batch.id, "columns"))
    response = await render_batch(context, batch)
    if is_block and not batch.is_working:
        response.headers["HX-Refresh"] = "true"
    return response


async def render_batch(
    context: PageContext,
    batch: ImportBatch,
    *,
    form: BaseForm | None = None,
    status: HTTPStatus = HTTPStatus.OK,
) -> Response:
    """The page of an import. form: one that has errors."""
    async with context.db.read() as db:
        counts = {}
        if not batch.is_working:
            counts = await batch_rows.count_outcomes(db, context.account_id, batch.id)
        same = await store.list_same_file(db, context.account_id, batch.sha256)
        corrections = []
        if batch.counts.rejected:
            corrections = await store.list_corrections(db, context.account_id, batch.id)
        original = await _find_original(db, context.account_id, batch)
        has_file = await files.is_stored(db, context.account_id, batch.id)
        source = await sources.find_source(db, context.account_id, batch.source_id or "")
        names = await _names_of(context, batch)
        lines = {each.line for each in batch.reasons}
        rows = await batch_rows.find_rows(db, context.account_id, batch.id, lines)
        row_names = name_rows(batch, rows, await _find_subscribers(db, context.account_id, rows))
        out = batch.counts.out_through()
        sending = await count_sending(db, context.account_id, out[0].number) if out else None
    through = batch.decisions.sent_through or 0
    return context.render(
        "imports/batch.html",
        status=status,
        batch=batch,
        form=form or BaseForm(),
        outcomes=_outcomes(batch, counts),
        same=[
            each
            for each in same
            if not each.undone_at and (batch.number is None or (each.number or 0) < batch.number)
        ],
        original=original,
        has_file=has_file,
        corrections=corrections,
        corrected=sum(each.counts.imported - each.counts.undone for each in corrections),
        source=source,
        names=names,
        row_names=row_names,
        out=out,
        unsent=sending if sending and sending.waits else None,
        taken=next((each.number for each in out if each.number <= through), 0),
        status_word=batch.status.words,
        is_correctable=may_be_correctable(batch),
        labels={name: target.label for name, target in TARGETS.items()},
    )


async def _find_original(db: Connection, account_id: int, batch: ImportBatch) -> ImportBatch | None:
    """The import whose refused rows were corrected to make this one; None if there is none."""
    if batch.decisions.corrects:
        with suppress(NotFound):  # an upload that was not imported is deleted after some days
            return await store.get_batch(db, account_id, batch.decisions.corrects)
    return None


async def _names_of(context: PageContext, batch: ImportBatch) -> dict[str, str]:
    """The emails of the users who imported and undid it, by their ids."""
    actors = ((batch.actor_kind, batch.actor_id), (batch.undone_by_kind, batch.undone_by_id))
    users = {id for kind, id in actors if kind == "user" and id}
    return await find_user_names(context.db, context.account_id, users) if users else {}


def _outcomes(batch: ImportBatch, counts: Mapping[str, int]) -> list[tuple[str, str, int]]:
    """The outcomes that rows have, each with its word and the number of rows."""
    return [
        (each.value, _label(each, batch.status), counts[each]) for each in LISTED if each in counts
    ]


def _label(outcome: RowOutcome, status: BatchStatus) -> str:
    """What became of rows. Of a rehearsal, only those that have remarks are stored."""
    if outcome is RowOutcome.IMPORTED and status is BatchStatus.REHEARSED:
        return _REMARKS
    if outcome is RowOutcome.SKIPPED and status is not BatchStatus.REHEARSED:
        return _WERE_HERE
    return outcome.label


async def list_rows(context: PageContext) -> Response:
    """The rows of an import with one outcome, each with what it made. Raises: NotFound, Invalid."""
    query, request = decode_filters(context, ImportRowQuery)
    async with context.db.read(aside=True) as db:
        batch = await store.get_batch(db, context.account_id, context.path["id"])
        page = await batch_rows.list_rows(db, context.account_id, batch.id, query.outcome, request)
        counts = await batch_rows.count_outcomes(db, context.account_id, batch.id)
        is_refused = query.outcome is RowOutcome.REFUSED
        if is_refused and (rows := await list_correctable(db, context.account_id, batch)):
            return render_correction(context, batch, rows, _outcomes(batch, counts))
        subscribers = await _find_subscribers(db, context.account_id, page.items)
    items = [
        structs.replace(row, cells=[[*map(without_iban, cells)] for cells in row.cells])
        for row in page.items
    ]
    return context.render(
        "imports/rows.html",
        batch=batch,
        page=structs.replace(page, items=items),
        row_names=name_rows(batch, page.items, subscribers),
        outcome=query.outcome.value,
        title=_label(query.outcome, batch.status),
        outcomes=_outcomes(batch, counts),
        most_correctable=MOST_ROWS,
        is_first=request.after is None,
        subscribers=subscribers,
        form=BaseForm(),
    )


async def _find_subscribers(
    db: Connection, account_id: int, rows: Iterable[ImportRow]
) -> dict[str, str]:
    """The names of the subscribers of rows, by id. Queries: one at most."""
    people = {("subscriber", row.subscriber_id) for row in rows if row.subscriber_id}
    names = await find_record_names(db, account_id, people)
    return {id: name for (_type, id), name in names.items()}


async def download_refused(context: PageContext) -> Response:
    """The refused rows of an import with the reasons, as CSV or a workbook. Raises: NotFound."""
    batch = await store.get_batch(context.db, context.account_id, context.path["id"])
    if not batch.counts.rejected:
        raise NotFound("file of refused rows", batch.id)
    writer, ending = writer_of(batch)
    content = read_rejects(context.db, context.account_id, batch.id, batch.layout.columns, writer)
    media_type = UTF8_CSV if ending == "csv" else XLSX_TYPE
    name = name_refused(batch, ending)
    await context.record_download(name)
    return context.download(content, name, media_type, is_typed=True)
