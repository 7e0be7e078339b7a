"""What a user does with an import: rehearse it, decide about duplicates, run, delete, undo it."""

from collections.abc import Awaitable, Callable
from http import HTTPStatus

from msgspec import structs
from starlette.datastructures import FormData
from starlette.responses import Response
from wtforms import RadioField

from masthead.model.ids import is_id
from masthead.model.orders.released_issues import read_sent_through
from masthead.model.translations import gettext as _, gettext_noop
from masthead.model.types.text import MAX_DIGITS, is_digits
from masthead.services.imports import again, batches as service, mappings
from masthead.services.imports.delete import delete_upload
from masthead.services.imports.work.undo_preview import preview_undo
from masthead.store.engine.interface import Database
from masthead.store.imports import batches as store
from masthead.web.imports.batch import render_batch
from masthead.web.kit.context import PageContext
from masthead.web.kit.form_handling import handle_form, save_form, save_or_show
from masthead.web.kit.forms import BaseForm, choices_of

EARLIER = "earlier"  # up to the issue of another field
NAMED = 100  # touched rows that a page names
TOUCHED = (
    ("stop", gettext_noop("Stop, and take nothing back")),
    ("keep", gettext_noop("Keep these, and take back the others")),
)

Change = Callable[[Database, str], Awaitable[str | None]]


class UndoForm(BaseForm):
    """What happens to rows that were touched since."""

    touched = RadioField(
        "If something has happened to a subscription since", choices=choices_of(TOUCHED)
    )


async def rehearse(context: PageContext) -> Response:
    """Request a rehearsal. Raises: NotFound."""
    return await _process(
        context, lambda db, id: service.request_rehearsal(db, context.account_id, id)
    )


async def add_zeros(context: PageContext) -> Response:
    """Add the lost zeros to postcodes, and rehearse the import again. Raises: NotFound."""
    return await _process(context, lambda db, id: service.add_zeros(db, context.account_id, id))


async def discard_corrections(context: PageContext) -> Response:
    """Rehearse the import again with the cells of its file. Raises: NotFound."""
    return await _process(
        context, lambda db, id: service.correct_rows(db, context.account_id, id, None)
    )


async def import_again(context: PageContext) -> Response:
    """Rehearse the file of an undone import as a new one. Raises: NotFound."""
    return await _process(
        context, lambda db, id: again.import_again(db, context.account_id, id, by=context.actor)
    )


async def run(context: PageContext) -> Response:
    """Request the import. Raises: NotFound."""

    async def change(db: Database, id: str) -> None:
        await service.request_run(
            db,
            context.account_id,
            id,
            sent_through=_read_sent_through(context.fields),
            by=context.actor,
        )

    return await _process(context, change)


def _read_sent_through(fields: FormData) -> int | str | None:
    """What the form of the rehearsal says about issues that are out; None if it does not ask.

    Raises: Invalid.
    """
    asked = fields.get("sent_through")
    if asked == EARLIER:
        asked = fields.get("earlier", "")
    return None if asked is None else read_sent_through(str(asked))


async def _process(context: PageContext, change: Change) -> Response:
    """Make a change, and show the page of the import; with a message if it cannot be made.

    change: returns the id of another import, if that is to be shown.
    """
    id, form = context.path["id"], BaseForm(context.form_data)

    async def save(form: BaseForm, db: Database) -> Response:
        other = await change(db, id)
        return context.redirect(context.url("imports", other or id))

    async def show(status: HTTPStatus) -> Response:
        batch = await store.get_batch(context.db, context.account_id, id)
        return await render_batch(context, batch, form=form, status=status)

    return await save_or_show(context, form, save, show)


async def decide(context: PageContext) -> Response:
    """Store what was decided about likely duplicates: all of them, or those of one page.

    Raises: NotFound, Invalid.
    """
    batch = await store.get_batch(context.db, context.account_id, context.path["id"])
    every = context.fields.get("all")
    if every is not None:
        decisions = structs.replace(batch.decisions, attach=every == "same", decided={})
    else:
        decided = {**batch.decisions.decided}
        for name, value in context.fields.multi_items():
            line = name.removeprefix("row-")
            is_known = isinstance(value, str) and (not value or is_id(value))
            if name != line and is_digits(line, at_most=MAX_DIGITS) and is_known:
                decided[int(line)] = str(value)
        decisions = structs.replace(batch.decisions, decided=decided)
    await service.decide_duplicates(context.db, context.account_id, batch.id, decisions)
    return context.redirect(
        context.url("imports", batch.id), message=_("Your decisions are saved.")
    )


async def delete(context: PageContext) -> Response:
    """Ask whether to delete a file that was not imported, and delete it. Raises: NotFound."""
    batch = await store.get_batch(context.db, context.account_id, context.path["id"])

    async def save(form: BaseForm, db: Database) -> Response:
        await delete_upload(db, context.account_id, batch.id, by=context.actor)
        message = _("{name} is deleted. Nothing was imported from it.").format(name=batch.name)
        return context.redirect(context.url("imports"), message=message)

    return await handle_form(
        context, BaseForm, "imports/delete.html", save, in_transaction=False, batch=batch
    )


async def undo(context: PageContext) -> Response:
    """Show what an undo would take back, and request it. Raises: NotFound."""
    batch = await store.get_batch(context.db, context.account_id, context.path["id"])
    if not batch.can_be_undone:
        return context.redirect(context.url("imports", batch.id))

    async def save(form: UndoForm, db: Database) -> Response:
        await service.request_undo(
            db,
            context.account_id,
            batch.id,
            keep_touched=form.touched.data == "keep",
            by=context.actor,
        )
        return context.redirect(context.url("imports", batch.id))

    async with context.db.read(aside=True, is_long=True) as db:
        preview = await preview_undo(db, context.account_id, batch, named=NAMED)
    return await handle_form(
        context,
        UndoForm,
        "imports/undo.html",
        save,
        initial={"touched": "stop"},
        batch=batch,
        preview=preview,
    )


async def delete_mapping(context: PageContext) -> Response:
    """Delete a saved mapping."""

    async def save(form: BaseForm, db: Database) -> Response:
        name = str(context.fields.get("name", ""))
        await mappings.delete_mapping(db, context.account_id, name)
        return context.redirect(
            context.url("imports"), message=_("“{name}” is deleted.").format(name=name)
        )

    return await save_form(context, BaseForm(context.form_data), save)
