"""The pages of the notes on a subscriber."""

from starlette.responses import Response
from wtforms import TextAreaField
from wtforms.validators import DataRequired

from masthead.model.errors import NotFound
from masthead.model.translations import gettext as _
from masthead.services.subscribers import notes as service
from masthead.store.engine.interface import Database
from masthead.store.subscribers import records as subscriber_store
from masthead.web.kit.context import PageContext
from masthead.web.kit.form_handling import handle_form
from masthead.web.kit.forms import BaseForm
from masthead.web.kit.idempotency import NotSaved


class NoteForm(BaseForm):
    """A new note."""

    text = TextAreaField("Note", [DataRequired("Type the note.")])


async def add_note(context: PageContext) -> Response:
    """Show all notes on a subscriber, and add one. Raises: NotFound."""
    async with context.db.read() as db:
        subscriber = await subscriber_store.get_subscriber(
            db, context.account_id, context.path["id"]
        )
        notes = await service.list_notes(db, context.account_id, subscriber.id)

    async def save(form: NoteForm, db: Database) -> Response:
        await service.add_note(
            db, context.account_id, subscriber.id, form.text.data or "", by=context.actor
        )
        page = context.url("subscribers", subscriber.id)
        return context.redirect(page + "#notes", message=_("The note is saved."))

    return await handle_form(
        context, NoteForm, "subscribers/notes.html", save, subscriber=subscriber, notes=notes
    )


async def delete_note(context: PageContext) -> Response:
    """Ask whether to delete a note, and delete it. Raises: NotFound."""
    id = context.path["note"]
    async with context.db.read() as db:
        subscriber = await subscriber_store.get_subscriber(
            db, context.account_id, context.path["id"]
        )
        try:
            note = await service.get_note(db, context.account_id, subscriber.id, id)
        except NotFound:  # another user was faster
            return _gone(context, subscriber.id)

    async def save(_form: BaseForm, db: Database) -> Response:
        try:
            await service.delete_note(db, context.account_id, id, by=context.actor)
        except NotFound:
            raise NotSaved(_gone(context, subscriber.id)) from None
        page = context.url("subscribers", subscriber.id)
        return context.redirect(page + "#notes", message=_("The note is deleted."))

    return await handle_form(
        context, BaseForm, "subscribers/note_delete.html", save, subscriber=subscriber, note=note
    )


def _gone(context: PageContext, subscriber_id: str) -> Response:
    """Back to the subscriber, whose note is deleted already."""
    message = _("This note is already deleted, or does not exist.")
    return context.redirect(context.url("subscribers", subscriber_id), message=message)
