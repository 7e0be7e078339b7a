"""Bank statements: upload them, and confirm what their lines pay."""

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from pathlib import Path

from starlette.datastructures import UploadFile
from starlette.responses import Response
from wtforms import FileField
from wtforms.validators import DataRequired

from masthead.model.billing.bank_lines import MAX_FILE
from masthead.model.billing.matching import Proposal
from masthead.model.billing.statements import (
    BankLineQuery,
    BankLineStatus,
    ImportedFile,
    StoredLine,
)
from masthead.model.errors import Invalid
from masthead.model.translations import counted, gettext as _
from masthead.services.billing import bank_lines as service
from masthead.services.billing.bank_statements.import_file import import_file, read_file
from masthead.services.billing.matching import propose_for
from masthead.services.child_process import run_on_file
from masthead.services.debits.bookings import find_bookings
from masthead.services.imports.work.open_uploads import cost_of
from masthead.store.billing import bank_statements as store, invoices, lists
from masthead.store.debits import collections
from masthead.store.engine.interface import Connection, Database
from masthead.web.billing.words import return_words
from masthead.web.kit.connected import while_connected
from masthead.web.kit.context import PageContext
from masthead.web.kit.filters import decode_filters, read_filters
from masthead.web.kit.form_handling import process_form, save_form
from masthead.web.kit.forms import BaseForm

SHOWN_STATEMENTS = 10


class BankFileForm(BaseForm):
    """A file with bank statements."""

    file = FileField("File", [DataRequired("Choose a file that is not empty.")])


class BankLineForm(BaseForm):
    """A button that decides about a bank line."""


async def show_statements(context: PageContext) -> Response:
    """The lines of statements with the best proposal for each, and the form for a new file."""
    form = BankFileForm(context.form_data)

    async def show(status: HTTPStatus) -> Response:
        return await render_statements(context, status=status, form=form)

    return await process_form(context, form, lambda: _import(context), show)


async def render_statements(
    context: PageContext,
    *,
    status: HTTPStatus = HTTPStatus.OK,
    form: BankFileForm | None = None,
) -> Response:
    """The page. Raises: Invalid."""
    today = context.membership.daily_date
    query, request = decode_filters(context, BankLineQuery)
    filters = read_filters(context, BankLineQuery)
    if query.status is None:
        query = BankLineQuery(status=BankLineStatus.TO_DO, statement=query.statement)
    async with context.db.read(aside=True) as db:
        page = await store.list_lines(db, context.account_id, query, request)
        counts = await store.count_lines(db, context.account_id)
        statements = await store.list_statements(db, context.account_id, SHOWN_STATEMENTS)
        proposals = await _propose(context, db, page.items)
        undecided = [each for each in page.items if each.status is BankLineStatus.TO_DO]
        bookings = await find_bookings(db, context.account_id, undecided)
        paid = [each.payment_id for each in page.items if each.payment_id]
        settled = await lists.find_settled(db, context.account_id, paid)
        single = [each.debits[0].invoice_id for each in bookings.values() if not each.is_batch]
        named = await invoices.find_open(db, context.account_id, single)
        booked = await collections.find_of_lines(
            db, context.account_id, [each.id for each in page.items if each.is_batch]
        )
    safe = [id for id, best in proposals.items() if best.is_safe and id not in bookings]
    safe += [id for id, booking in bookings.items() if booking.is_safe]
    booked_by_now = {each.id for each in page.items if each.booking_date <= today}
    safe = [id for id in safe if id in booked_by_now]
    return context.render(
        "billing/statements.html",
        status=status,
        form=form or BankFileForm(),
        decision=BankLineForm(),
        page=page,
        counts=counts,
        statuses=list(BankLineStatus),
        chosen=query.status,
        filters=filters,
        statements=statements,
        proposals=proposals,
        bookings=bookings,
        named=named,
        settled=settled,
        booked=booked,
        safe=safe,
        return_words=return_words,
        max_megabytes=MAX_FILE // 1024**2,
    )


async def _propose(
    context: PageContext, db: Connection, lines: Sequence[StoredLine]
) -> Mapping[str, Proposal]:
    """The best proposal for each open line that has one."""
    lines = [each for each in lines if each.status is BankLineStatus.TO_DO]
    found = await propose_for(db, context.account_id, lines)
    return {id: listed[0] for id, listed in found.items() if listed}


async def _import(context: PageContext) -> Response:
    """Read an uploaded file, and store its lines once. Raises: Invalid; Busy."""
    file = context.fields.get("file")
    if not isinstance(file, UploadFile) or not file.size:
        raise Invalid(_("Choose a file that is not empty."), field="file")
    path, name = Path(file.file.name or ""), file.filename or ""
    reading = run_on_file(
        read_file,
        *(path, name, context.membership.currency),
        account_id=context.account_id,
        size=cost_of(path),
    )
    try:
        found = await while_connected(context, reading)
    except Invalid as reason:
        raise Invalid(str(reason).replace("`", ""), code=reason.code, field="file") from None
    done = await import_file(context.db, context.account_id, found, by=context.actor)
    return context.redirect(context.url("money", "statements"), message=_describe(done))


def _describe(done: ImportedFile) -> str:
    """What an import has done, in sentences."""
    if done.is_known:
        return _("This file was imported before. Nothing was imported again.")
    new = counted("{count} new line.", "{count} new lines.", done.new)
    parts = [_("The statement is imported."), new]
    if done.known:
        parts.append(
            counted(
                "{count} line was imported before, and is not there twice.",
                "{count} lines were imported before, and are not there twice.",
                done.known,
            )
        )
    if done.outgoing:
        parts.append(
            counted(
                "{count} payment to others is left out.",
                "{count} payments to others are left out.",
                done.outgoing,
            )
        )
    if done.pending:
        parts.append(
            counted(
                "{count} line is not booked yet: it comes with a later statement.",
                "{count} lines are not booked yet: they come with a later statement.",
                done.pending,
            )
        )
    return " ".join(parts)


async def confirm_safe(context: PageContext) -> Response:
    """Record the payments of the lines that were shown as safe. Raises: NotFound, Invalid."""
    ids = [str(each) for each in context.fields.getlist("line")]

    async def save(form: BankLineForm, db: Database) -> Response:
        done = await service.confirm_safe(db, context.account_id, ids, by=context.actor)
        message = counted(
            "{count} payment is recorded.", "{count} payments are recorded.", done.count
        )
        if done.left:
            left = counted(
                "{count} line was decided in the meantime, or is not sure any more.",
                "{count} lines were decided in the meantime, or are not sure any more.",
                done.left,
            )
            message = f"{message} {left}"
        return context.redirect(context.url("money", "statements"), message=message)

    return await save_form(context, BankLineForm(context.form_data), save, is_long=True)
