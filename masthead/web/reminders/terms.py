"""What is agreed: another day, no reminders of an invoice, or none to a payer."""

from collections.abc import Mapping, Sequence
from typing import Any

from starlette.datastructures import FormData
from starlette.responses import Response
from wtforms import BooleanField, RadioField, StringField
from wtforms.widgets import DateInput

from masthead.model.errors import Invalid
from masthead.model.translations import gettext as _
from masthead.services.reminders.terms import agree, stop_payer
from masthead.store.billing import invoices
from masthead.store.engine.interface import Database
from masthead.store.reminders import records, terms
from masthead.store.reminders.terms import ReminderTerm
from masthead.store.subscribers.records import get_subscriber
from masthead.web.kit.context import PageContext
from masthead.web.kit.form_handling import handle_form
from masthead.web.kit.forms import BaseForm, choices_of, errors_of, read_date

MAX_LISTED = 100
NOTHING, PROMISED, STOPPED, DISPUTED = "nothing", "promised", "stopped", "disputed"


class TermForm(BaseForm):
    """What is agreed about an invoice."""

    what = RadioField("Reminders of this invoice", validate_choice=False)
    promised_date = StringField("Promised day", widget=DateInput())
    reason = StringField("Reason")
    known_day = ""  # replaced by the day that was agreed before

    @property
    def choice(self) -> str | None:
        """What was chosen; a new day counts as agreed, even if its choice was not ticked."""
        day = (self.promised_date.data or "").strip()
        is_new = bool(day) and day != self.known_day
        return PROMISED if self.what.data == NOTHING and is_new else self.what.data

    def find_errors(self) -> Sequence[Invalid]:
        """The error of the day."""
        return errors_of(self.read)

    def read(self) -> ReminderTerm:
        """What was chosen. Raises: Invalid."""
        what = self.choice
        if what not in (NOTHING, PROMISED, STOPPED, DISPUTED):
            raise Invalid(_("Choose one of these."), field="what")
        day = None
        if what == PROMISED:
            if not (self.promised_date.data or "").strip():
                message = _("Type the day on which the payer has promised to pay.")
                raise Invalid(message, field="promised_date")
            day = read_date("promised_date", self.promised_date.data)
        return ReminderTerm(
            promised_date=day,
            is_stopped=what == STOPPED,
            is_disputed=what == DISPUTED,
            reason=self.reason.data or "",
        )


async def agree_on_invoice(context: PageContext) -> Response:
    """The reminders of an invoice, and what is agreed about it. Raises: NotFound."""
    id = context.path["id"]
    async with context.db.read() as db:
        invoice = await invoices.get_invoice(db, context.account_id, id)
        known = await terms.get_term(db, context.account_id, id)
        listed = await records.list_of_invoice(db, context.account_id, id)
    day = known.promised_date.isoformat() if known.promised_date else ""
    what = NOTHING
    if known.is_disputed:
        what = DISPUTED
    elif known.is_stopped:
        what = STOPPED
    elif known.promised_date is not None:
        what = PROMISED

    def make(formdata: FormData | None, data: Mapping[str, Any] | None) -> TermForm:
        form = TermForm(formdata, data)
        form.known_day = day
        form.what.choices = choices_of(
            (
                (NOTHING, _("As usual, stage by stage")),
                (PROMISED, _("None until the day on which the payer has promised to pay")),
                (STOPPED, _("None")),
                (DISPUTED, _("None: the payer disputes the invoice")),
            )
        )
        return form

    async def save(form: TermForm, db: Database) -> Response:
        await agree(db, context.account_id, id, form.read(), by=context.actor)
        return context.redirect(
            context.url("money", "invoices", id), message=_("The changes are saved.")
        )

    return await handle_form(
        context,
        make,
        "reminders/invoice.html",
        save,
        initial={
            "what": what,
            "promised_date": day,
            "reason": known.reason,
        },
        invoice=invoice,
        document=invoice.document,
        letters=listed,
    )


class StopForm(BaseForm):
    """Whether a payer gets no reminders, and why."""

    is_stopped = BooleanField("No reminders to this payer")
    reason = StringField("Reason")


async def stop_for_payer(context: PageContext) -> Response:
    """The reminders to a payer, and whether they get any. Raises: NotFound."""
    async with context.db.read() as db:
        subscriber = await get_subscriber(db, context.account_id, context.path["id"])
        stop = await terms.find_stop(db, context.account_id, subscriber.id)
        listed = await records.list_of_payer(db, context.account_id, subscriber.id, MAX_LISTED)
    url = context.url("subscribers", subscriber.id, "account", "reminders")

    async def save(form: StopForm, db: Database) -> Response:
        reason = (form.reason.data or "") if form.is_stopped.data else None
        await stop_payer(db, context.account_id, subscriber.id, reason=reason, by=context.actor)
        return context.redirect(url, message=_("The changes are saved."))

    return await handle_form(
        context,
        StopForm,
        "reminders/payer.html",
        save,
        initial={"is_stopped": stop is not None, "reason": stop.reason if stop else ""},
        subscriber=subscriber,
        letters=listed,
    )
