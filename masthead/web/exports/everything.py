"""Settings: export everything of the account as a ZIP file."""

from starlette.responses import Response

from masthead.model.errors import NotFound
from masthead.model.translations import gettext as _
from masthead.services.exports import archives as service
from masthead.store.engine.interface import Database
from masthead.store.exports import archives as store
from masthead.store.exports.archives import Archive, ArchiveStatus
from masthead.web.kit.context import PageContext
from masthead.web.kit.form_handling import handle_form
from masthead.web.kit.forms import BaseForm
from masthead.web.revenue.statements import refresh_if_waiting


async def show_exports(context: PageContext) -> Response:
    """The exports of the last week, and a button for a new one."""
    async with context.db.read() as db:
        archives = await store.list_archives(db, context.account_id)
    is_waiting = any(each.status is ArchiveStatus.WAITING for each in archives)

    async def save(_form: BaseForm, db: Database) -> Response:
        await service.request_archive(db, context.account_id, by=context.actor)
        message = _("The export is being written. You can leave this page meanwhile.")
        return context.redirect(context.url("settings", "export"), message=message)

    response = await handle_form(
        context,
        BaseForm,
        "settings/export.html",
        save,
        archives=archives,
        is_waiting=is_waiting,
        days=service.KEPT.days,
        name_of=lambda archive: _name_of(context, archive),
    )
    if not is_waiting:
        refresh_if_waiting(context, response)
    return response


async def download_archive(context: PageContext) -> Response:
    """The ZIP file of a ready export; the download is recorded. Raises: NotFound."""
    async with context.db.read() as db:
        archive = await store.get_archive(db, context.account_id, context.path["id"])
    if archive.status is not ArchiveStatus.READY:
        raise NotFound("export", archive.id)
    name = _name_of(context, archive)
    await service.record_archive_download(
        context.db, context.account_id, file=name, by=context.actor
    )
    content = service.read_archive(context.db, context.account_id, archive.id)
    size = str(archive.bytes)
    return context.download(content, name, "application/zip", {"Content-Length": size})


async def delete_archive(context: PageContext) -> Response:
    """Delete an export that is not being written. Raises: NotFound, Invalid."""
    await service.delete_archive(context.db, context.account_id, context.path["id"])
    return context.redirect(context.url("settings", "export"), message=_("The export is deleted."))


def _name_of(context: PageContext, archive: Archive) -> str:
    day = archive.created_at.astimezone(context.zone).date()
    return f"{context.membership.subdomain}-{day}.zip"
