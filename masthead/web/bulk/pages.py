"""Confirm a note on the subscribers of all chosen rows, and a download of these rows."""

from collections.abc import Awaitable, Callable
from http import HTTPStatus

from starlette.responses import Response
from wtforms import TextAreaField
from wtforms.validators import DataRequired

from masthead.model.bulk import Chosen, ChosenList
from masthead.model.errors import Invalid
from masthead.model.translations import counted
from masthead.services.bulk.choose import choose
from masthead.services.subscribers.notes import add_notes
from masthead.store.engine.interface import Connection, Database
from masthead.store.privacy import erasures
from masthead.web.bulk.choice import ReadChoice, list_samples, read_choice
from masthead.web.kit.context import PageContext
from masthead.web.kit.form_handling import save_or_show
from masthead.web.kit.forms import BaseForm


class NotesForm(BaseForm):
    """A note on several subscribers."""

    text = TextAreaField("Note", [DataRequired("Type the note.")])


async def confirm_chosen(
    context: PageContext,
    read: ReadChoice,
    show: Callable[[Connection, Chosen], Awaitable[Response]],
) -> Response:
    """A page about the chosen rows, or the list with the reason if they cannot be taken.

    show: gets the rows, and a snapshot that was read aside.
    """
    try:
        async with context.db.read(aside=True) as db:
            return await show(db, await choose(db, context.account_id, read.choice))
    except Invalid as reason:
        if context.is_post:
            raise
        return context.redirect(read.back, message=str(reason).replace("`", ""))


async def add_note(context: PageContext) -> Response:
    """Ask for a note on the chosen subscribers, and add it to each. Raises: NotFound, Invalid."""
    read = read_choice(context)
    form = NotesForm(context.form_data)

    async def save(form: NotesForm, db: Database) -> Response:
        count = await add_notes(
            db,
            context.account_id,
            read.choice,
            form.text.data or "",
            expected=str(context.fields.get("fingerprint", "")),
            by=context.actor,
        )
        message = counted(
            "The note is saved on {n} subscriber.", "The note is saved on {n} subscribers.", count
        )
        return context.redirect(read.back, message=message)

    async def show(status: HTTPStatus) -> Response:
        async def render(db: Connection, chosen: Chosen) -> Response:
            ids = chosen.subscriber_ids
            erased = {*await erasures.list_erased(db, context.account_id, ids)}
            noted = [each for each in ids if each not in erased]
            samples = await list_samples(context, db, ChosenList.SUBSCRIBERS, noted)
            return context.render(
                "bulk/note.html",
                status=status,
                form=form,
                read=read,
                chosen=chosen,
                count=len(noted),
                erased=len(erased),
                samples=samples,
            )

        return await confirm_chosen(context, read, render)

    return await save_or_show(context, form, save, show, is_long=True)


async def download(context: PageContext) -> Response:
    """How many rows a file of the chosen ones has, with links to it. Raises: NotFound, Invalid."""
    read = read_choice(context)

    async def render(db: Connection, chosen: Chosen) -> Response:
        samples = await list_samples(context, db, chosen.listed, chosen.rows)
        return context.render(
            "bulk/download.html", read=read, chosen=chosen, count=len(chosen.rows), samples=samples
        )

    return await confirm_chosen(context, read, render)
