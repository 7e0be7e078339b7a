"""The page that changes the number of copies for one address, from an issue on."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from starlette.datastructures import FormData
from starlette.responses import Response
from wtforms import BooleanField, HiddenField, SelectField, StringField
from wtforms.widgets import DateInput

from masthead.model.errors import CHANGED_MEANWHILE, Invalid
from masthead.model.orders.references import is_open
from masthead.model.resources import Subscription
from masthead.model.subscriptions.copy_counts import (
    MOST,
    CopyCountChange,
    at_one_address,
    further_price,
)
from masthead.model.translations import counted, gettext as _
from masthead.model.types.enums import CopyStatus, PaymentMethod
from masthead.model.types.fields import MAX_NUMBER, required_text
from masthead.model.types.money import money_text
from masthead.model.types.plausible_days import order_day
from masthead.model.types.text import is_digits
from masthead.services.subscriptions.bundles import Bundle, get_bundle
from masthead.services.subscriptions.copy_counts import change_copy_count
from masthead.store.billing.orders import find_invoices
from masthead.store.billing.settings import find_settings
from masthead.store.engine.interface import Connection, Database
from masthead.store.issues import records as issues
from masthead.store.read_model.subscription_query import get_subscription
from masthead.store.subscriptions import periods, subscription_copies
from masthead.web.billing.order_totals import billed_message
from masthead.web.kit.amounts import read_amount
from masthead.web.kit.choices import list_sources
from masthead.web.kit.context import PageContext
from masthead.web.kit.form_handling import handle_form
from masthead.web.kit.forms import BaseForm, choices_of, errors_of, read_date
from masthead.web.orders.order_choices import fresh_order_id, rank_sources
from masthead.web.orders.order_form import payment_methods

BY_INVOICE = "invoice"  # a choice beside the ways to pay


class CopyCountForm(BaseForm):
    """The number of copies, and what is paid for more of them. seen: how many there were."""

    count = StringField("Copies of each issue")
    first_issue = StringField("From issue number")
    price = StringField("Price of the further copies")
    payment_method = SelectField("How it was paid", validate_choice=False)
    order_date = StringField("Order date", widget=DateInput())
    order_id = StringField("Order ID")
    source = SelectField("Source", validate_choice=False)
    refunds = BooleanField("Refund what was paid for the copies that end")
    seen = HiddenField()
    currency = ""  # replaced by those of the subscription and the user
    locale = "en_GB"

    def find_errors(self) -> Sequence[Invalid]:
        """The errors of each field."""
        return errors_of(
            self._count, self._first_issue, self._price, self._order_date, self._method
        )

    def read(self) -> CopyCountChange:
        """The change of a valid form."""
        return CopyCountChange(
            count=self._count(),
            first_issue=self._first_issue(),
            order_id=required_text("order_id", (self.order_id.data or "").strip()),
            order_date=self._order_date(),
            price=self._price(),
            currency=self.currency,
            payment_method=self._method(),
            is_billed=self.payment_method.data == BY_INVOICE,
            refunds=bool(self.refunds.data),
        )

    @property
    def seen_count(self) -> int:
        """How many copies there were when the form was opened; 0 if it was altered."""
        text = self.seen.data or ""
        return int(text) if is_digits(text, at_most=4) else 0

    def _count(self) -> int:
        return self._number("count", MOST)

    def _first_issue(self) -> int:
        return self._number("first_issue", MAX_NUMBER)

    def _number(self, name: str, most: int) -> int:
        text = (self[name].data or "").strip()
        if not is_digits(text, at_most=10) or not 1 <= int(text) <= most:
            message = _("Type a whole number from 1 to {most}.").format(most=most)
            raise Invalid(message, field=name, value=text)
        return int(text)

    def _price(self) -> int | None:
        text = (self.price.data or "").strip()
        if not text:
            return None
        return read_amount("price", text, currency=self.currency, locale=self.locale)

    def _order_date(self) -> date:
        return order_day("order_date", read_date("order_date", self.order_date.data))

    def _method(self) -> PaymentMethod | None:
        text = self.payment_method.data or ""
        if text == BY_INVOICE:
            return None
        if text and text not in set(PaymentMethod):
            raise Invalid(_("Choose how it was paid."), field="payment_method")
        return PaymentMethod(text) if text else None


async def change_copies(context: PageContext) -> Response:
    """Show the form; change the number of copies. Raises: NotFound."""
    id = context.path["id"]
    sources = [source for source in await list_sources(context) if is_open(source)]
    async with context.db.read(aside=True) as db:
        subscription = await get_subscription(db, context.account_id, id)
        bundle = await get_bundle(db, context.account_id, id)
        first = await _first_unsent(context, db, subscription, bundle)
        row = bundle.group.first
        owned = (await periods.list_periods(db, context.account_id, [row.id]))[row.id]
        billed = await find_invoices(db, context.account_id, [owned[-1].id])
        can_bill = await find_settings(db, context.account_id) is not None
    today = context.membership.daily_date.isoformat()
    currency = owned[-1].currency
    best = rank_sources(sources)

    def make(formdata: FormData | None, data: Mapping[str, Any] | None) -> CopyCountForm:
        form = CopyCountForm(formdata, data)
        form.currency, form.locale = currency, context.locale
        for name in ("count", "first_issue", "order_date", "order_id", "source"):
            form[name].flags.required = True
        by_invoice = [(BY_INVOICE, _("By invoice"))] if can_bill else []
        form.payment_method.choices = choices_of([*by_invoice, *payment_methods()])
        form.source.choices = choices_of((source.id, source.name) for source in sources)
        return form

    async def save(form: CopyCountForm, db: Database) -> Response:
        change = form.read()
        try:
            invoices = await change_copy_count(
                db,
                context.account_id,
                id,
                change,
                source_id=form.source.data or "",
                seen=form.seen_count,
                defaults=context.defaults,
                by=context.actor,
            )
        except Invalid as reason:
            if reason.code == CHANGED_MEANWHILE:
                form.seen.data = str(bundle.count)
            raise
        message = counted(
            "From issue {issue} on, there is {count} copy of each issue.",
            "From issue {issue} on, there are {count} copies of each issue.",
            change.count,
            issue=change.first_issue,
        )
        if invoices is not None:
            message = f"{message} {await billed_message(context, db, invoices)}"
        return context.redirect(context.url("subscriptions", row.id), message=message)

    return await handle_form(
        context,
        make,
        "subscriptions/copy_count.html",
        save,
        initial={
            "count": str(bundle.count),
            "first_issue": str(first or ""),
            "order_date": today,
            "order_id": fresh_order_id(today),
            "source": best[0].id if best else "",
            "payment_method": BY_INVOICE if can_bill and billed else "",
            "seen": str(bundle.count),
        },
        subscription=subscription,
        bundle=bundle,
        counts=at_one_address(bundle.group, bundle.others),
        currency=currency,
        price=money_text(further_price(owned, first or 0, 1), currency) if first else None,
        first=first,
        can_bill=can_bill,
        is_on_invoice=any(billed.values()),
    )


async def _first_unsent(
    context: PageContext, db: Connection, subscription: Subscription, bundle: Bundle
) -> int | None:
    """The first issue that no copy of the group was sent of; None if there is none.

    Issues that are out are passed over, as further copies of them would be sent late.
    """
    if bundle.group.first.last_issue is None:
        return None
    current = await issues.find_current(db, context.account_id, context.membership.daily_date)
    found = await subscription_copies.list_with_runs(db, context.account_id, bundle.group.ids)
    gone = [
        copy.issue_number
        for copy in found
        if copy.status is CopyStatus.SENT or copy.dispatch_id is not None
    ]
    last = max([*gone, current.number if current else 0])
    later = [number for number in subscription.issue_list if number > last]
    return min(later, default=None)
