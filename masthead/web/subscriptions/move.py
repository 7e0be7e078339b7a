"""The page that gives a subscription to another subscriber."""

from collections.abc import Mapping, Sequence
from http import HTTPStatus

from starlette.responses import Response
from wtforms import BooleanField, HiddenField, RadioField, SelectField, StringField

from masthead.model.billing.lists import BilledOrder
from masthead.model.errors import Invalid
from masthead.model.identity.rights import Right
from masthead.model.orders.known_subscribers import KnownSubscriber, LikelyPayers
from masthead.model.subscriptions.billed_changes import InvoiceChoice
from masthead.model.translations import gettext as _
from masthead.model.types.text import short_text
from masthead.services.orders.subscribers import find_subscriber
from masthead.services.subscriptions.bundles import get_bundle
from masthead.services.subscriptions.move import Move, move_subscription
from masthead.store.billing import invoices, settings as settings_store
from masthead.store.billing.balances import list_of_orders
from masthead.store.engine.interface import Database
from masthead.store.read_model.subscription_query import get_subscription
from masthead.store.subscriptions import periods, records as subscriptions
from masthead.web.billing.links import link_to_newest
from masthead.web.billing.payer_actions import act_on_payer, suggest_payers
from masthead.web.billing.payer_fields import PayerFields
from masthead.web.kit.choices import list_countries
from masthead.web.kit.context import PageContext
from masthead.web.kit.form_handling import save_or_show
from masthead.web.kit.forms import BaseForm, choices_of
from masthead.web.subscriptions.together import ChosenCopies


class MoveForm(PayerFields, BaseForm):
    """Who gets the subscription, found or typed as a payer is, and what becomes of the invoice."""

    payer_find = StringField("Find the subscriber")
    payer_company = StringField("Company")
    payer_first_name = StringField("First name")
    payer_last_name = StringField("Last name")
    payer_email = StringField("Email")
    payer_address1 = StringField("Street and number")
    payer_address2 = StringField("Address line 2")
    payer_postcode = StringField("Postcode")
    payer_city = StringField("Town")
    payer_state = StringField("State or region")
    payer_country = SelectField("Country", validate_choice=False)
    takes_address = BooleanField("Send the copies to the name and address of the new subscriber")
    invoice_action = RadioField("What becomes of the invoice?", validate_choice=False)
    reason = StringField("Reason")
    seen = HiddenField()
    offered: Mapping[str, str] = {}  # replaced by the choices for the invoice, in words

    @property
    def can_bill(self) -> bool:
        """The fields of the person are asked for in any account."""
        return True

    def find_errors(self) -> Sequence[Invalid]:
        """The errors of each field."""
        found = self.payer_errors()
        if self.offered and self.read_invoice() is None:
            found.append(Invalid(_("Choose what becomes of the invoice."), field="invoice_action"))
        return found

    def read_invoice(self) -> InvoiceChoice | None:
        """The choice for the invoice; None if there is none."""
        chosen = self.invoice_action.data
        return InvoiceChoice(chosen) if chosen in self.offered else None

    def read(self) -> Move:
        """The move. Raises: Invalid."""
        return Move(
            to_id=self.payer.id if self.payer else None,
            new_person=self.read_new_payer(),
            takes_address=bool(self.takes_address.data),
            choice=self.read_invoice(),
            seen=self.seen.data or "",
            reason=short_text("reason", (self.reason.data or "").strip()),
        )


async def move(context: PageContext) -> Response:
    """Show the form, find a subscriber, or move the subscription. Raises: NotFound."""
    id = context.path["id"]
    async with context.db.read() as db:
        subscription = await get_subscription(db, context.account_id, id)
        row = (await subscriptions.find_rows(db, context.account_id, [id]))[id]
        copies = ChosenCopies(context, await get_bundle(db, context.account_id, id))
        last = (await periods.list_periods(db, context.account_id, [id]))[id][-1].id
        billed = (await list_of_orders(db, context.account_id, [last])).get(last)
        payer = await find_subscriber(db, context.account_id, billed.payer_id) if billed else None
    form, people = await _make_form(context, billed, row.subscriber_id), list[KnownSubscriber]()

    async def save(_form: BaseForm, db: Database) -> Response:
        copies.require_same()
        try:
            moved = await move_subscription(
                db,
                context.account_id,
                id,
                form.read(),
                also=copies.others,
                placeholder_domain=context.defaults.placeholder_domain,
                by=context.actor,
            )
        except LikelyPayers as reason:
            people.extend(reason.subscribers)
            raise
        text, link = _("The subscription belongs to the new subscriber now."), ("", "")
        if moved.document_ids:
            text = f"{text} " + _("The invoice was taken back, and a new one is issued.")
            issued = await invoices.list_invoices(db, context.account_id, moved.document_ids)
            link = link_to_newest(context, issued)
        return context.redirect(context.url("subscriptions", id), message=text, link=link)

    def render(status: HTTPStatus = HTTPStatus.OK) -> Response:
        return context.render(
            "subscriptions/move.html",
            status=status,
            form=form,
            subscription=subscription,
            copies=copies,
            billed=billed,
            payer=payer,
            people=people,
        )

    async def show(status: HTTPStatus) -> Response:
        return render(status)

    if action := str(context.fields.get("do", "")):
        await act_on_payer(context, form, action)
        people.extend(await suggest_payers(context, form))
        return render()
    return await save_or_show(context, form, save, show)


async def _make_form(context: PageContext, billed: BilledOrder | None, owner_id: str) -> MoveForm:
    """The form with its choices, and the subscriber who is chosen. Queries: one or two."""
    initial = {"seen": owner_id, "takes_address": True}
    if billed is not None:
        initial["invoice_action"] = InvoiceChoice.KEEP.value
    form = MoveForm(context.form_data, initial)
    form.is_billed.data = form.is_other_payer.data = True
    form.is_debited.data = False
    async with context.db.read() as db:
        chosen = form.payer_id.data or ""
        form.payer = await find_subscriber(db, context.account_id, chosen) if chosen else None
        settings = await settings_store.find_settings(db, context.account_id)
    home = settings.country if settings else ""
    form.payer_country.data = form.payer_country.data or home
    countries = list_countries(context.locale)
    form.payer_country.choices = choices_of([("", _("Choose a country")), *countries])
    if billed is not None:
        keep = _("It stays with who got it, and later orders are billed to them, too.")
        follow = _("A credit note takes it back, and the new subscriber gets a new one.")
        if billed.invoice_id is None:
            keep = _("It will go to who would have got it.")
            follow = _("It will go to the new subscriber.")
        form.offered = {InvoiceChoice.KEEP.value: keep}
        if context.membership.may(Right.BILL):
            form.offered |= {InvoiceChoice.REPLACE.value: follow}
    form.invoice_action.choices = choices_of(form.offered.items())
    return form
