"""The files of a dispatch run: request one, and download it."""

from http import HTTPStatus
from urllib.parse import quote

from starlette.responses import Response, StreamingResponse

from masthead.model.dispatch.files import FileStatus
from masthead.model.errors import NotFound
from masthead.services.dispatch import files as service
from masthead.store.dispatch import files as store
from masthead.store.engine.interface import Database
from masthead.web.dispatch.run import render_run
from masthead.web.dispatch.run_forms import FileForm
from masthead.web.kit.context import PageContext


async def request_file(context: PageContext) -> Response:
    """Request a file of a run; it is prepared in the background. Raises: NotFound."""
    form = FileForm(context.form_data)

    async def save(form: FileForm, db: Database) -> Response:
        format, profile = form.read_choice()
        file = await service.request_file(
            db, context.account_id, context.path["id"], format, profile, by=context.actor
        )
        is_ready = file.status is FileStatus.READY
        message = f"{file.name} is {'ready' if is_ready else 'being prepared'}."
        return context.redirect(context.url("dispatches", file.dispatch_id), message=message)

    async def save_once() -> Response:
        return await context.save_form(form, save)

    async def show(status: HTTPStatus) -> Response:
        return await render_run(context, form, status)

    return await context.process_form(form, save_once, show)


async def download_file(context: PageContext) -> Response:
    """A ready file of a run. Raises: NotFound."""
    file = await store.get_file(context.db, context.account_id, context.path["file"])
    if file.dispatch_id != context.path["id"] or file.status is not FileStatus.READY:
        raise NotFound("file", context.path["file"])
    await service.record_download(context.db, context.account_id, file, by=context.actor)
    context.log_download(file.name)
    return StreamingResponse(
        service.read_file(context.db, context.account_id, file.id),
        media_type=file.media_type,
        headers={
            "Content-Disposition": f'attachment; filename="{quote(file.name)}"',
            "Content-Length": str(file.bytes),
        },
    )
