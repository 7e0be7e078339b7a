"""Settings: the stages of reminders, the smallest amount, and from which stage copies are held."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from starlette.datastructures import FormData
from starlette.responses import Response
from wtforms import BooleanField, SelectField, StringField, TextAreaField

from masthead.model.errors import Invalid, NotFound
from masthead.model.reminders.stages import MAX_STAGES, ReminderSettings, ReminderStage
from masthead.model.reminders.texts import default_stages, placeholders
from masthead.model.translations import gettext as _, in_language
from masthead.model.types.text import is_digits
from masthead.services.reminders import settings as service
from masthead.store import accounts
from masthead.store.billing import settings as billing_store
from masthead.store.engine.interface import Database
from masthead.store.reminders import stages as store
from masthead.web.kit.amounts import localized_amount, read_amount
from masthead.web.kit.context import PageContext
from masthead.web.kit.email_form import handle_email_form
from masthead.web.kit.form_handling import handle_form
from masthead.web.kit.forms import BaseForm, choices_of, errors_of


class AmountForm(BaseForm):
    """A form that reads amounts in the currency of the account."""

    currency, locale = "EUR", "en_GB"  # replaced by those of the account and the user

    def read(self, field: str, text: str | None) -> int:
        """A typed amount in minor units; nothing is 0. Raises: Invalid."""
        if not (text or "").strip():
            return 0
        return read_amount(field, text or "", currency=self.currency, locale=self.locale)


class RemindersForm(AmountForm):
    """The smallest amount, and the stage that holds copies."""

    least_amount = StringField("Smallest amount")
    hold_stage = SelectField("Hold the copies", validate_choice=False)

    def find_errors(self) -> Sequence[Invalid]:
        """The errors of the fields."""
        return errors_of(self.read_settings)

    def read_settings(self) -> ReminderSettings:
        """What was typed. Raises: Invalid."""
        stage = self.hold_stage.data or "0"
        if not is_digits(stage, at_most=2):
            raise Invalid(_("Choose one of these."), field="hold_stage")
        return ReminderSettings(
            least_amount=self.read("least_amount", self.least_amount.data), hold_stage=int(stage)
        )


class StageForm(AmountForm):
    """A stage of reminders."""

    name = StringField("Name of the stage")
    days = StringField("Days")
    fee = StringField("Fee")
    subject = StringField("Subject")
    text = TextAreaField("Text")
    encloses_invoices = BooleanField("Enclose the invoices again")
    is_printed = BooleanField("Always on paper")

    def find_errors(self) -> Sequence[Invalid]:
        """The errors of days and fee."""
        return errors_of(lambda: self.read_stage(1))

    def read_stage(self, number: int) -> ReminderStage:
        """What was typed. Raises: Invalid."""
        days = (self.days.data or "").strip()
        if not is_digits(days, at_most=3):
            raise Invalid(_("Type a number of days, such as 14."), field="days")
        return ReminderStage(
            stage=number,
            name=self.name.data or "",
            days=int(days),
            fee=self.read("fee", self.fee.data),
            subject=self.subject.data or "",
            text=self.text.data or "",
            encloses_invoices=bool(self.encloses_invoices.data),
            is_printed=bool(self.is_printed.data),
        )


async def edit_reminders(context: PageContext) -> Response:
    """The stages, and what holds for all of them. Without stages, it offers those of masthead."""
    async with context.db.read() as db:
        stages = await store.list_stages(db, context.account_id)
        settings = await store.get_settings(db, context.account_id)
        has_billing = await billing_store.find_settings(db, context.account_id) is not None
    currency = context.membership.currency
    url = context.url("settings", "reminders")

    def make(formdata: FormData | None, data: Mapping[str, Any] | None) -> RemindersForm:
        form = RemindersForm(formdata, data)
        form.currency, form.locale = currency, context.locale
        form.hold_stage.choices = choices_of(
            [
                ("0", _("Never")),
                *(
                    (str(each.stage), _("From “{stage}” on").format(stage=each.name))
                    for each in stages
                ),
            ]
        )
        return form

    async def save(form: RemindersForm, db: Database) -> Response:
        if context.fields.get("do") == "adopt":
            await service.adopt_defaults(db, context.account_id, by=context.actor)
            return context.redirect(url, message=_("The stages are saved. Check their texts."))
        await service.save_settings(db, context.account_id, form.read_settings(), by=context.actor)
        return context.redirect(url, message=_("The settings are saved."))

    return await handle_form(
        context,
        make,
        "settings/reminders.html",
        save,
        initial={
            "least_amount": localized_amount(settings.least_amount, currency, context.locale),
            "hold_stage": str(settings.hold_stage),
        },
        stages=stages,
        can_add=len(stages) < MAX_STAGES,
        has_billing=has_billing,
        currency=currency,
    )


async def edit_stage(context: PageContext) -> Response:
    """Change a stage, or add the next one: save it, preview it, or send a test.

    Raises: NotFound.
    """
    async with context.db.read(aside=True) as db:
        account = await accounts.get_account(db, context.account_id)
        stages = await store.list_stages(db, context.account_id)
    text = context.path["stage"]
    if not is_digits(text, at_most=2) or not 1 <= int(text) <= min(len(stages) + 1, MAX_STAGES):
        raise NotFound("stage", text)
    number = int(text)
    with in_language(account.locale):
        known = stages[number - 1] if number <= len(stages) else default_stages()[-1]

    def make(formdata: FormData | None, data: Mapping[str, Any] | None) -> StageForm:
        form = StageForm(formdata, data)
        form.currency, form.locale = account.currency, context.locale
        return form

    async def save(_form: StageForm, db: Database, *, stage: ReminderStage) -> None:
        await service.save_stage(db, context.account_id, stage, by=context.actor)

    return await handle_email_form(
        context,
        make,
        "settings/reminder_stage.html",
        initial={
            "name": known.name,
            "days": str(known.days),
            "fee": localized_amount(known.fee, account.currency, context.locale),
            "subject": known.subject,
            "text": known.text,
            "encloses_invoices": known.encloses_invoices,
            "is_printed": known.is_printed,
        },
        read=lambda form: {"stage": form.read_stage(number)},
        preview=partial(service.preview_stage, account=account),
        test=service.send_test,
        save=save,
        saved=(context.url("settings", "reminders"), _("The stage is saved.")),
        number=number,
        is_new=number > len(stages),
        is_last=number == len(stages),
        placeholders=placeholders(),
        currency=account.currency,
    )


async def delete_stage(context: PageContext) -> Response:
    """Delete the last stage, after a question. Raises: NotFound."""
    async with context.db.read() as db:
        stages = await store.list_stages(db, context.account_id)
    text = context.path["stage"]
    if not stages or text != str(stages[-1].stage):
        raise NotFound("stage", text)

    async def save(_form: BaseForm, db: Database) -> Response:
        await service.delete_last_stage(db, context.account_id, int(text), by=context.actor)
        return context.redirect(
            context.url("settings", "reminders"), message=_("The stage is deleted.")
        )

    return await handle_form(
        context, BaseForm, "settings/reminder_stage_delete.html", save, stage=stages[-1]
    )
