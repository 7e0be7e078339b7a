"""The list of payments, the page of one, and its undo."""

from typing import Any

from starlette.responses import Response

from masthead.model.errors import Invalid
from masthead.model.identity.rights import Right
from masthead.model.queries import PaymentQuery
from masthead.model.translations import gettext as _
from masthead.services.billing.find import list_payments as find_listed
from masthead.services.billing.undo import undo_payment
from masthead.services.orders.subscribers import find_subscriber
from masthead.store.billing import invoices, lists, payments as store
from masthead.store.engine.interface import Database
from masthead.web.kit.context import PageContext
from masthead.web.kit.filters import decode_filters, read_filters
from masthead.web.kit.form_handling import handle_form
from masthead.web.kit.forms import BaseForm


async def list_payments(context: PageContext) -> Response:
    """The payments, those recorded last first."""
    filters = read_filters(context, PaymentQuery)
    variables: dict[str, Any] = {
        "filters": filters,
        "may_bill": context.membership.may(Right.BILL),
    }
    template = "billing/payments.html"
    try:
        query, request = decode_filters(context, PaymentQuery)
    except Invalid as reason:
        return context.render(template, page=None, problem=str(reason), **variables)
    async with context.db.replica.read(aside=True) as db:
        page = await find_listed(
            db,
            context.account_id,
            request,
            only_unused=query.show is not None,
            search=query.search or "",
            payer_id=query.payer or "",
        )
        settled = await lists.find_settled(db, context.account_id, [it.id for it in page.items])
    return context.render(template, page=page, settled=settled, problem="", **variables)


async def _variables(context: PageContext) -> dict[str, Any]:
    """A payment, what it settled, and who paid. Raises: NotFound."""
    id = context.path["id"]
    async with context.db.read() as db:
        payment = await store.get_payment(db, context.account_id, id)
        settled = await store.list_settled_by(db, context.account_id, [id])
        ids = {each.invoice_id or each.credit_note_id for each in settled}
        listed = await invoices.list_invoices(db, context.account_id, sorted(filter(None, ids)))
        payer = None
        if payment.payer_id is not None:
            payer = await find_subscriber(db, context.account_id, payment.payer_id)
    return {
        "payment": payment,
        "settled": settled,
        "documents": {each.id: each.document for each in listed},
        "open_now": {each.id: each.open_amount for each in listed},
        "payer": payer,
        "may_bill": context.membership.may(Right.BILL),
    }


async def show_payment(context: PageContext) -> Response:
    """A payment, and which invoices it settled. Raises: NotFound."""
    return context.render("billing/payment_page.html", **await _variables(context))


async def undo(context: PageContext) -> Response:
    """Take back a payment that was recorded by mistake. Raises: NotFound."""
    id = context.path["id"]
    variables = await _variables(context)

    async def save(_form: BaseForm, db: Database) -> Response:
        await undo_payment(db, context.account_id, id, by=context.actor)
        message = _("The payment is undone. What it settled is open again.")
        if variables["payment"].amount < 0:
            message = _("This is undone: the money did not go back.")
        return context.redirect(context.url("money", "payments", id), message=message)

    return await handle_form(context, BaseForm, "billing/undo.html", save, **variables)
