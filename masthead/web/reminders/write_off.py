"""Write off several invoices with one reason, after a look at them."""

from http import HTTPStatus

from starlette.responses import Response

from masthead.model.errors import CHANGED_MEANWHILE, Invalid
from masthead.model.translations import counted, gettext as _
from masthead.services.billing.balances import write_off_all
from masthead.services.billing.seen import require_same_open
from masthead.store.billing import invoices
from masthead.store.engine.interface import Database
from masthead.web.billing.invoice_actions import ReasonForm
from masthead.web.kit.context import PageContext
from masthead.web.kit.form_handling import save_or_show

MOST = 200


async def write_off(context: PageContext) -> Response:
    """Ask why, and write off the ticked invoices, all or none. Raises: NotFound."""
    ids = list(dict.fromkeys(str(each) for each in context.given.getlist("id")))[:MOST]
    async with context.db.read() as db:
        listed = await invoices.list_invoices(db, context.account_id, ids)
    owed = [each for each in listed if each.open_amount > 0]
    form = ReasonForm(context.form_data)
    now = " ".join(f"{each.id}:{each.open_amount}" for each in owed)
    if not context.is_post:
        form.seen.data = now

    async def save(form: ReasonForm, db: Database) -> Response:
        if form.seen.data != now or not owed:
            form.seen.data = now
            raise Invalid(
                _("An invoice has changed since you opened the page. Check the list, and send it."),
                code=CHANGED_MEANWHILE,
            )
        seen = {each.id: each.open_amount for each in owed}
        await require_same_open(db, context.account_id, seen)
        done = await write_off_all(
            db, context.account_id, list(seen), reason=form.read_reason(), by=context.actor
        )
        message = counted("{n} invoice is written off.", "{n} invoices are written off.", len(done))
        return context.redirect(context.url("money", "reminders"), message=message)

    async def show(status: HTTPStatus) -> Response:
        return context.render("reminders/write_off.html", status=status, form=form, owed=owed)

    return await save_or_show(context, form, save, show)
