"""The cover of an issue: upload it, delete it, and serve the picture."""

from functools import partial

from starlette.responses import Response

from masthead.model.errors import NotFound
from masthead.model.translations import gettext as _
from masthead.services.issues import covers as service
from masthead.store.engine.interface import Database
from masthead.store.issues import covers as store, records as issues
from masthead.web.kit.context import PageContext
from masthead.web.kit.pictures import handle_picture, send_picture


async def edit_cover(context: PageContext) -> Response:
    """Show the cover of an issue with a form; store an uploaded picture. Raises: NotFound."""
    id = context.path["id"]
    async with context.db.read() as db:
        issue = await issues.get_issue(db, context.account_id, id)
        cover = (await store.list_covers(db, context.account_id, [id])).get(id)

    async def store_cover(picture: store.NewCover, db: Database) -> Response:
        await service.store_cover(db, context.account_id, id, picture, by=context.actor)
        return context.redirect(context.url("issues", id), message=_("The cover is saved."))

    read = partial(service.read_cover, account_id=context.account_id)
    return await handle_picture(
        context, "issues/cover.html", read, store_cover, issue=issue, cover=cover
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
