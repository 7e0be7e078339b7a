"""The page that changes what an order costs."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from starlette.datastructures import FormData
from starlette.responses import Response
from wtforms import HiddenField, RadioField, SelectField, StringField

from masthead.model.errors import CHANGED_MEANWHILE, Invalid
from masthead.model.identity.rights import MissingRight, Right
from masthead.model.subscriptions.billed_changes import InvoiceChoice
from masthead.model.subscriptions.refunds import OrderOfCopies, join_orders
from masthead.model.translations import gettext as _
from masthead.model.types.text import short_text
from masthead.services.subscriptions.bundles import get_bundle
from masthead.services.subscriptions.price import NewPrice, change_price
from masthead.services.subscriptions.refunds import list_paid_orders
from masthead.store.billing import invoices
from masthead.store.billing.balances import list_of_orders
from masthead.store.engine.interface import Database
from masthead.store.read_model.subscription_query import get_subscription
from masthead.web.billing.links import link_to_newest
from masthead.web.kit.amounts import localized_amount, read_amount
from masthead.web.kit.context import PageContext
from masthead.web.kit.form_handling import handle_form
from masthead.web.kit.forms import BaseForm, choices_of, errors_of, incomplete, read_hidden
from masthead.web.subscriptions.refund_fields import order_in_words
from masthead.web.subscriptions.together import ChosenCopies

Seen = dict[str, tuple[int, int]]  # price and refunds of each order, by its first period


class PriceForm(BaseForm):
    """The new price of an order. seen: prices and refunds when the form was opened, as JSON."""

    order = SelectField("Order", validate_choice=False)
    price = StringField("New price")
    invoice_action = RadioField("What becomes of the invoice?", validate_choice=False)
    reason = StringField("Reason")
    seen = HiddenField()
    orders: Mapping[str, OrderOfCopies] = {}  # replaced by those of the subscription
    offered: Mapping[str, str] = {}  # replaced by the choices for the invoice, in words
    locale = "en"

    def find_errors(self) -> Sequence[Invalid]:
        """The errors of each field."""
        return errors_of(self.read)

    def read(self) -> NewPrice:
        """The new price. Raises: Invalid."""
        order = self.orders.get(self.order.data or "")
        if order is None:
            raise Invalid(_("Choose the order."), field="order")
        currency = order.first.currency
        text, chosen = self.price.data or "", self.invoice_action.data
        return NewPrice(
            period_id=order.first.period_id,
            price=read_amount("price", text, currency=currency, locale=self.locale),
            choice=InvoiceChoice(chosen) if chosen in self.offered else None,
            reason=short_text("reason", (self.reason.data or "").strip()),
            seen=self._read_seen(),
        )

    def _read_seen(self) -> tuple[int, int]:
        seen = read_hidden(self.seen.data, Seen).get(self.order.data or "")
        if seen is None:
            raise incomplete()
        return seen


async def change_order_price(context: PageContext) -> Response:
    """Show the form; change the price. Raises: NotFound."""
    id = context.path["id"]
    today = context.membership.daily_date
    async with context.db.read(aside=True) as db:
        subscription = await get_subscription(db, context.account_id, id)
        copies = ChosenCopies(context, await get_bundle(db, context.account_id, id))
        owned = await list_paid_orders(db, context.account_id, copies.ids, day=today)
        joined = join_orders([owned[each] for each in copies.ids])
        orders = {str(each.first.period_id): each for each in joined}
        ids = [part.period_id for each in joined for part in each.parts]
        billed = await list_of_orders(db, context.account_id, ids)
    on_invoice = {
        key: found
        for key, order in orders.items()
        if (found := billed.get(order.first.period_id)) and found.invoice_id
    }
    may_bill = context.membership.may(Right.BILL)
    newest = next(reversed(orders))

    def make(formdata: FormData | None, data: Mapping[str, Any] | None) -> PriceForm:
        form = PriceForm(formdata, data)
        form.orders, form.locale = orders, context.locale
        form.order.flags.required = form.price.flags.required = True
        form.order.choices = choices_of(
            (key, order_in_words(order, context.locale)) for key, order in reversed(orders.items())
        )
        if on_invoice and may_bill:
            form.offered = {
                InvoiceChoice.REPLACE.value: _(
                    "A credit note takes it back, and a new invoice has the new price."
                ),
                InvoiceChoice.CREDIT.value: _(
                    "A credit note for the difference, if the order costs less now."
                ),
            }
        form.invoice_action.choices = choices_of(form.offered.items())
        return form

    async def save(form: PriceForm, db: Database) -> Response:
        copies.require_same()
        try:
            wanted = form.read()
            if form.order.data in on_invoice and not may_bill:
                raise MissingRight([Right.BILL])
            made = await change_price(
                db, context.account_id, id, wanted, also=copies.others, by=context.actor
            )
        except Invalid as reason:
            if reason.code == CHANGED_MEANWHILE:
                form.seen.data = _dump(orders)
            raise
        text, link = _("The price is saved."), ("", "")
        if wanted.price == wanted.seen[0]:
            text = _("Nothing was changed.")
        elif made:
            listed = await invoices.list_invoices(db, context.account_id, made)
            numbers = ", ".join(each.document.number for each in listed)
            text = _("The price is saved. Issued: {numbers}.").format(numbers=numbers)
            link = link_to_newest(context, listed)
        return context.redirect(context.url("subscriptions", id), message=text, link=link)

    asked = context.query.get("order", "")
    chosen = asked if asked in orders else newest
    return await handle_form(
        context,
        make,
        "subscriptions/price.html",
        save,
        initial={
            "order": chosen,
            "seen": _dump(orders),
            "price": localized_amount(
                orders[chosen].price, orders[chosen].first.currency, context.locale
            ),
        },
        subscription=subscription,
        copies=copies,
        on_invoice=on_invoice,
    )


def _dump(orders: Mapping[str, OrderOfCopies]) -> str:
    seen = {key: (order.price, order.refunded) for key, order in orders.items()}
    return msgspec.json.encode(seen).decode()
