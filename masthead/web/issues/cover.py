"""The cover of an issue: upload it, delete it, and serve the picture."""

from starlette.datastructures import UploadFile
from starlette.responses import Response
from wtforms import FileField
from wtforms.validators import DataRequired

from masthead.model.errors import Invalid, NotFound
from masthead.model.translations import gettext as _
from masthead.services.issues import covers as service
from masthead.services.pictures import MAX_UPLOAD
from masthead.store.engine.interface import Database
from masthead.store.issues import covers as store
from masthead.store.issues import records as issues
from masthead.web.kit.context import PageContext
from masthead.web.kit.form_handling import handle_form, save_form
from masthead.web.kit.forms import BaseForm
from masthead.web.kit.pictures import send_picture


class CoverForm(BaseForm):
    """A picture."""

    file = FileField("Picture", [DataRequired("Choose a picture that is not empty.")])


async def edit_cover(context: PageContext) -> Response:
    """Show the cover of an issue with a form; store an uploaded picture. Raises: NotFound."""
    id = context.path["id"]
    async with context.db.read() as db:
        issue = await issues.get_issue(db, context.account_id, id)
        cover = (await store.list_covers(db, context.account_id, [id])).get(id)

    async def save(form: CoverForm, db: Database) -> Response:
        file = context.fields.get("file")
        if not isinstance(file, UploadFile) or not file.size:
            raise Invalid(_("Choose a picture that is not empty."), field="file")
        cover = await service.read_cover(await file.read(), account_id=context.account_id)

        async def store_cover(form: CoverForm, db: Database) -> Response:
            await service.store_cover(db, context.account_id, id, cover, by=context.actor)
            return context.redirect(context.url("issues", id), message=_("The cover is saved."))

        return await save_form(context, form, store_cover)

    return await handle_form(
        context,
        CoverForm,
        "issues/cover.html",
        save,
        in_transaction=False,
        issue=issue,
        cover=cover,
        megabytes=MAX_UPLOAD // 1_000_000,
    )


async def delete_cover(context: PageContext) -> Response:
    """Delete the cover of an issue. Raises: NotFound."""
    id = context.path["id"]
    await service.delete_cover(context.db, context.account_id, id, by=context.actor)
    return context.redirect(context.url("issues", id), message=_("The issue has no cover now."))


async def send_cover(context: PageContext) -> Response:
    """The picture with a hash. Browsers may keep it for ever. Raises: NotFound."""
    sha256 = context.path["sha256"]
    found = await store.find_file(context.db, context.account_id, context.path["id"], sha256)
    if found is None:
        raise NotFound("cover", sha256)
    return send_picture(found.content, service.MEDIA_TYPE)
