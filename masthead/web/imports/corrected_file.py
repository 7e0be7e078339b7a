"""Upload the corrected rows of an import that has run, as a corrected file."""

from collections.abc import Sequence
from pathlib import PurePath

from starlette.responses import Response

from masthead.model.file_names import file_name
from masthead.model.imports.batches import ImportBatch, ImportRow
from masthead.model.imports.mapping import answer_mapping
from masthead.services.imports import batches as service
from masthead.services.imports.work.corrections import write_file
from masthead.services.imports.work.open_uploads import OpenUpload, open_file
from masthead.services.imports.work.rejects import writer_of
from masthead.store.engine.interface import Database
from masthead.temporary_files import TemporaryFile
from masthead.web.imports.proposals import refit_plan
from masthead.web.imports.upload import store_upload
from masthead.web.kit.connected import while_connected
from masthead.web.kit.context import PageContext
from masthead.web.kit.form_handling import save_form
from masthead.web.kit.forms import BaseForm


def name_refused(batch: ImportBatch, ending: str) -> str:
    """The name of the file of refused rows."""
    return file_name("{file}.refused.{ending}", file=PurePath(batch.name).stem, ending=ending)


async def upload_corrected(
    context: PageContext, batch: ImportBatch, rows: Sequence[ImportRow], form: BaseForm
) -> Response:
    """Rehearse corrected rows as a new import. Raises: Invalid.

    The file is read like the original one. If that leaves a question open, its columns follow.
    """
    writer, ending = writer_of(batch)
    file, name = TemporaryFile(f".{ending}"), name_refused(batch, ending)
    content = write_file(batch.layout.columns, rows, writer)
    file.path.write_bytes(content)
    opened = open_file(context.account_id, file.path, name=name)
    table, cells = await while_connected(context, opened)
    plan = refit_plan(batch.plan, table.columns)
    answered = answer_mapping(plan.mapping, plan.answers)
    survey = await OpenUpload(context.account_id, table, (file, cells)).survey(answered)
    is_clear = all(each.id in plan.answers for each in survey.questions)

    async def keep(_form: BaseForm, db: Database) -> Response:
        id = await store_upload(
            context, db, content, name, batch.source_id, plan, table, corrects=batch.id
        )
        if not is_clear:
            return context.redirect(context.url("imports", id, "columns"))
        await service.request_rehearsal(db, context.account_id, id)
        return context.redirect(context.url("imports", id))

    return await save_form(context, form, keep, is_long=True)
