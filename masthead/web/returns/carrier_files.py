"""Upload a file of a carrier, choose its columns, import it, and see what did not match."""

import csv
import io
from collections.abc import Sequence
from contextlib import suppress
from http import HTTPStatus
from itertools import islice
from pathlib import Path

from msgspec import Struct
from starlette.responses import Response
from wtforms import SelectField

from masthead.model.errors import Invalid, NotFound
from masthead.model.file_names import file_name
from masthead.model.imports.encodings import ENCODINGS
from masthead.model.imports.tabular_data import Table
from masthead.model.returns.carrier_files import CarrierLayout
from masthead.model.returns.columns import CarrierField
from masthead.model.returns.dates import DateOrder
from masthead.model.returns.uploads import MAX_UPLOAD, CarrierUpload, UploadKind
from masthead.model.translations import gettext as _, gettext_noop
from masthead.services.child_process import run_in_file_thread, run_on_file
from masthead.services.imports.table import open_table
from masthead.services.imports.work.open_uploads import cost_of
from masthead.services.returns import uploads as service
from masthead.services.returns.carrier_files import CarrierFile, inspect_file, read_rows
from masthead.store.engine.interface import Database
from masthead.store.returns import uploads as store
from masthead.temporary_files import TemporaryFile
from masthead.web.kit.attachments import UTF8_CSV
from masthead.web.kit.context import PageContext
from masthead.web.kit.form_handling import process_form, save_form
from masthead.web.kit.forms import choices_of
from masthead.web.returns.forms import FIELDS_OF, MappingForm, UploadForm
from masthead.web.returns.overview import render_returns

SHOWN_ROWS = 5
SHOWN_PROBLEMS = 100
MOST_ROWS = 4 * MAX_UPLOAD  # bytes of the rows of a workbook, unpacked
_TOO_MANY = gettext_noop(
    "The sheet has more than {size} MB of text. Import it with the command `masthead dispatch`."
)


class InspectedFile(Struct, frozen=True):
    """An uploaded file as the page shows it. file: None if a problem prevents reading it.

    encoding: of the file, if people may have to choose another one.
    """

    file: CarrierFile | None
    layout: CarrierLayout
    problem: str | None
    encoding: str | None
    rows: Sequence[list[str]] = ()


async def upload_file(context: PageContext) -> Response:
    """Keep an uploaded file, and go on to its columns. Raises: Invalid."""
    form = UploadForm(context.form_data)

    async def save_once() -> Response:
        kind, file = form.read_file(context.fields)
        content = await file.read()

        async def save(form: UploadForm, db: Database) -> Response:
            id = await service.save_upload(
                db, context.account_id, kind, file.filename or "", content, by=context.actor
            )
            return context.redirect(context.url("returns", "files", id))

        return await save_form(context, form, save)

    async def show(status: HTTPStatus) -> Response:
        return await render_returns(context, status=status, upload_form=form)

    return await process_form(context, form, save_once, show)


async def import_file(context: PageContext) -> Response:
    """Show how an uploaded file is read, and import it; then show the result. Raises: NotFound."""
    upload = await store.get_upload(context.db, context.account_id, context.path["id"])
    if upload.imported_at is not None:
        return await _show_result(context, upload)
    content, rows = TemporaryFile(), TemporaryFile(".csv")  # they live as long as this function
    stored = await store.read_parts(context.db, context.account_id, upload.id, store.CONTENT)
    await run_in_file_thread(content.path.write_bytes, stored)
    form = MappingForm(context.form_data)
    is_chosen = context.is_post and "key" in context.fields
    chosen = form.chosen(upload.kind) if is_chosen else {}
    inspected = await run_on_file(
        inspect_upload,
        *(content.path, rows, chosen, form.chosen_encoding(), form.order()),
        _needs_dates(form, upload.kind),
        account_id=context.account_id,
        size=cost_of(content.path),
    )
    file, layout, problem = inspected.file, inspected.layout, inspected.problem
    if problem is None and context.is_post and "import" in context.fields and form.validate():
        assert file is not None
        size = content.path.stat().st_size + rows.path.stat().st_size
        await _import(context, upload, file, form, size)
        return context.redirect(context.url("returns", "files", upload.id))
    _fill(form, layout, upload.kind, chosen if is_chosen else None)
    form.offer_encodings(inspected.encoding)
    return context.render(
        "returns/file.html",
        status=HTTPStatus.BAD_REQUEST if context.is_post and problem else HTTPStatus.OK,
        upload=upload,
        form=form,
        fields=[form[field.value] for field in FIELDS_OF[upload.kind]],
        file=file,
        has_encodings=inspected.encoding is not None,
        layout=layout,
        rows=inspected.rows,
        problem=problem,
        has_dates=CarrierField.DATE in layout.columns,
        today=context.membership.daily_date,
    )


def _needs_dates(form: MappingForm, kind: UploadKind) -> bool:
    """Whether the dates in the file are used."""
    return kind is UploadKind.RETURNED or form.day.data is None


def inspect_upload(
    path: Path,
    rows: TemporaryFile,
    chosen: dict[CarrierField, str],
    encoding: str | None,
    order: DateOrder | None,
    needs_dates: bool,
) -> InspectedFile:
    """The file as it is read, or what prevents it and which columns it may have.

    rows: the file for the rows of a workbook.
    """
    try:
        file = inspect_file(
            path,
            chosen=chosen,
            encoding=encoding,
            date_order=order,
            needs_dates=needs_dates,
            rows=rows,
        )
        if rows.path.stat().st_size > MOST_ROWS:  # they are imported while the page waits
            raise Invalid(_(_TOO_MANY).format(size=MOST_ROWS // 1024**2))
    except Invalid as reason:
        columns: tuple[str, ...] = ()
        if reason.field == "encoding":
            encoding = str(reason.value)
        elif reason.field in ("key", "date"):  # the table can be read
            with suppress(Invalid):
                table = open_table(path, name="", encoding=encoding, rows=rows)
                columns, encoding = table.columns, _doubtful(table)
        return InspectedFile(None, CarrierLayout(0, columns, {}), str(reason), encoding)
    shown = [row.cells for row in islice(read_rows(file), SHOWN_ROWS)]
    return InspectedFile(file, file.layout, None, _doubtful(file.table), shown)


def _doubtful(table: Table) -> str | None:
    """The encoding of a text file that is none of Unicode: people see if it is wrong."""
    encoding = table.encoding
    return encoding if encoding in ENCODINGS and not encoding.startswith("utf") else None


async def _import(
    context: PageContext, upload: CarrierUpload, file: CarrierFile, form: MappingForm, size: int
) -> None:
    day = form.read_day()
    if day is None and CarrierField.DATE not in file.layout.columns:
        day = context.membership.daily_date
    await service.import_upload(
        context.db,
        context.account_id,
        upload,
        file,
        day=day,
        by=context.actor,
        database_url=context.web.database_url,
        size=size,
    )


def _fill(
    form: MappingForm,
    layout: CarrierLayout,
    kind: UploadKind,
    chosen: dict[CarrierField, str] | None,
) -> None:
    """Offer the columns of the file in each field, and select those that were found or chosen."""
    names = [
        (str(place), name or _("column {number}").format(number=place))
        for place, name in enumerate(layout.names, 1)
    ]
    for field in FIELDS_OF[kind]:
        places = layout.columns.get(field, ())
        found = "+".join(str(place + 1) for place in places)
        joined = [(found, " + ".join(layout.names[place] for place in places))]
        choices = [("", _("not in the file")), *names, *(joined if len(places) > 1 else [])]
        select = form[field.value]
        assert isinstance(select, SelectField)
        select.choices = choices_of(choices)
        select.data = chosen[field] if chosen is not None else found


async def _show_result(context: PageContext, upload: CarrierUpload) -> Response:
    """The numbers of rows of an imported file, and the first rows that are unmatched."""
    report = await store.read_parts(context.db, context.account_id, upload.id, store.REPORT)
    text = io.StringIO(report.decode("utf-8-sig"))
    rows = await run_in_file_thread(lambda: list(islice(csv.reader(text), SHOWN_PROBLEMS + 1)))
    return context.render(
        "returns/result.html",
        upload=upload,
        counts=upload.counts,
        problems=rows[1:],
        has_more=upload.counts.get("unmatched", 0) > SHOWN_PROBLEMS,
    )


async def download_report(context: PageContext) -> Response:
    """The rows of a file that are unmatched, with the reasons, as CSV. Raises: NotFound."""
    upload = await store.get_upload(context.db, context.account_id, context.path["id"])
    report = await store.read_parts(context.db, context.account_id, upload.id, store.REPORT)
    if not report:
        raise NotFound("report of the file", upload.id)
    name = file_name("{file}.unmatched.csv", file=upload.name)
    await context.record_download(name)
    return context.download(report, name, UTF8_CSV, is_typed=True)
