"""The page that refunds orders of a subscription without cancelling it."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from starlette.datastructures import FormData
from starlette.responses import Response
from wtforms import HiddenField, StringField

from masthead.model.errors import CHANGED_MEANWHILE, Invalid
from masthead.model.subscriptions.refunds import PaidOrder, join_orders
from masthead.model.translations import gettext as _
from masthead.model.types.text import short_text
from masthead.services.subscriptions.bundles import get_bundle
from masthead.services.subscriptions.recorded_refunds import list_recorded
from masthead.services.subscriptions.refunds import Refund, list_paid_orders, refund_order
from masthead.store.billing.orders import find_invoices
from masthead.store.engine.interface import Database
from masthead.store.read_model.subscription_query import get_subscription
from masthead.web.kit.context import PageContext
from masthead.web.kit.form_handling import handle_form
from masthead.web.kit.forms import errors_of, read_hidden
from masthead.web.subscriptions.refund_fields import RefundForm, name_of, with_amounts
from masthead.web.subscriptions.together import ChosenCopies


class RefundOrdersForm(RefundForm):
    """Amounts, a date and a reason. seen: what was refunded before, by period, as JSON."""

    reason = StringField("Reason")
    seen = HiddenField()

    def find_errors(self) -> Sequence[Invalid]:
        """The errors of each field."""
        return errors_of(self.read, self.read_seen)

    def read(self) -> Refund:
        """The refunds. Raises: Invalid if a field is wrong, or if there is nothing to refund."""
        amounts = self.read_amounts()
        if not amounts:
            first = name_of(self.orders[0]) if self.orders else ""
            raise Invalid(_("Type the amount to refund."), field=first)
        reason = short_text("reason", (self.reason.data or "").strip())
        return Refund(amounts=amounts, day=self.read_date(), reason=reason)

    def read_seen(self) -> dict[int, int]:
        """What was refunded before, by period. Raises: Invalid if it was altered."""
        return read_hidden(self.seen.data, dict[int, int])


async def refund_subscription(context: PageContext) -> Response:
    """Show the orders with their refunds; record another refund. Raises: NotFound."""
    id = context.path["id"]
    today = context.membership.daily_date
    async with context.db.read(aside=True) as db:
        subscription = await get_subscription(db, context.account_id, id)
        bundle = await get_bundle(db, context.account_id, id)
        copies = ChosenCopies(context, bundle)
        ids = copies.ids
        owned = await list_paid_orders(db, context.account_id, ids, day=today)
        paid = [order for each in owned.values() for order in each]
        orders = join_orders([owned[each] for each in ids])
        recorded = await list_recorded(db, context.account_id, id)
        billed = await find_invoices(
            db, context.account_id, [order.period_id for order in paid if order.left]
        )

    def make(formdata: FormData | None, data: Mapping[str, Any] | None) -> RefundOrdersForm:
        form = with_amounts(RefundOrdersForm, orders, context.locale)(formdata, data)
        form.refund_date.flags.required = True
        return form

    async def save(form: RefundOrdersForm, db: Database) -> Response:
        copies.require_same()
        refund = form.read()
        try:
            await refund_order(
                db,
                context.account_id,
                id,
                refund,
                also=copies.others,
                seen=form.read_seen(),
                by=context.actor,
            )
        except Invalid as reason:
            if reason.code == CHANGED_MEANWHILE:
                form.seen.data = _dump_seen(paid)
            raise
        return context.redirect(
            context.url("subscriptions", id), message=form.describe(refund.amounts)
        )

    return await handle_form(
        context,
        make,
        "subscriptions/refund.html",
        save,
        initial={"refund_date": today.isoformat(), "seen": _dump_seen(paid)},
        subscription=subscription,
        orders=orders,
        made=[each for each in recorded if each.is_of(ids)],
        copies=copies,
        is_on_invoice=any(billed.values()),
    )


def _dump_seen(orders: Sequence[PaidOrder]) -> str:
    """What was refunded of each order, as JSON for a hidden field."""
    return msgspec.json.encode({order.period_id: order.refunded for order in orders}).decode()
