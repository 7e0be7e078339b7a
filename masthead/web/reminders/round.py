"""A round of reminders: what became of each, its PDF, and a stop for what has not gone out."""

from functools import partial
from http import HTTPStatus

from starlette.responses import Response

from masthead.model.file_names import file_name
from masthead.model.letters.outcomes import LetterStatus
from masthead.services.pdf_process import expect_pdf
from masthead.services.reminders import rounds as service
from masthead.services.reminders.printing import prepare_pdf, write_reminder
from masthead.store.engine.interface import Database
from masthead.store.reminders import records as store
from masthead.web.kit.attachments import PDF
from masthead.web.kit.context import PageContext
from masthead.web.kit.form_handling import ChangeRecord, press_button
from masthead.web.kit.forms import BaseForm
from masthead.web.kit.letter_form import printed_message, stopped_message, unprinted_message


async def show_round(context: PageContext) -> Response:
    """The reminders of a round. Raises: NotFound."""
    return await _render(context, BaseForm(), HTTPStatus.OK)


async def _render(context: PageContext, form: BaseForm, status: HTTPStatus) -> Response:
    async with context.db.read(aside=True) as db:
        made = await store.get_round(db, context.account_id, context.path["id"])
        letters = await store.list_of_round(db, context.account_id, made.id)
    waiting = (LetterStatus.QUEUED, LetterStatus.FAILED, LetterStatus.TO_PRINT)
    expect_pdf()
    return context.render(
        "reminders/round.html",
        status=status,
        form=form,
        round=made,
        letters=letters,
        to_print=sum(each.status is LetterStatus.TO_PRINT for each in letters),
        printed=sum(each.status is LetterStatus.PRINTED for each in letters),
        waiting=sum(each.status in waiting for each in letters),
    )


async def show_letter(context: PageContext) -> Response:
    """A reminder as it was written, with its invoices. Raises: NotFound."""
    async with context.db.read() as db:
        letter = await store.get_reminder(db, context.account_id, context.path["id"])
        items = await store.list_items(db, context.account_id, [letter.id])
    expect_pdf()
    return context.render("reminders/letter.html", letter=letter, items=items)


async def download_letter(context: PageContext) -> Response:
    """A reminder as a PDF. Raises: NotFound, Busy."""
    id = context.path["id"]
    content = await write_reminder(context.db, context.account_id, id)
    name = file_name("reminder-{id}.pdf", id=id[-6:].lower())
    await context.record_download(name)
    return context.download(content, name, PDF)


async def download_round(context: PageContext) -> Response:
    """The letters of a round as one PDF. Raises: NotFound, Invalid, Busy."""
    id = context.path["id"]
    content = await prepare_pdf(context.db, context.account_id, id, by=context.actor)
    name = file_name("reminders-{id}.pdf", id=id[-6:].lower())
    return context.download(content, name, PDF)


async def mark_printed(context: PageContext) -> Response:
    """Record that the letters of a round are printed. Raises: NotFound, Invalid."""

    async def mark(db: Database, id: str) -> str:
        count = await service.mark_printed(
            db, context.account_id, id, needs_pdf=True, by=context.actor
        )
        return printed_message(count)

    return await _press(context, mark)


async def undo_printed(context: PageContext) -> Response:
    """Record that the letters of a round are not printed after all. Raises: NotFound."""

    async def undo(db: Database, id: str) -> str:
        count = await service.undo_printed(db, context.account_id, id, by=context.actor)
        return unprinted_message(count)

    return await _press(context, undo)


async def stop(context: PageContext) -> Response:
    """Stop the reminders of a round that have not gone out. Raises: NotFound."""

    async def work(db: Database, id: str) -> str:
        done = await service.stop_round(db, context.account_id, id, by=context.actor)
        return stopped_message(done.stopped, done.sent)

    return await _press(context, work)


async def _press(context: PageContext, change: ChangeRecord) -> Response:
    address = context.url("money", "reminders", "rounds", context.path["id"])
    return await press_button(context, address, change, partial(_render, context))
