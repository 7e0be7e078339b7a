"""What a user does with a dispatch run: request and download files, mark, undo, discard."""

from http import HTTPStatus

from starlette.responses import Response

from masthead.model.dispatch.files import FileStatus, rights_for, shown_name
from masthead.model.dispatch.runs import DispatchStatus, LineStatus
from masthead.model.errors import NotFound
from masthead.model.translations import counted, gettext as _
from masthead.services.dispatch import files, runs
from masthead.store.dispatch import files as file_store, groups, lines, runs as run_store
from masthead.store.engine.interface import Database
from masthead.web.dispatch.addresses import address_of_run
from masthead.web.dispatch.group import render_group
from masthead.web.dispatch.run import find_undo_problem, render_run
from masthead.web.dispatch.run_forms import FileForm, MarkForm, read_date
from masthead.web.kit.context import PageContext
from masthead.web.kit.cookies import FILE
from masthead.web.kit.form_handling import SaveForm, handle_form, save_or_show
from masthead.web.kit.forms import BaseForm
from masthead.web.kit.router import refuse_missing


async def request_file(context: PageContext) -> Response:
    """Request a file of a run; it is prepared in the background. Raises: NotFound.

    With scripts, the page downloads it when it is ready (`masthead.js`). A list needs the right
    to download lists.
    """
    asked = FileForm(context.form_data)
    if (format := asked.read_format()) and (
        refused := await refuse_missing(context, rights_for(format))
    ):
        return refused

    async def save(form: FileForm, db: Database) -> Response:
        format, profile = form.read_choice()
        file = await files.request_file(
            db,
            context.account_id,
            context.path["id"],
            format,
            profile,
            first_label=form.read_first_label(),
            by=context.actor,
        )
        run = await run_store.get_dispatch(db, context.account_id, file.dispatch_id)
        is_ready = file.status is FileStatus.READY
        text = _("{file} is ready.") if is_ready else _("{file} is below as soon as it is ready.")
        message = text.format(file=shown_name(run, file, context.zone))
        page = f"{address_of_run(context, run)}#file-{file.id}"
        response = context.redirect(page, message=message)
        context.cookies.set_choice(response, FILE, f"{format.value}:{profile}")
        return response

    return await _process(context, asked, save)


async def download_file(context: PageContext) -> Response:
    """A ready file of a run. Raises: NotFound."""
    file = await file_store.get_file(context.db, context.account_id, context.path["file"])
    if file.dispatch_id != context.path["id"] or file.status is not FileStatus.READY:
        raise NotFound("file", context.path["file"])
    if refused := await refuse_missing(context, rights_for(file.format)):
        return refused
    await files.record_download(context.db, context.account_id, file, by=context.actor)
    content = files.read_file(context.db, context.account_id, file.id)
    size = {"Content-Length": str(file.bytes)}
    run = await run_store.get_dispatch(context.db, context.account_id, file.dispatch_id)
    return context.download(content, shown_name(run, file, context.zone), file.media_type, size)


async def mark_run(context: PageContext) -> Response:
    """Mark the copies of a run as sent. Raises: NotFound."""

    async def save(form: MarkForm, db: Database) -> Response:
        run, count, completed = await runs.mark_dispatch(
            db, context.account_id, context.path["id"], read_date(form), by=context.actor
        )
        marked = counted(
            "{count} copy is marked as sent.", "{count} copies are marked as sent.", count
        )
        if completed:
            marked = f"{marked} {_ended(completed, of_group=run.group_id is not None)}"
        return context.redirect(address_of_run(context, run), message=marked)

    return await _process(context, MarkForm(context.form_data), save)


def _ended(count: int, *, of_group: bool) -> str:
    """How many subscriptions ended with a mailing of one issue, or of several."""
    if of_group:
        return counted(
            "{count} subscription ended with these issues: it no longer counts as active.",
            "{count} subscriptions ended with these issues: they no longer count as active.",
            count,
        )
    return counted(
        "{count} subscription ended with this issue: it no longer counts as active.",
        "{count} subscriptions ended with this issue: they no longer count as active.",
        count,
    )


async def undo_run(context: PageContext) -> Response:
    """Ask whether to undo the marking of a run, and undo it. Raises: NotFound."""
    run = await run_store.get_dispatch(context.db, context.account_id, context.path["id"])
    async with context.db.read(aside=True) as db:
        members = await groups.list_members(db, context.account_id, run)
        marked = [each for each in members if each.status is DispatchStatus.MARKED]
        if not context.is_post and (
            not marked or await find_undo_problem(db, context.account_id, marked)
        ):
            return context.redirect(address_of_run(context, run))
        sent = await lines.count_with(
            db, context.account_id, [each.id for each in marked], LineStatus.SENT
        )

    async def save(form: BaseForm, db: Database) -> Response:
        _run, count = await runs.undo_dispatch(db, context.account_id, run.id, by=context.actor)
        undone = counted(
            "{count} copy is Not sent again. It is still in this mailing.",
            "{count} copies are Not sent again. They are still in this mailing.",
            count,
        )
        return context.redirect(address_of_run(context, run), message=undone)

    return await handle_form(
        context,
        BaseForm,
        "dispatch/undo.html",
        save,
        is_long=True,
        run=run,
        sent=sent,
        issues=len(marked) if run.group_id else 0,
        page=address_of_run(context, run),
    )


async def _process(context: PageContext, form: BaseForm, save: SaveForm) -> Response:
    """Save a form of the page of a run; if that fails, show the page as it is now."""

    async def show(status: HTTPStatus) -> Response:
        run = await run_store.get_dispatch(context.db, context.account_id, context.path["id"])
        return await (render_group if run.group_id else render_run)(context, form, status)

    return await save_or_show(context, form, save, show, is_long=True)


async def discard_run(context: PageContext) -> Response:
    """Ask whether to discard a run, and discard it. Raises: NotFound."""
    run = await run_store.get_dispatch(context.db, context.account_id, context.path["id"])
    async with context.db.read(aside=True) as db:
        members = await groups.list_members(db, context.account_id, run)
        frozen = [each for each in members if each.status is DispatchStatus.FROZEN]
        if not frozen and not context.is_post:
            return context.redirect(address_of_run(context, run))
        held = await lines.count_with(
            db, context.account_id, [each.id for each in frozen], LineStatus.IN_RUN
        )

    async def save(form: BaseForm, db: Database) -> Response:
        await runs.discard_dispatch(db, context.account_id, run.id, by=context.actor)
        if run.group_id:
            message = _("The mailing is discarded. Its copies are free for the next mailing.")
            return context.redirect(context.url("dispatches"), message=message)
        message = _("Mailing {number} is discarded. Its copies are free for the next mailing.")
        return context.redirect(
            context.url("issues", run.issue_id, "dispatch"),
            message=message.format(number=run.number),
        )

    return await handle_form(
        context,
        BaseForm,
        "dispatch/discard.html",
        save,
        is_long=True,
        run=run,
        held=held,
        issues=len(frozen) if run.group_id else 0,
        page=address_of_run(context, run),
    )
