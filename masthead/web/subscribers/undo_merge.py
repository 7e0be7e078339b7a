"""The page that undoes a merge of two subscribers, after a preview."""

from starlette.responses import Response

from masthead.model.errors import Invalid
from masthead.model.translations import gettext as _
from masthead.services.subscribers import undo_merge as service
from masthead.store.engine.interface import Database
from masthead.store.subscriptions import records as subscriptions
from masthead.web.kit.context import PageContext
from masthead.web.kit.form_handling import handle_form
from masthead.web.kit.forms import BaseForm
from masthead.web.kit.idempotency import NotSaved


async def undo_merge(context: PageContext) -> Response:
    """Show what moves back and what stays; undo the merge. Raises: NotFound."""
    id, page = context.path["merge"], context.url("subscribers", context.path["id"])
    try:
        async with context.db.read(aside=True) as db:
            preview = await service.preview_undo(db, context.account_id, id)
            rows = await subscriptions.find_rows(
                db, context.account_id, [*preview.going, *preview.staying]
            )
    except Invalid as reason:
        return context.redirect(page, message=str(reason))
    merged, kept = preview.merged.full_name, preview.kept.full_name

    async def save(_form: BaseForm, db: Database) -> Response:
        try:
            back = await service.undo_merge(db, context.account_id, id, by=context.actor)
        except Invalid as reason:
            raise NotSaved(context.redirect(page, message=str(reason))) from None
        message = _("The merge is undone: {name} has a page of their own again.").format(
            name=merged
        )
        return context.redirect(context.url("subscribers", back), message=message)

    return await handle_form(
        context,
        BaseForm,
        "subscribers/undo_merge.html",
        save,
        preview=preview,
        merged=merged,
        kept=kept,
        going=[rows[each] for each in preview.going],
        staying=[rows[each] for each in preview.staying],
    )
