"""Paying back what a payer has too much."""

from collections.abc import Mapping
from typing import Any

from starlette.datastructures import FormData
from starlette.responses import Response
from wtforms import HiddenField, SelectField, StringField
from wtforms.widgets import DateInput

from masthead.model.billing.lists import OpenSums
from masthead.model.errors import CHANGED_MEANWHILE, Invalid
from masthead.model.translations import gettext as _
from masthead.model.types.enums import PaymentMethod
from masthead.model.types.money import CURRENCIES, money_in_words
from masthead.model.types.plausible_days import order_day
from masthead.model.types.text import short_text
from masthead.services.billing.balances import pay_back as service_pay_back
from masthead.services.billing.payments import ReceivedPayment
from masthead.store.billing import open_sums
from masthead.store.engine.interface import Connection, Database
from masthead.store.subscribers.records import get_subscriber
from masthead.web.kit.amounts import localized_amount, read_amount
from masthead.web.kit.choices import list_payment_methods
from masthead.web.kit.context import PageContext
from masthead.web.kit.form_handling import handle_form
from masthead.web.kit.forms import BaseForm, choices_of, read_date


class PayBackForm(BaseForm):
    """Money that goes back. seen: the credit when the page was shown, in minor units."""

    amount = StringField("Amount")
    payment_date = StringField("Date of the payment", widget=DateInput())
    method = SelectField("How it goes back", validate_choice=False)
    reference = StringField("Note")
    seen = HiddenField()


async def pay_back(context: PageContext) -> Response:
    """Record that a payer got money back. Raises: NotFound."""
    today = context.membership.daily_date
    currency = context.query.get("currency", "") or context.membership.currency
    if currency not in CURRENCIES:
        currency = context.membership.currency
    async with context.db.read() as db:
        subscriber = await get_subscriber(db, context.account_id, context.path["id"])
        credit = await _credit(context, db, subscriber.id, currency)

    def make(formdata: FormData | None, data: Mapping[str, Any] | None) -> PayBackForm:
        form = PayBackForm(formdata, data)
        form.method.choices = choices_of(list_payment_methods())
        for name in ("amount", "payment_date", "method"):
            form[name].flags.required = True
        return form

    async def save(form: PayBackForm, db: Database) -> Response:
        async with db.read() as connection:
            now = await _credit(context, connection, subscriber.id, currency)
        if form.seen.data != str(now):
            form.seen.data = str(now)
            text = _("The credit has changed since you opened the page: it is {amount} now.")
            shown = money_in_words(now, currency)
            raise Invalid(text.format(amount=shown), code=CHANGED_MEANWHILE, field="amount")
        amount = read_amount(
            "amount", form.amount.data or "", currency=currency, locale=context.locale
        )
        if amount <= 0:
            raise Invalid(_("Type an amount of more than 0."), field="amount")
        if form.method.data not in set(PaymentMethod):
            raise Invalid(_("Choose how the money goes back."), field="method")
        payment = ReceivedPayment(
            payer_id=subscriber.id,
            payment_date=order_day(
                "payment_date", read_date("payment_date", form.payment_date.data)
            ),
            amount=amount,
            currency=currency,
            method=PaymentMethod(form.method.data or ""),
            reference=short_text("reference", (form.reference.data or "").strip()),
        )
        id = await service_pay_back(db, context.account_id, payment, by=context.actor)
        message = _("It is recorded that the money went back.")
        return context.redirect(context.url("money", "payments", id), message=message)

    return await handle_form(
        context,
        make,
        "billing/pay_back.html",
        save,
        initial={
            "amount": localized_amount(credit, currency, context.locale) if credit else "",
            "payment_date": today.isoformat(),
            "method": PaymentMethod.BANK_TRANSFER.value,
            "seen": str(credit),
        },
        subscriber=subscriber,
        credit=credit,
        currency=currency,
        today=today,
    )


async def _credit(context: PageContext, db: Connection, id: str, currency: str) -> int:
    """What a payer has too much in a currency, beside what they owe."""
    sums: list[OpenSums] = await open_sums.sum_of_payer(
        db, context.account_id, id, today=context.membership.daily_date
    )
    return next((each.credit for each in sums if each.currency == currency), 0)
