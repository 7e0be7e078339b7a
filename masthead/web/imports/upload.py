"""The list of imports, and the upload of a file."""

from collections.abc import Sequence
from http import HTTPStatus
from pathlib import Path

from starlette.datastructures import UploadFile
from starlette.responses import Response
from wtforms import FileField, SelectField, StringField
from wtforms.validators import DataRequired

from masthead.model.errors import Invalid
from masthead.model.imports.batches import MAX_UPLOAD, BatchStatus, ImportBatch
from masthead.model.imports.encodings import ENCODINGS, encoding_named
from masthead.model.imports.plan import ImportPlan
from masthead.model.imports.tabular_data import FileLayout, Table
from masthead.model.imports.targets import REPORT
from masthead.model.inputs import ListQuery
from masthead.model.pagination import PageRequest
from masthead.model.resources import Source
from masthead.model.translations import gettext as _
from masthead.model.types.enums import SourceType
from masthead.model.types.source_names import is_by_hand
from masthead.model.types.text import casefold
from masthead.services import sources as source_service
from masthead.services.imports import batches as service
from masthead.services.imports.work.open_uploads import open_file
from masthead.store.audit.names import find_user_names
from masthead.store.engine.interface import Connection, Database
from masthead.store.imports import batches as store, mappings
from masthead.web.imports.proposals import propose_plan, refit_plan
from masthead.web.kit.choices import list_sources
from masthead.web.kit.connected import while_connected
from masthead.web.kit.context import PageContext
from masthead.web.kit.filters import decode_filters
from masthead.web.kit.form_handling import process_form
from masthead.web.kit.forms import BaseForm, choices_of, trimmed

NEW = "new"
RECENT = 50  # imports that a file is compared with
OPEN = (SourceType.SHOP, SourceType.IMPORT)  # types of sources that take orders from files


class ImportUploadForm(BaseForm):
    """A file, and the source of its orders."""

    file = FileField("File", [DataRequired("Choose a file.")])
    source = SelectField(
        "Where do these orders come from?",
        [DataRequired("Choose where these orders come from.")],
        validate_choice=False,
    )
    source_name = StringField("Name of the new source", filters=[trimmed])
    encoding = SelectField("Encoding of a CSV file", validate_choice=False)


async def list_imports(context: PageContext) -> Response:
    """The imports of the account, newest first, and the saved mappings. Raises: Invalid."""
    _query, request = decode_filters(context, ListQuery)
    async with context.db.read() as db:
        page = await store.list_batches(db, context.account_id, request)
        saved = await mappings.list_mappings(db, context.account_id)
        names = await find_importers(db, context.account_id, page.items)
    return context.render(
        "imports/list.html",
        page=page,
        is_first=request.after is None,
        saved=saved,
        names=names,
        forms=BaseForm(),
    )


async def find_importers(
    db: Connection, account_id: int, listed: Sequence[ImportBatch]
) -> dict[str, str]:
    """Who uploaded the file of each import, by its id. Queries: one."""
    users = {each.actor_id for each in listed if each.actor_kind == "user"}
    emails = await find_user_names(db, account_id, users) if users else {}
    return {
        each.id: emails.get(each.actor_id, each.actor_id)
        if each.actor_kind == "user"
        else _("command line")
        for each in listed
    }


async def upload_file(context: PageContext) -> Response:
    """Keep an uploaded file, and go on to its columns."""
    sources = [each for each in await list_sources(context) if each.is_active and each.type in OPEN]

    named = [(source.id, source.name) for source in sources]
    chosen = context.query.get("source", "") or await _usual_source(context, sources)
    if not chosen:
        named.insert(0, ("", _("Choose a source")))
    form = ImportUploadForm(context.form_data, {"source": chosen})
    if form.source_name.data and not form.source.data:
        form.source.data = NEW
    form.source.choices = choices_of([*named, (NEW, _("A new source, named below"))])
    automatic = ("", _("Find it automatically"))
    form.encoding.choices = choices_of([automatic, *((it, _(ENCODINGS[it])) for it in ENCODINGS)])
    if not sources:
        form.source_name.flags.required = True

    async def save() -> Response:
        file = _read_file(context)
        path, name = Path(file.file.name or ""), file.filename or ""
        encoding = encoding_named(form.encoding.data) if form.encoding.data else None
        opened = open_file(context.account_id, path, name=name, encoding=encoding)
        table, _rows = await while_connected(context, opened)
        source_id = await _source_of(context, form)
        plan = await _plan_of(context, source_id, table)
        id = await store_upload(context, context.db, path, name, source_id, plan, table)
        return context.redirect(context.url("imports", id, "columns"))

    async def show(status: HTTPStatus) -> Response:
        return context.render(
            "imports/upload.html",
            status=status,
            form=form,
            has_sources=bool(sources),
            max_megabytes=MAX_UPLOAD // 1024 // 1024,
        )

    return await process_form(context, form, save, show)


async def store_upload(
    context: PageContext,
    db: Database,
    content: bytes | Path,
    name: str,
    source_id: str | None,
    plan: ImportPlan,
    table: Table,
    *,
    corrects: str = "",
) -> str:
    """Keep a file with its source and its plan; returns the id of its import.

    corrects: the id of the import whose refused rows it corrects. Raises: Invalid.
    """
    id = await service.upload_file(db, context.account_id, name, content, by=context.actor)
    await service.choose_plan(
        db,
        context.account_id,
        id,
        source_id=source_id,
        plan=plan,
        layout=FileLayout.of(table, None, table.row_count),
        corrects=corrects,
    )
    return id


async def _usual_source(context: PageContext, sources: Sequence[Source]) -> str:
    """The source to begin with: that of the last import, or the only one for files; else none.

    The source for orders by hand is not for files.
    """
    if not sources:
        return NEW
    known = {each.id for each in sources}
    page = await store.list_batches(context.db, context.account_id, PageRequest(RECENT, None, b""))
    used = [each.source_id for each in page.items if each.number and each.source_id in known]
    own = [each.id for each in sources if not is_by_hand(each.name)]
    return used[0] or "" if used else own[0] if len(own) == 1 else ""


def _read_file(context: PageContext) -> UploadFile:
    """The uploaded file. Raises: Invalid if none was chosen or it is empty."""
    file = context.fields.get("file")
    if not isinstance(file, UploadFile) or not file.filename:
        raise Invalid(_("Choose a file."), field="file")
    if not file.size:
        raise Invalid(
            _("“{name}” is empty. Export it again, and upload the new file.").format(
                name=file.filename
            ),
            field="file",
        )
    return file


async def _plan_of(context: PageContext, source_id: str, table: Table) -> ImportPlan:
    """The plan of the last file with the same columns that was at least rehearsed, or its own.

    So a corrected file of refused rows is read like the original file.
    """
    columns = _own_columns(table.columns)
    page = await store.list_batches(context.db, context.account_id, PageRequest(RECENT, None, b""))
    for batch in page.items:
        is_same = batch.source_id == source_id and _own_columns(batch.layout.columns) == columns
        if is_same and (batch.number is not None or batch.status is BatchStatus.REHEARSED):
            return refit_plan(batch.plan, table.columns)
    return propose_plan(table.columns)


def _own_columns(columns: Sequence[str]) -> list[str]:
    """The columns of a file without those of the report about refused rows."""
    return [name for name in columns if name not in REPORT]


async def _source_of(context: PageContext, form: ImportUploadForm) -> str:
    """The id of the chosen source, which is created if it is new. Raises: Invalid.

    The name of a new source, if one was typed, counts more than the choice above it, which is
    filled in.
    """
    known = await list_sources(context)
    name = form.source_name.data or ""
    if form.source.data != NEW:
        if not any(source.id == form.source.data for source in known):
            raise Invalid(_("Choose where these orders come from."), field="source")
        if not name:
            return str(form.source.data)
    if not name:
        raise Invalid(
            _("Give the new source a name, such as “Web shop”, and choose the file again."),
            field="source_name",
        )
    for source in known:
        if casefold(source.name) == casefold(name):
            return source.id
    made = await source_service.create_source(
        context.db, context.account_id, name=name, type=SourceType.IMPORT, by=context.actor
    )
    return made.id
