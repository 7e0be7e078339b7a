"""A collection: its direct debits, its file, and whether it went to the bank."""

from starlette.responses import Response

from masthead.model.debits.rules import DebitStatus, status_words
from masthead.model.errors import Invalid
from masthead.model.file_names import file_name
from masthead.model.translations import counted, gettext as _
from masthead.services.debits import collect as service
from masthead.services.debits.book import book_collection
from masthead.store.debits import collections as store
from masthead.store.engine.interface import Database
from masthead.web.billing.words import return_words
from masthead.web.kit.context import PageContext
from masthead.web.kit.form_handling import handle_form
from masthead.web.kit.forms import BaseForm
from masthead.web.kit.pictures import ISOLATED

SHOWN = 1_000  # debits of a collection


async def show_collection(context: PageContext) -> Response:
    """The debits of a collection, and what can be done with it. Raises: NotFound."""
    return await _render(context)


async def _render(context: PageContext, *, problem: str = "") -> Response:
    """problem: why an action was refused. Raises: NotFound."""
    async with context.db.read(aside=True) as db:
        collection = await store.get_collection(db, context.account_id, context.path["id"])
        rows = await store.list_rows(db, context.account_id, collection.id, SHOWN)
    return context.render(
        "debits/collection.html",
        collection=collection,
        rows=rows,
        open=sum(each.status is DebitStatus.COLLECTED for each in rows),
        is_due=collection.collect_date <= context.membership.daily_date,
        problem=problem,
        status_words=status_words,
        return_words=return_words,
    )


async def download(context: PageContext) -> Response:
    """The file for the bank, byte for byte as it was made. Raises: NotFound."""
    collection, content = await service.download_file(
        context.db, context.account_id, context.path["id"], by=context.actor
    )
    name = file_name(
        "direct-debits-{number}-{day}.xml",
        number=f"{collection.number:05}",
        day=collection.collect_date,
    )
    headers = {"Cache-Control": "no-store", **ISOLATED}
    return context.download(content, name, "application/xml", headers)


async def mark_sent(context: PageContext) -> Response:
    """Say that the file went to the bank. Raises: NotFound."""
    id = context.path["id"]
    try:
        await service.mark_sent(context.db, context.account_id, id, by=context.actor)
    except Invalid as reason:
        return await _render(context, problem=str(reason))
    message = _("It is recorded that the file went to the bank.")
    return context.redirect(context.url("money", "debits", id), message=message)


async def book(context: PageContext) -> Response:
    """Record that the bank has credited the collection. Raises: NotFound."""
    id = context.path["id"]
    try:
        count = await book_collection(context.db, context.account_id, id, by=context.actor)
    except Invalid as reason:
        return await _render(context, problem=str(reason))
    message = counted("{count} payment is recorded.", "{count} payments are recorded.", count)
    return context.redirect(context.url("money", "debits", id), message=message)


async def cancel(context: PageContext) -> Response:
    """Cancel a collection that did not go to the bank. Raises: NotFound."""
    id = context.path["id"]
    async with context.db.read() as db:
        collection = await store.get_collection(db, context.account_id, id)

    async def save(form: BaseForm, db: Database) -> Response:
        await service.cancel_collection(db, context.account_id, id, by=context.actor)
        message = _("The collection is cancelled. Its direct debits wait again.")
        return context.redirect(context.url("money", "debits"), message=message)

    return await handle_form(
        context, BaseForm, "debits/cancel.html", save, collection=collection, is_long=True
    )
