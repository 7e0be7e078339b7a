"""What can be done with an invoice, each on a page to confirm: credit, replace, settle, write off.

The forms carry what the user saw of the invoice. If it has changed, nothing is saved.
"""

from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Any

from starlette.responses import Response
from wtforms import HiddenField, RadioField, StringField

from masthead.model.billing.credits import credited_before, left_of
from masthead.model.billing.terms import BillingTerms
from masthead.model.dispatch.address_layout import address_lines, build_layout
from masthead.model.errors import CHANGED_MEANWHILE, Invalid
from masthead.model.orders.known_subscribers import KnownSubscriber, LikelyPayers
from masthead.model.translations import gettext as _
from masthead.model.types.fields import required_text
from masthead.model.types.money import money_in_words
from masthead.model.types.postal_fields import EnvelopeFields
from masthead.services.billing import balances
from masthead.services.billing.credit import correct_invoice
from masthead.services.billing.credit_orders import credit_invoice
from masthead.services.billing.new_payers import write_chosen_payer
from masthead.services.billing.seen import require_same_open
from masthead.services.orders.subscribers import find_subscriber
from masthead.store.billing import invoices as store, open_sums, payers as payer_store
from masthead.store.billing.invoices import StoredInvoice
from masthead.store.engine.interface import Database
from masthead.store.subscribers.corrections import get_subscriber
from masthead.web.billing.payer_actions import act_on_payer, prepare_payer, suggest_payers
from masthead.web.billing.payer_fields import PayerFields
from masthead.web.kit.amounts import read_amount
from masthead.web.kit.context import PageContext
from masthead.web.kit.form_handling import save_or_show
from masthead.web.kit.forms import BaseForm, choices_of, errors_of, incomplete

ALL, PART = "all", "part"
Save = Callable[[Database], Awaitable[Response]]


class SeenForm(BaseForm):
    """seen: what was open, or left to credit, when the page was shown, in minor units."""

    seen = HiddenField()


class ReasonForm(SeenForm):
    """A reason, which must be given."""

    reason = StringField("Reason")

    def find_errors(self) -> list[Invalid]:
        """The error of a missing reason."""
        return errors_of(self.read_reason)

    def read_reason(self) -> str:
        """The reason. Raises: Invalid."""
        text = (self.reason.data or "").strip()
        if not text:
            raise Invalid(_("Say why. It is kept with the invoice."), field="reason")
        return required_text("reason", text)


class CreditForm(ReasonForm):
    """How much of an invoice is credited."""

    much = RadioField("How much?", validate_choice=False)
    amount = StringField("Amount of the credit note")


class ReplaceForm(PayerFields, ReasonForm):
    """What the new invoice says."""

    def find_errors(self) -> list[Invalid]:
        """The errors of each field."""
        return [*super().find_errors(), *self.payer_errors()]


async def _get(context: PageContext) -> tuple[StoredInvoice, int]:
    """The invoice of the page, and what of it is not credited. Raises: NotFound."""
    async with context.db.read() as db:
        invoice = await store.get_invoice(db, context.account_id, context.path["id"])
        notes = await store.list_credit_notes(db, context.account_id, invoice.id)
    left = left_of(invoice.document, credited_before(each.document for each in notes))
    return invoice, sum(left.values())


async def _confirm(
    context: PageContext,
    form: SeenForm,
    template: str,
    invoice: StoredInvoice,
    save: Save,
    **variables: object,
) -> Response:
    """Show the form, or save it if the invoice is as the user saw it."""
    if not context.is_post:
        form.seen.data = str(invoice.open_amount)

    async def save_seen(_form: BaseForm, db: Database) -> Response:
        seen = {invoice.id: int(form.seen.data or "")} if _is_number(form.seen.data) else {}
        if not seen:
            raise incomplete()
        try:
            await require_same_open(db, context.account_id, seen)
        except Invalid as reason:
            if reason.code == CHANGED_MEANWHILE:
                form.seen.data = str(invoice.open_amount)
            raise
        return await save(db)

    async def show(status: HTTPStatus) -> Response:
        return context.render(
            template,
            status=status,
            form=form,
            invoice=invoice,
            document=invoice.document,
            **variables,
        )

    return await save_or_show(context, form, save_seen, show)


def _is_number(text: str | None) -> bool:
    return bool(text) and (text or "").removeprefix("-").isdecimal() and len(text or "") < 20


def _back(context: PageContext, id: str, message: str) -> Response:
    return context.redirect(context.url("money", "invoices", id), message=message)


async def credit(context: PageContext) -> Response:
    """Issue a credit note for all of an invoice, or a part. Raises: NotFound."""
    invoice, left = await _get(context)
    currency = invoice.document.currency
    form = CreditForm(context.form_data, {"much": ALL})
    whole = money_in_words(left, currency)
    form.much.choices = choices_of(
        ((ALL, _("All that is left: {amount}").format(amount=whole)), (PART, _("A part")))
    )

    async def save(db: Database) -> Response:
        amount = None
        if form.much.data == PART:
            text = form.amount.data or ""
            amount = read_amount("amount", text, currency=currency, locale=context.locale)
            if amount <= 0:
                raise Invalid(_("Type an amount of more than 0."), field="amount")
        made = await credit_invoice(
            db,
            context.account_id,
            invoice.id,
            amount=amount,
            reason=form.read_reason(),
            by=context.actor,
        )
        async with db.read() as connection:
            note = await store.get_invoice(connection, context.account_id, made)
        text = _("Credit note {number} is issued.").format(number=note.document.number)
        return _back(context, made, text)

    return await _confirm(context, form, "billing/credit.html", invoice, save, left=left)


def _in_line(address: EnvelopeFields, home: str | None) -> str:
    """The address of a payer in one line. home: country of the publisher, as on invoices."""
    return ", ".join(address_lines(address, build_layout([address.country], home)))


async def replace(context: PageContext) -> Response:
    """Take back a wrong invoice, and issue a new one. Raises: NotFound."""
    invoice, left = await _get(context)
    document = invoice.document
    initial = {
        "due_days": str((document.due_date - document.issue_date).days),
        "order_reference": document.order_reference,
    }
    form, payers = ReplaceForm(context.form_data, initial), list[KnownSubscriber]()
    form.is_billed.data = True
    await prepare_payer(context, form, default_id=invoice.payer_id)
    if not context.is_post:
        form.due_days.data = initial["due_days"]

    async def save(db: Database) -> Response:
        try:
            payer_id = await write_chosen_payer(
                db,
                context.account_id,
                form.chosen_payer_id or invoice.payer_id,
                new_payer=form.read_new_payer(),
                vat_id=form.read_vat_id(),
                department=form.read_department(),
                placeholder_domain=context.defaults.placeholder_domain,
                by=context.actor,
            )
        except LikelyPayers as reason:
            payers.extend(reason.subscribers)
            raise
        terms = BillingTerms(
            payer_id=payer_id, due_days=form.read_due_days(), order_reference=form.read_reference()
        )
        made = await correct_invoice(
            db, context.account_id, invoice.id, terms, reason=form.read_reason(), by=context.actor
        )
        async with db.read() as connection:
            ids = [made.credit_note_id, *made.invoice_ids]
            listed = await store.list_invoices(connection, context.account_id, ids)
        numbers = {each.id: each.document.number for each in listed}
        new = ", ".join(numbers[id] for id in made.invoice_ids)
        text = _("Invoice {old} is taken back by credit note {note}. Its new invoice is {new}.")
        message = text.format(old=document.number, note=numbers[made.credit_note_id], new=new)
        return _back(context, next(iter(made.invoice_ids), made.credit_note_id), message)

    async with context.db.read() as db:
        payer = await find_subscriber(db, context.account_id, invoice.payer_id)
        address = await payer_store.find_letter_address(db, context.account_id, invoice.payer_id)
        subscriber = await get_subscriber(db, context.account_id, invoice.payer_id)
    home = form.settings.country if form.settings else None
    variables: dict[str, Any] = {
        "own": payer.name if payer else document.payer.name,
        "place": _in_line(address, home) if address else "",
        "has_own_address": subscriber.own_address is not None,
        "left": left,
        "payers": payers,
        "are_likely_payers": False,
    }
    if action := str(context.fields.get("do", "")):
        await act_on_payer(context, form, action)
        variables["payers"] = await suggest_payers(context, form)
        return context.render(
            "billing/replace.html", form=form, invoice=invoice, document=document, **variables
        )
    return await _confirm(context, form, "billing/replace.html", invoice, save, **variables)


async def use_credit(context: PageContext) -> Response:
    """Settle an invoice with what its payer has too much. Raises: NotFound."""
    invoice, _left = await _get(context)
    currency = invoice.document.currency
    async with context.db.read() as db:
        sums = await open_sums.sum_of_payer(
            db, context.account_id, invoice.payer_id, today=context.membership.daily_date
        )
    credit = next((each.credit for each in sums if each.currency == currency), 0)

    async def save(db: Database) -> Response:
        used = await balances.use_credit(db, context.account_id, invoice.id, by=context.actor)
        shown = money_in_words(used, currency)
        return _back(context, invoice.id, _("{amount} of the credit is used.").format(amount=shown))

    form = SeenForm(context.form_data)
    return await _confirm(context, form, "billing/use_credit.html", invoice, save, credit=credit)


async def write_off(context: PageContext) -> Response:
    """Give up what is open of an invoice, with a reason. Raises: NotFound."""
    invoice, _left = await _get(context)
    form = ReasonForm(context.form_data)

    async def save(db: Database) -> Response:
        amount = await balances.write_off(
            db, context.account_id, invoice.id, reason=form.read_reason(), by=context.actor
        )
        currency = invoice.document.currency
        shown = money_in_words(amount, currency)
        return _back(context, invoice.id, _("{amount} is written off.").format(amount=shown))

    return await _confirm(context, form, "billing/write_off.html", invoice, save)
