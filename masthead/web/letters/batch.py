"""The page of letters that were written together: what became of them, and printing them."""

from functools import partial
from http import HTTPStatus

from starlette.responses import Response

from masthead.model.errors import PageNotFound
from masthead.model.file_names import file_name
from masthead.model.inputs import ListQuery
from masthead.model.letters.outcomes import LetterChannel, LetterStatus, SkipReason
from masthead.model.pagination import page_of
from masthead.model.translations import counted, gettext as _
from masthead.model.types.text import is_digits
from masthead.services.letters import printing as service, rounds
from masthead.services.letters.failed import print_failed
from masthead.services.pdf_process import expect_pdf
from masthead.store.engine.interface import Database
from masthead.store.letters import records as store
from masthead.store.letters.failed import count_failed
from masthead.store.letters.renewed import list_renewed
from masthead.store.letters.rounds import count_renewed_since, find_round
from masthead.web.kit.attachments import PDF
from masthead.web.kit.context import PageContext
from masthead.web.kit.filters import decode_filters
from masthead.web.kit.form_handling import ChangeRecord, press_button, save_or_show
from masthead.web.kit.forms import BaseForm
from masthead.web.kit.letter_form import (
    PRINTABLE,
    printed_message,
    stopped_message,
    unprinted_message,
)

MAX_FAILED = 20  # letters on the page that sends them again


async def show_batch(context: PageContext) -> Response:
    """The letters of a batch, with the status of each. Raises: NotFound, Invalid."""
    return await _render(context, BaseForm(), HTTPStatus.OK)


async def _render(context: PageContext, form: BaseForm, status: HTTPStatus) -> Response:
    _query, request = decode_filters(context, ListQuery)
    async with context.db.read(aside=True) as db:
        batch = await store.get_batch(db, context.account_id, context.path["id"])
        counts = await store.count_statuses(db, context.account_id, batch.id)
        sent = await find_round(db, context.account_id, batch)
        renewed = await count_renewed_since(db, context.account_id, [sent])
        failed = await count_failed(db, context.account_id)
        found = await store.list_letters(
            db, context.account_id, batch.id, after=request.after or "", limit=request.fetch
        )
    page = page_of(found[: request.limit], [each.id for each in found], request)
    shared = counts.pop((LetterStatus.SKIPPED, SkipReason.SAME_LETTER), 0)
    by_status = {
        each: sum(count for (found, _reason), count in counts.items() if found is each)
        for each in LetterStatus
    }
    expect_pdf()
    response = context.render(
        "letters/batch.html",
        status=status,
        form=form,
        batch=batch,
        page=page,
        sent=sent,
        renewed=renewed[sent.id],
        failed=failed,
        together=[each for each in sent.batches if each.id != batch.id],
        is_first=not context.query.get("cursor"),
        by_status={each: count for each, count in by_status.items() if count},
        reasons=[(reason, count) for (_each, reason), count in counts.items() if reason],
        shared=shared,
        parts_of_pdf=service.count_parts(batch),
        is_printed=batch.channel is LetterChannel.PRINT,
        statuses=LetterStatus,
    )
    # Buttons and results change with the last one, too
    if not by_status[LetterStatus.QUEUED] and context.request.headers.get("HX-Request") == "true":
        response.headers["HX-Refresh"] = "true"
    return response


async def show_renewed(context: PageContext) -> Response:
    """The letters of a batch, and of those sent with it, that a renewal followed.

    Raises: NotFound, Invalid.
    """
    _query, request = decode_filters(context, ListQuery)
    async with context.db.read(aside=True) as db:
        batch = await store.get_batch(db, context.account_id, context.path["id"])
        sent = await find_round(db, context.account_id, batch)
        ids = [each.id for each in sent.batches]
        renewed = await count_renewed_since(db, context.account_id, [sent])
        found = await list_renewed(
            db, context.account_id, ids, after=request.after or "", limit=request.fetch
        )
    return context.render(
        "letters/renewed.html",
        batch=batch,
        sent=sent,
        page=page_of(found[: request.limit], [each.id for each in found], request),
        is_first=not context.query.get("cursor"),
        renewed=renewed[sent.id],
    )


async def download_pdf(context: PageContext) -> Response:
    """The letters of a batch, or a part of them, as a PDF. Raises: NotFound, Invalid."""
    id, part = context.path["id"], context.path["part"]
    if not is_digits(part, at_most=4) or int(part) < 1:
        raise PageNotFound
    content = await service.prepare_pdf(
        context.db, context.account_id, id, int(part), by=context.actor
    )
    name = file_name("renewal-letters-{id}-{part}.pdf", id=id[-6:].lower(), part=int(part))
    return context.download(content, name, PDF)


async def mark_printed(context: PageContext) -> Response:
    """Record that the letters of a batch are printed. Raises: NotFound, Invalid."""

    async def mark(db: Database, id: str) -> str:
        count = await service.mark_printed(
            db, context.account_id, id, needs_pdf=True, by=context.actor
        )
        return printed_message(count)

    return await _press(context, mark)


async def undo_printed(context: PageContext) -> Response:
    """Record that the letters of a batch are not printed after all. Raises: NotFound, Invalid."""

    async def undo(db: Database, id: str) -> str:
        count = await service.undo_printed(db, context.account_id, id, by=context.actor)
        return unprinted_message(count)

    return await _press(context, undo)


async def _press(context: PageContext, change: ChangeRecord) -> Response:
    address = context.url("letters", "batches", context.path["id"])
    return await press_button(context, address, change, partial(_render, context))


async def stop_batch(context: PageContext) -> Response:
    """Stop the letters of a batch that have not gone out. Raises: NotFound, Invalid."""

    async def stop(db: Database, id: str) -> str:
        done = await rounds.stop_batch(db, context.account_id, id, by=context.actor)
        message = stopped_message(done.stopped, done.sent)
        if done.on_their_way:
            late = counted(
                "{n} letter is just being sent.",
                "{n} letters are just being sent.",
                done.on_their_way,
            )
            message = f"{message} {late}"
        return message

    return await _press(context, stop)


async def retry_batch(context: PageContext) -> Response:
    """Show the emails of a batch that failed for good: send them again, or print one of them.

    Raises: NotFound.
    """
    id = context.path["id"]
    form = BaseForm(context.form_data)

    async def save(form: BaseForm, db: Database) -> Response:
        if letter_id := str(context.fields.get("print", "")):
            written = await print_failed(db, context.account_id, id, letter_id, by=context.actor)
            message = counted(*PRINTABLE, written.letters)
            return context.redirect(context.url("letters", "batches", written.id), message=message)
        count = await service.retry_batch(
            db, context.account_id, id, has_mail=context.has_mail, by=context.actor
        )
        text = counted("{n} letter will be sent again.", "{n} letters will be sent again.", count)
        message = text if count else _("No letter has failed.")
        return context.redirect(context.url("letters", "batches", id), message=message)

    async def show(status: HTTPStatus) -> Response:
        async with context.db.read(aside=True) as db:
            batch = await store.get_batch(db, context.account_id, id)
            failed = await store.list_failed(db, context.account_id, id, limit=MAX_FAILED)
            counts = await store.count_statuses(db, context.account_id, id)
        return context.render(
            "letters/retry.html",
            status=status,
            form=form,
            batch=batch,
            failed=failed,
            count=counts.get((LetterStatus.FAILED, None), 0),
        )

    return await save_or_show(context, form, save, show)
