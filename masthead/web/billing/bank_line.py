"""One bank line: its proposals, other invoices, leaving it out, and undo."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from http import HTTPStatus

from starlette.responses import Response
from wtforms import StringField
from wtforms.validators import DataRequired

from masthead.model.billing.matching import OpenItem, Proposal
from masthead.model.billing.payments import OpenInvoice
from masthead.model.billing.statements import BankLineStatus
from masthead.model.errors import Invalid
from masthead.model.translations import gettext as _
from masthead.model.types.text import MAX_TEXT, caseless
from masthead.services.billing import bank_lines as service
from masthead.services.billing.matching import list_credit_owners, propose_for
from masthead.services.billing.returned import propose_returned
from masthead.services.debits.bookings import Booking, find_bookings
from masthead.store.billing import bank_statements as store, invoices, matching
from masthead.store.billing.matching import CreditOwner
from masthead.store.billing.returned import ReturnedPayment
from masthead.store.engine.interface import Database
from masthead.web.billing.bank_statements import BankLineForm
from masthead.web.billing.words import return_words
from masthead.web.kit.context import PageContext
from masthead.web.kit.form_handling import save_form
from masthead.web.kit.forms import BaseForm, trimmed

MAX_FOUND = 50


class LeaveOutForm(BaseForm):
    """Why a line is left out."""

    reason = StringField(
        "Why does it pay no invoice?", [DataRequired("Type the reason.")], filters=[trimmed]
    )


async def show_line(context: PageContext) -> Response:
    """A line with all proposals. Raises: NotFound."""
    return await _render(context)


async def _render(
    context: PageContext, *, problem: str = "", form: LeaveOutForm | None = None
) -> Response:
    """problem: why an action was refused. Raises: NotFound."""
    asked = context.query.get("search", "").strip()[:MAX_TEXT]
    proposals: Sequence[Proposal] = ()
    returned: Sequence[ReturnedPayment] = ()
    found: Sequence[OpenItem] = ()
    owners: Sequence[CreditOwner] = ()
    booking: Booking | None = None
    named: Mapping[str, OpenInvoice] = {}
    async with context.db.read(aside=True) as db:
        line = await store.get_line(db, context.account_id, context.path["id"])
        statement = await store.get_statement(db, context.account_id, line.statement_id)
        if line.status is BankLineStatus.TO_DO:
            if line.amount > 0:
                proposals = (await propose_for(db, context.account_id, [line]))[line.id]
                booking = (await find_bookings(db, context.account_id, [line])).get(line.id)
                if booking and not booking.is_batch:
                    single = [booking.debits[0].invoice_id]
                    named = await invoices.find_open(db, context.account_id, single)
                owners = await list_credit_owners(db, context.account_id, line, asked)
            else:
                returned = await propose_returned(db, context.account_id, line)
            if asked:
                found = await matching.search_items(
                    db, context.account_id, caseless(asked), MAX_FOUND
                )
    return context.render(
        "billing/line.html",
        status=HTTPStatus.BAD_REQUEST if problem or form else HTTPStatus.OK,
        line=line,
        statement=statement,
        proposals=proposals,
        booking=booking,
        named=named,
        returned=returned,
        found=[each for each in found if each.currency == line.currency],
        owners=owners,
        asked=asked,
        decision=BankLineForm(),
        form=form or LeaveOutForm(),
        problem=problem,
        return_words=return_words,
        max_found=MAX_FOUND,
    )


Decide = Callable[[Database], Awaitable[object]]


async def _decide(
    context: PageContext, decide: Decide, message: str, *, is_long: bool = False
) -> Response:
    """Decide once, and go back to the lines; a refusal shows the line again. Raises: NotFound."""

    async def save(form: BankLineForm, db: Database) -> Response:
        await decide(db)
        return context.redirect(context.url("money", "statements"), message=message)

    try:
        return await save_form(context, BankLineForm(context.form_data), save, is_long=is_long)
    except Invalid as reason:
        return await _render(context, problem=str(reason))


async def confirm_line(context: PageContext) -> Response:
    """Record the payment of a line, and settle the chosen invoices. Raises: NotFound."""
    chosen = [str(each) for each in context.fields.getlist("invoice")]

    async def decide(db: Database) -> object:
        return await service.confirm_line(
            db,
            context.account_id,
            context.path["id"],
            chosen,
            payer_id=str(context.fields.get("payer", "")) or None,
            by=context.actor,
        )

    return await _decide(context, decide, _("The payment is recorded."))


async def confirm_debits(context: PageContext) -> Response:
    """Record the payments of the direct debits that the line books. Raises: NotFound."""

    async def decide(db: Database) -> object:
        return await service.confirm_debits(
            db, context.account_id, context.path["id"], by=context.actor
        )

    message = _("The direct debits are recorded as paid.")
    return await _decide(context, decide, message, is_long=True)


async def confirm_return(context: PageContext) -> Response:
    """Take back the chosen payment. Raises: NotFound."""
    payment = str(context.fields.get("payment", ""))

    async def decide(db: Database) -> object:
        return await service.confirm_return(
            db, context.account_id, context.path["id"], payment, by=context.actor
        )

    message = _("The return is recorded. What the payment settled is open again.")
    return await _decide(context, decide, message)


async def leave_out(context: PageContext) -> Response:
    """Leave a line out, with a reason. Raises: NotFound."""
    form = LeaveOutForm(context.form_data)
    if not form.validate():
        return await _render(context, form=form)

    async def decide(db: Database) -> None:
        await service.leave_out_line(
            db,
            context.account_id,
            context.path["id"],
            reason=str(form.reason.data)[:MAX_TEXT],
            by=context.actor,
        )

    return await _decide(context, decide, _("The line is left out."))


async def reopen_line(context: PageContext) -> Response:
    """Undo what was decided about a line. Raises: NotFound."""

    async def decide(db: Database) -> None:
        await service.reopen_line(db, context.account_id, context.path["id"], by=context.actor)

    return await _decide(context, decide, _("Undone. The line is to do again."))
