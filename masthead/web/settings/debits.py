"""Settings: the creditor identifier, and how long before a direct debit payers are told."""

from starlette.responses import Response
from wtforms import BooleanField, StringField
from wtforms.validators import DataRequired

from masthead.model.debits.settings import FIRST_NOTICE_DAYS, MAX_NOTICE_DAYS
from masthead.model.errors import Invalid
from masthead.model.translations import gettext as _
from masthead.model.types.text import is_digits
from masthead.services.debits.settings import save_settings
from masthead.store.billing import settings as billing_store
from masthead.store.debits import settings as store
from masthead.store.engine.interface import Database
from masthead.web.kit.context import PageContext
from masthead.web.kit.form_handling import handle_form
from masthead.web.kit.forms import BaseForm, trimmed


class DebitSettingsForm(BaseForm):
    """The settings of direct debits; the model validates the identifier."""

    creditor_id = StringField(
        "Creditor identifier", [DataRequired("Type the creditor identifier.")], [trimmed]
    )
    notice_days = StringField(
        "Days of notice", [DataRequired("Type the days.")], default=str(FIRST_NOTICE_DAYS)
    )
    charges_bank_fee = BooleanField(
        "Charge the bank’s fee for a returned direct debit to the payer"
    )
    marks_first = BooleanField("Mark the first direct debit of a mandate as FRST")


async def edit_debits(context: PageContext) -> Response:
    """Change the settings of direct debits."""
    async with context.db.read() as db:
        known = await store.find_settings(db, context.account_id)
        billing = await billing_store.find_settings(db, context.account_id)

    async def save(form: DebitSettingsForm, db: Database) -> Response:
        days = (form.notice_days.data or "").strip()
        if not is_digits(days, at_most=3):
            raise Invalid(
                _("Type a whole number from 1 to {most}.").format(most=MAX_NOTICE_DAYS),
                field="notice_days",
                value=days,
            )
        await save_settings(
            db,
            context.account_id,
            creditor_id=form.creditor_id.data or "",
            notice_days=int(days),
            marks_first=bool(form.marks_first.data),
            charges_bank_fee=bool(form.charges_bank_fee.data),
            by=context.actor,
        )
        message = _("The settings of direct debits are saved.")
        return context.redirect(context.url("settings", "debits"), message=message)

    return await handle_form(
        context,
        DebitSettingsForm,
        "settings/debits.html",
        save,
        initial={
            "creditor_id": known.creditor_id if known else "",
            "notice_days": str(known.notice_days if known else FIRST_NOTICE_DAYS),
            "marks_first": bool(known and known.marks_first),
            "charges_bank_fee": bool(known and known.charges_bank_fee),
        },
        has_iban=bool(billing and billing.iban),
    )
