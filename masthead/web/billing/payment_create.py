"""The page that records a payment: first the invoice or the payer is found, then it is settled."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct
from starlette.datastructures import FormData
from starlette.responses import Response
from wtforms import HiddenField, SelectField, StringField
from wtforms.widgets import DateInput

from masthead.model.billing.inputs import PaymentCreate
from masthead.model.billing.lists import InvoiceItem, Shown
from masthead.model.billing.payments import OpenInvoice
from masthead.model.errors import CHANGED_MEANWHILE, Invalid, NotFound
from masthead.model.orders.known_subscribers import KnownSubscriber
from masthead.model.pagination import PageRequest
from masthead.model.translations import gettext as _
from masthead.model.types.enums import PaymentMethod
from masthead.model.types.money import CURRENCIES, money_in_words, money_text
from masthead.model.types.text import short_text
from masthead.model.validation import decode_input
from masthead.services.billing.find import list_invoices, read_search
from masthead.services.billing.payments import create_payment
from masthead.services.billing.seen import require_same_open
from masthead.services.orders.subscribers import find_subscriber, list_subscribers
from masthead.store.billing import invoices as store, payments
from masthead.store.engine.interface import Connection, Database
from masthead.store.reminders import records as reminder_store
from masthead.web.kit.amounts import localized_amount, read_amount
from masthead.web.kit.choices import list_payment_methods
from masthead.web.kit.context import PageContext
from masthead.web.kit.form_handling import handle_form
from masthead.web.kit.forms import BaseForm, choices_of, errors_of, read_date, read_hidden

TICK, PART = "pays_", "part_"
SHOWN = 100  # open invoices of a payer, those that are due first
FOUND = 20


class PaymentForm(BaseForm):
    """A payment. seen: what was open of each invoice when the page was shown, as JSON.

    Which invoices it settles is in fields of their own: a tick, and perhaps a part.
    """

    amount = StringField("Amount")
    payment_date = StringField("Date of the payment", widget=DateInput())
    method = SelectField("How it came", validate_choice=False)
    reference = StringField("Reference on the statement")
    seen = HiddenField()
    # replaced by those of the payer and the user
    listed: Sequence[OpenInvoice] = ()
    ticked: frozenset[str] = frozenset()
    parts: Mapping[str, str] = {}
    currency = "EUR"
    locale = "en_GB"

    def find_errors(self) -> Sequence[Invalid]:
        """The errors of each field."""
        return errors_of(self.read_amount, self.read_day, self.read_method, self.read_invoices)

    def read_amount(self) -> int:
        """The amount, in minor units. Raises: Invalid."""
        text = self.amount.data or ""
        amount = read_amount("amount", text, currency=self.currency, locale=self.locale)
        if amount <= 0:
            raise Invalid(_("Type an amount of more than 0."), field="amount")
        return amount

    def read_day(self) -> str:
        """The day of the payment. Raises: Invalid."""
        return read_date("payment_date", self.payment_date.data).isoformat()

    def read_method(self) -> str:
        """How it came. Raises: Invalid."""
        if self.method.data not in set(PaymentMethod):
            raise Invalid(_("Choose how the payment came."), field="method")
        return str(self.method.data)

    def read_invoices(self) -> list[dict[str, str]]:
        """The invoices that are ticked, with the parts that are typed. Raises: Invalid."""
        found = []
        for each in self.listed:
            part = self.parts.get(each.id, "")
            if part:
                try:
                    read_amount("amount", part, currency=self.currency, locale=self.locale)
                except Invalid as reason:
                    text = _("The part of invoice {number}: {problem}")
                    raise Invalid(text.format(number=each.number, problem=reason)) from None
            if each.id in self.ticked or part:
                minor = (
                    read_amount("amount", part, currency=self.currency, locale=self.locale)
                    if part
                    else None
                )
                found.append(
                    {"number": each.number}
                    | ({"amount": money_text(minor, self.currency)} if minor is not None else {})
                )
        return found

    def read_seen(self) -> dict[str, int]:
        """What was open of each invoice. Raises: Invalid if it was altered."""
        return read_hidden(self.seen.data, dict[str, int])


class _Paying(Struct, frozen=True):
    """Who pays, and what they owe in one currency, that which is due first at first.

    asked_ids: of the invoice that was asked for and of the fees of its reminders, if still open.
    """

    payer: KnownSubscriber
    currency: str
    listed: list[OpenInvoice]
    asked_ids: frozenset[str]


async def record(context: PageContext) -> Response:
    """Find what a payment is for, or record it. Raises: NotFound."""
    number, payer_id = context.query.get("invoice", "").strip(), context.query.get("payer", "")
    async with context.db.read(aside=True) as db:
        asked = (await store.find_by_number(db, context.account_id, [number])).get(number)
        paying = None
        if asked is not None or payer_id:
            paying = await _load(context, db, asked, payer_id)
    if paying is None:
        return await _find(context, number or context.query.get("find", "").strip())
    return await _record(context, paying, asked)


async def _load(
    context: PageContext, db: Connection, asked: OpenInvoice | None, payer_id: str
) -> _Paying:
    id = asked.payer_id if asked is not None else payer_id
    payer = await find_subscriber(db, context.account_id, id)
    if payer is None:
        raise NotFound("subscriber", id)
    currency = asked.currency if asked else context.query.get("currency", "")
    if currency not in CURRENCIES:
        currency = context.membership.currency
    listed = await store.list_open_of_payer(db, context.account_id, payer.id, currency=currency)
    owed = sorted(
        (each for each in listed if each.open_amount > 0), key=lambda each: (each.due_date, each.id)
    )
    wanted = set[str | None]()
    if asked is not None and asked.open_amount > 0:
        reminders = await reminder_store.list_of_invoice(db, context.account_id, asked.id)
        wanted = {asked.id, *(each.fee_id for each in reminders)}
    first = [each for each in owed if each.id in wanted]
    rest = [each for each in owed if each.id not in wanted]
    return _Paying(payer, currency, (first + rest)[:SHOWN], frozenset(each.id for each in first))


async def _find(context: PageContext, text: str) -> Response:
    """The invoices and the payers that a text may mean."""
    found: Sequence[InvoiceItem] = ()
    payers: Sequence[KnownSubscriber] = ()
    if text:
        async with context.db.replica.read(aside=True) as db:
            meant = await read_search(db, context.account_id, text)
            page = await list_invoices(
                db,
                context.account_id,
                PageRequest(FOUND, None, b""),
                shown=Shown.OPEN,
                search=text,
                payer_id="",
                today=context.membership.daily_date,
            )
            found = page.items
            payers = await list_subscribers(db, context.account_id, meant.payer_ids[:FOUND])
    if len(found) == 1 and found[0].open_amount > 0 and found[0].number == text:
        return context.redirect(context.url("money", "payments", "new", invoice=text))
    return context.render("billing/payment_find.html", find=text, found=found, payers=payers)


async def _record(context: PageContext, paying: _Paying, asked: OpenInvoice | None) -> Response:
    """Show the form, or record the payment."""
    fields, currency = context.fields, paying.currency
    listed = paying.listed
    open_now = {each.id: each.open_amount for each in listed}

    def make(formdata: FormData | None, data: Mapping[str, Any] | None) -> PaymentForm:
        form = PaymentForm(formdata, data)
        form.listed, form.currency, form.locale = listed, currency, context.locale
        form.method.choices = choices_of(list_payment_methods())
        for name in ("amount", "payment_date", "method"):
            form[name].flags.required = True
        if formdata is None:
            form.ticked = paying.asked_ids
        else:
            form.ticked = frozenset(id for id in open_now if fields.get(TICK + id))
            typed = {id: str(fields.get(PART + id, "")).strip() for id in open_now}
            form.parts = {id: short_text("amount", text) for id, text in typed.items() if text}
        return form

    async def save(form: PaymentForm, db: Database) -> Response:
        chosen = form.read_invoices()
        numbers = {each["number"] for each in chosen}
        seen = form.read_seen()
        try:
            await require_same_open(
                db,
                context.account_id,
                {
                    each.id: seen.get(each.id, 0)
                    for each in listed
                    if not chosen or each.number in numbers
                },
            )
            if missing := [id for id in seen if id not in open_now and fields.get(TICK + id)]:
                await require_same_open(db, context.account_id, {id: seen[id] for id in missing})
        except Invalid as reason:
            if reason.code == CHANGED_MEANWHILE:
                form.seen.data = _dump(open_now)
            raise
        values: dict[str, Any] = {
            "payer": paying.payer.id,
            "amount": money_text(form.read_amount(), currency),
            "currency": currency,
            "payment_date": form.read_day(),
            "method": form.read_method(),
            "reference": (form.reference.data or "").strip() or None,
            "invoices": chosen or None,
        }
        body = decode_input(
            PaymentCreate, {name: value for name, value in values.items() if value is not None}
        )
        id = await create_payment(db, context.account_id, body, by=context.actor)
        async with db.read() as connection:
            made = await payments.get_payment(connection, context.account_id, id)
        message = _("The payment is recorded.")
        if made.unused_amount:
            rest = money_in_words(made.unused_amount, currency)
            text = _("{amount} of it settle no invoice: they are a credit of the payer.")
            message = f"{message} {text.format(amount=rest)}"
        return context.redirect(context.url("money", "payments", id), message=message)

    owed = sum(each.open_amount for each in listed if each.id in paying.asked_ids)
    due = localized_amount(owed, currency, context.locale) if owed else ""
    return await handle_form(
        context,
        make,
        "billing/payment_new.html",
        save,
        initial={
            "amount": due,
            "payment_date": context.membership.daily_date.isoformat(),
            "method": PaymentMethod.BANK_TRANSFER.value,
            "seen": _dump(open_now),
        },
        paying=paying,
        asked=asked,
        here=context.url(
            "money",
            "payments",
            "new",
            invoice=asked.number if asked else "",
            payer="" if asked else paying.payer.id,
            currency="" if asked else currency,
        ),
        today=context.membership.daily_date,
    )


def _dump(open_now: Mapping[str, int]) -> str:
    """What is open of each invoice, as JSON for a hidden field."""
    return msgspec.json.encode(open_now).decode()
